package yamlfile

import (
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

func paceSection() *section[scenarios.Pace] {
	s := &section[scenarios.Pace]{
		name:  "pace",
		about: "The rhythm of the chunks.",
		lone:  []string{"every", "speed"},
		check: func(d *decoder, m members, p *scenarios.Pace) bool {
			ok := d.atMostOne(m, "each of them says how long the pauses are", "every", "recorded", "tokens_per_second")
			ok = d.checkJitter(m, p.Jitter, p.Every) && ok
			if m.key("recorded") != nil {
				ok = d.refuse(m, "distribution", "recorded pauses are not drawn; jitter varies them") && ok
			}
			return ok
		},
	}
	s.fields = []field[scenarios.Pace]{
		optional("first", "The pause before the first chunk.", durationCodec(), func(p *scenarios.Pace) **time.Duration { return &p.First }),
		optional("every", "The pause between two chunks.", durationCodec(), func(p *scenarios.Pace) **time.Duration { return &p.Every }),
		optional("jitter", "Each pause varies by up to this much, either way, drawn from the seed.", durationCodec(), func(p *scenarios.Pace) **time.Duration { return &p.Jitter }),
		key("distribution", "How the pauses of every or tokens_per_second are drawn. Default: constant.", wordCodec("constant", "uniform", "normal", "gamma"), func(p *scenarios.Pace) *string { return &p.Distribution }),
		key("recorded", "Pauses taken in turn and from the start again, in place of every.",
			nonEmpty(listOf("a list of durations", durationCodec())), func(p *scenarios.Pace) *[]time.Duration { return &p.Recorded }),
		key("tokens_per_second", "How many chunks leave in a second, in place of every.", floatCodec("a number of tokens", 1e6), func(p *scenarios.Pace) *float64 { return &p.TokensPerSecond }),
		key("speed", "Plays this many times as fast; instant leaves no pauses.", speedCodec(), func(p *scenarios.Pace) *float64 { return &p.Speed }),
	}
	return s
}

// speedCodec reads a factor, or the word for no pauses.
func speedCodec() codec[float64] {
	instant := mapped(wordCodec("instant"), func(string, diag.Pos) float64 { return scenarios.Instant },
		func(v float64) (string, bool) { return "instant", v == scenarios.Instant })
	return anyOf(instant, floatCodec("a factor", 1e6))
}

// checkJitter reports a pause that would vary by more than it is long.
func (d *decoder) checkJitter(m members, jitter, every *time.Duration) bool {
	if jitter == nil || every == nil || *jitter <= *every {
		return true
	}
	d.Report(m.key("jitter"), "write jitter: "+every.String()+" or less", "a pause of %s cannot vary by %s either way", *every, *jitter)
	return false
}
