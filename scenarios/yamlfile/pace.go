package yamlfile

import (
	"slices"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

func paceSection() *table.Section {
	return &table.Section{
		Name:  "pace",
		About: "The rhythm of the chunks.",
		Lone:  []string{"every", "speed"},
		Check: table.Check(func(d *table.Decoder, m table.Members, p *scenarios.Pace) bool {
			ok := d.AtMostOne(m, "leave one of them out: each says how long the pauses are", "every", "recorded")
			ok = checkJitter(d, m, p.Jitter, p.Every, p.Distribution) && ok
			if m.Key("recorded") != nil {
				ok = d.Refuse(m, "distribution", "leave it out: recorded pauses are not drawn; jitter varies them") && ok
			}
			return checkLength(d, m, "every", p.Every, p.Distribution) && ok
		}),
		Fields: slices.Concat([]table.Field{
			table.Key("first", "The pause before the first chunk: the time to first token.", firstCodec()),
			table.Key("every", "The pause between two chunks, or between two bursts."),
		}, varied(), []table.Field{
			table.Key("recorded", "Pauses taken in turn and from the start again, in place of every.", table.NonEmpty(table.ListOf("a list of durations", table.DurationCodec()))),
			table.Key("per", "What the pauses are between. On responses a chunk may be several events, which leave together unless this is event. Default: chunk.",
				table.WordCodec("chunk", "event")),
			table.Key("burst", "How many chunks leave at once. Default: 1.", burstCodec()),
			table.Key("speed", "Plays this many times as fast; instant leaves no pauses.",
				table.AnyOf(table.Constant("instant", float64(scenarios.Instant)), table.FloatCodec("a factor", 1e6))),
		}),
	}
}

const jitterDoc = "A pause varies by up to this much, either way; with normal, lognormal or gamma the standard deviation."

// varied are the keys that say how a pause is drawn.
func varied() []table.Field {
	return table.Listed("pace",
		table.Key("jitter", jitterDoc),
		table.Key("distribution", "How pauses are drawn. Default: constant.", table.WordCodec("constant", "uniform", "normal", "lognormal", "gamma")),
	)
}

// checkJitter reports a jitter that is larger than the pause. For lognormal and gamma
// pauses jitter may be larger than the mean, because they never fall below 0.
func checkJitter(d *table.Decoder, m table.Members, jitter, mean *time.Duration, distribution string) bool {
	key := m.Key("jitter")
	switch {
	case key == nil || jitter == nil:
		return true
	case mean == nil || *mean == 0 || *jitter <= *mean || distribution == "lognormal" || distribution == "gamma":
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
			ok := checkLength(d, m, "mean", &f.Mean, f.Distribution)
			return checkJitter(d, m, f.Jitter, &f.Mean, f.Distribution) && ok
		}),
		Fields: append(varied(), table.Required(table.Stored("mean", "The pause, or the mean of what is drawn.", table.DurationCodec(), func(f *scenarios.First, mean time.Duration) { f.Mean = mean },
			func(f *scenarios.First) (time.Duration, bool) {
				return f.Mean, f.Mean != 0 || f.Jitter != nil || f.Distribution != ""
			}))),
	}
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
