package yamlfile

import (
	"time"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

// pauseBetween is the hint for pauses between two bounds.
const pauseBetween = "pauses from 50ms to 500ms are every: 275ms, jitter: 225ms, distribution: uniform"

// paceSection is when the chunks of an answer are sent.
func paceSection() *table.Section {
	return &table.Section{
		Name:      "pace",
		About:     "The rhythm of the chunks.",
		Lone:      []string{"every", "speed"},
		Misplaced: map[string]string{"min": pauseBetween, "max": pauseBetween},
		Check: table.Check(func(d *table.Decoder, m table.Members, p *scenarios.Pace) bool {
			ok := d.AtMostOne(m, "leave one of them out: each says how long the pauses are", "every", "recorded", "tokens_per_second")
			ok = checkJitter(d, m, p.Jitter, meanPause(p), p.Distribution) && ok
			if m.Key("recorded") != nil {
				ok = d.Refuse(m, "distribution", "leave it out: recorded pauses are not drawn; jitter varies them") && ok
			}
			return checkLength(d, m, "every", p.Every, p.Distribution) && ok
		}),
		Fields: []table.Field{
			table.Key("first", "The pause before the first chunk: the time to first token.", firstCodec()),
			table.Key("every", "The pause between two chunks, or between two bursts."),
			table.Key("jitter", "Each pause varies by up to this much, either way; with normal, lognormal or gamma the standard deviation."),
			table.Key("distribution", "How the pauses of every or tokens_per_second are drawn. Default: constant.", distributionCodec()),
			table.Key("recorded", "Pauses taken in turn and from the start again, in place of every.", recordedCodec()),
			table.Key("per", "What the pauses are between. On responses a chunk may be several events, which leave together unless this is event. Default: chunk.",
				table.WordCodec("chunk", "event")),
			table.Key("tokens_per_second", "How many chunks leave in a second, in place of every.", table.FloatCodec("a number of tokens", 1e6)),
			table.Key("burst", "How many chunks leave at once. Default: 1.", burstCodec()),
			table.Key("speed", "Plays this many times as fast; instant leaves no pauses.", speedCodec()),
		},
	}
}

func distributionCodec() table.Codec {
	return table.WordCodec("constant", "uniform", "normal", "lognormal", "gamma")
}

func recordedCodec() table.Codec {
	return table.NonEmpty(table.ListOf("a list of durations", table.DurationCodec()))
}

// meanPause returns the mean of the pauses between chunks or bursts. If bursts differ in size,
// it is that after the smallest burst. It is 0 if it is not known.
func meanPause(p *scenarios.Pace) time.Duration {
	switch {
	case p.Every != nil:
		return *p.Every
	case p.TokensPerSecond > 0 && p.Burst != nil:
		return time.Duration(float64(p.Burst.Min) * float64(time.Second) / p.TokensPerSecond)
	case p.TokensPerSecond > 0:
		return time.Duration(float64(time.Second) / p.TokensPerSecond)
	}
	return 0
}

// checkJitter reports a jitter that is larger than the pause. For lognormal and gamma
// pauses jitter may be larger than the mean, because they never fall below 0.
func checkJitter(d *table.Decoder, m table.Members, jitter *time.Duration, mean time.Duration, distribution string) bool {
	key := m.Key("jitter")
	switch {
	case key == nil || jitter == nil:
		return true
	case mean == 0 || *jitter <= mean || distribution == "lognormal" || distribution == "gamma":
		return true
	}
	d.Report(key, "write jitter: "+mean.String()+" or less", "a pause of %s cannot vary by %s either way", mean, *jitter)
	return false
}

// checkLength reports a lognormal or gamma distribution of pauses whose mean, the value of
// a key, is 0: all that is drawn is 0 then.
func checkLength(d *table.Decoder, m table.Members, key string, mean *time.Duration, distribution string) bool {
	if m.Key(key) == nil || !m.Complete || mean == nil || *mean > 0 || distribution != "lognormal" && distribution != "gamma" {
		return true
	}
	return d.Refuse(m, "distribution", "a mean of 0s leaves nothing to draw; write "+key+": 20ms")
}

// firstCodec reads the first pause: a duration, or a mapping that says how it is drawn.
func firstCodec() table.Codec {
	fixed := table.As[scenarios.First](table.DurationCodec(), "Mean")
	return table.AnyOf(fixed, table.Later[scenarios.First]("a mapping", firstSection))
}

func firstSection() *table.Section {
	return &table.Section{
		Name:  "first",
		About: "How the pause before the first chunk is drawn.",
		Check: table.Check(func(d *table.Decoder, m table.Members, f *scenarios.First) bool {
			ok := d.AtMostOne(m, "leave one of them out: each says how long the pause is", "mean", "recorded")
			if m.Complete && len(m.Among("mean", "recorded", "per_prompt_token")) == 0 {
				d.Report(m.Node, "", "first needs one of mean, recorded, per_prompt_token")
				return false
			}
			switch {
			case m.Key("recorded") != nil:
				ok = d.Refuse(m, "distribution", "leave it out: the pause is one of the recorded ones; jitter varies it") && ok
			case m.Key("mean") == nil:
				ok = d.Refuse(m, "distribution", "write mean beside it: the pause is drawn around mean, and per_prompt_token is added") && ok
				ok = d.Refuse(m, "jitter", "write mean beside it: jitter varies mean, and per_prompt_token is added") && ok
			}
			ok = checkLength(d, m, "mean", &f.Mean, f.Distribution) && ok
			return checkJitter(d, m, f.Jitter, f.Mean, f.Distribution) && ok
		}),
		Fields: []table.Field{
			table.Stored("mean", "The pause, or the mean of what is drawn.", table.DurationCodec(), func(f *scenarios.First, mean time.Duration) { f.Mean = mean },
				func(f *scenarios.First) (time.Duration, bool) {
					return f.Mean, f.Mean != 0 || f.Recorded == nil && (f.Jitter != nil || f.Distribution != "")
				}),
			table.Key("jitter", "It varies by up to this much, either way; with normal, lognormal or gamma the standard deviation. Default: the jitter of the pace, if nothing is drawn here."),
			table.Key("distribution", "How it is drawn. Default: constant.", distributionCodec()),
			table.Key("recorded", "Pauses in place of mean, one of which is drawn.", recordedCodec()),
			table.Key("per_prompt_token", "What each token of the request's prompt adds.", perTokenCodec()),
		},
	}
}

// mostPerToken is the longest pause for one token of the prompt. The sum for the largest
// request still fits a [time.Duration].
const mostPerToken = time.Second

func perTokenCodec() table.Codec {
	return table.Validated(table.DurationCodec(), func(d *table.Decoder, n *yaml.Node, v *time.Duration) bool {
		if *v > mostPerToken {
			d.Report(n, "", "a token of the prompt can add at most %s, found %s", mostPerToken, n.Value)
		}
		return *v <= mostPerToken
	})
}

// burstCodec reads how many chunks are sent at once: a number, or {min, max}.
func burstCodec() table.Codec {
	number := table.IntCodec("a number of chunks", 1, table.MaxCount)
	fixed := table.Mapped(number, func(n int, _ diag.Pos) scenarios.Bounds { return scenarios.Bounds{Min: n, Max: n} },
		func(b scenarios.Bounds) (int, bool) { return b.Min, b.Min == b.Max })
	s := boundsSection("burst", "How many chunks leave at once, drawn for each burst.", number)
	for i := range s.Fields {
		s.Fields[i] = table.Required(s.Fields[i])
	}
	return table.AnyOf(fixed, table.Mapping[scenarios.Bounds]("a mapping", s))
}

// boundsSection is a least and a greatest number.
func boundsSection(name, about string, number table.Codec) *table.Section {
	return &table.Section{
		Name:  name,
		About: about,
		Check: table.Check(func(d *table.Decoder, m table.Members, b *scenarios.Bounds) bool {
			switch {
			case m.Complete && len(m.Pairs) == 0:
				d.Report(m.Node, "write { min: 1000 } or { max: 1000 }", "%s need min, max or both", name)
			case m.Complete && m.Key("max") != nil && b.Min > b.Max:
				d.Report(m.Key("max"), "", "max must be at least min, which is %d", b.Min)
			default:
				return true
			}
			return false
		}),
		Fields: table.Listed("burst",
			table.Key("min", "The least number.", number),
			table.Key("max", "The greatest number.", number),
		),
	}
}

// speedCodec reads the factor of the speed, or instant for no pauses.
func speedCodec() table.Codec {
	return table.AnyOf(table.Constant("instant", float64(scenarios.Instant)), table.FloatCodec("a factor", 1e6))
}
