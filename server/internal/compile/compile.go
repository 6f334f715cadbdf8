package compile

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// Options are what a compilation knows beside the units.
type Options struct {
	Manner      scenarios.Manner
	FromMessage bool          // the units were derived from a message
	Render      Render        // for the texts of the manner
	Gzip        bool          // the client accepts gzip
	Fills       []script.Fill // the texts in the holes from scenarios.HoleFill on

	// Rand draws pauses and line ends, Chance what is damaged and whether the
	// ending happens.
	Rand, Chance *rand.Rand
	// Values fill the holes when the bytes must be known: see Bytewise.
	Values *player.Values
	// After is the id of the event after which the stream goes on, "" for a
	// stream from its start. It needs Values.
	After string
}

// Bytewise reports whether programs in this manner depend on the very bytes of
// a stream, so that they are compiled for each request anew.
func Bytewise(m *scenarios.Manner) bool {
	return m.Wire.Split != nil || m.Wire.Gzip != "" || m.Wire.Drip > 0 || len(m.Damage) > 0 ||
		m.End.Kind == scenarios.EndCut || m.End.Byte != nil || m.End.Chance != nil
}

// Stream compiles units that are sent as a stream of events.
func Stream(units []Unit, o Options) (*player.Program, error) {
	m := &o.Manner
	framer, err := newFramer(m.Wire, o.Fills, o.Render, o.Rand)
	if err != nil {
		return nil, err
	}
	d := &dice{rand: o.Chance}
	end := d.ending(m.End)
	if len(m.Damage) > 0 {
		units = d.damage(filled(units, &o), m.Damage)
	}
	units = closings(units, m.Wire)
	stop := place(end, units, o.FromMessage)
	units, inside := truncate(units, stop)
	due := schedule(units, m.Pace, o.Rand)
	frames := frames(units, framer, due)
	if frames, err = afterDone(frames, m.Wire, o.Render); err != nil {
		return nil, err
	}
	coalesce(frames, m.Wire.Coalesce)
	p := newProgram(m, end)
	p.Frames = frames
	if last := len(units) - 1; last >= 0 && units[last].Hold == "" {
		p.Ending.Due = due[last]
	}
	had, err := o.had(frames)
	if err != nil {
		return nil, err
	}
	if Bytewise(m) {
		settle(p.Frames, units, inside, &o, d)
	}
	if had > 0 {
		resume(p, had, o.Values)
	}
	if Bytewise(m) {
		cast(p, stop.bytes, &o)
	}
	p.Drawn = d.drawn
	return p, nil
}

// newProgram is a program without frames.
func newProgram(m *scenarios.Manner, end scenarios.End) *player.Program {
	p := &player.Program{Ending: ending(end)}
	if m.Wire.HeaderDelay != nil {
		p.HeaderDelay = time.Duration(float64(*m.Wire.HeaderDelay) / speed(m.Pace))
	}
	return p
}

// closings repeats or removes the [DONE] events as the wire says. Lines of JSON
// have none: it is a word of event streams.
func closings(units []Unit, w scenarios.Wire) []Unit {
	last := len(units) - 1
	if w.Format == "ndjson" {
		return slices.DeleteFunc(slices.Clone(units), func(u Unit) bool { return u.Kind == script.KindDone })
	}
	if w.Done == nil || last < 0 || units[last].Kind != script.KindDone {
		return units
	}
	done := units[last]
	units = units[:last:last]
	for range *w.Done {
		units = append(units, done)
	}
	return units
}

func frames(units []Unit, f *framer, due []time.Duration) []player.Frame {
	frames := make([]player.Frame, 0, len(units))
	for i := range units {
		u := &units[i]
		switch {
		case u.Hold != "":
			frames = append(frames, player.Frame{Due: due[i], Hold: u.Hold, Step: u.Step, Kind: string(u.Kind)})
		case u.sends():
			frame := player.Frame{Due: due[i], Step: u.Step, Kind: string(u.Kind), Bytes: f.frame(u)}
			frame.ID = f.id
			frames = append(frames, frame)
		}
	}
	return frames
}

// afterDone adds what the wire sends when everything is said, and takes the
// last blank line away if the wire has none.
func afterDone(frames []player.Frame, w scenarios.Wire, render Render) ([]player.Frame, error) {
	if len(frames) == 0 {
		return frames, nil
	}
	last := &frames[len(frames)-1]
	if isFalse(w.FinalBlank) {
		last.Bytes = last.Bytes.WithoutLastLine()
	}
	if w.AfterDone == nil {
		return frames, nil
	}
	text, err := render(*w.AfterDone)
	if err != nil {
		return nil, err
	}
	return append(frames, player.Frame{
		Due: last.Due, Step: last.Step, Kind: string(script.KindRaw),
		Bytes: player.Literal([]byte(text)),
	}), nil
}

// coalesce lets every n events leave in one write, when the last of them is
// due. A hold ends a group.
func coalesce(frames []player.Frame, n int) {
	if n < 2 {
		return
	}
	for len(frames) > 0 {
		group := 0
		for group < min(n, len(frames)) && frames[group].Hold == "" {
			group++
		}
		if group == 0 {
			frames = frames[1:]
			continue
		}
		for i := range frames[:group] {
			frames[i].Due = frames[group-1].Due
		}
		frames = frames[group:]
	}
}
