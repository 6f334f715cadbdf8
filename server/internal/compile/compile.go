package compile

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/internal/sse"
)

// Options are what a compilation knows beside the units.
type Options struct {
	Manner      scenarios.Manner
	FromMessage bool   // FromMessage says that the units were derived from a message.
	Render      Render // Render renders the texts of the manner.
	// Repeats are the texts that are too large to be held, by their holes.
	Repeats  map[hole.ID]hole.Repeat
	Complete func(ojson.Path) ojson.Path // Complete writes a path that damage names in full.
}

// Request is what a program depends on beside its units, and what differs from
// request to request.
type Request struct {
	Gzip bool // Gzip says that the client accepts gzip.
	// Rand draws line ends and where frames are split, Chance what is damaged and
	// whether the ending happens.
	Rand, Chance *rand.Rand
	Pauses       Pauses
	// Values fill the holes when the bytes must be known: see Bytewise. They also
	// hold the runs of the units.
	Values *player.Values
	// After is the id of the event after which the stream goes on, "" for a
	// stream from its start. It needs Values.
	After string
}

// Bytewise reports whether programs in this manner depend on the very bytes of
// a stream, so that they are made for each request anew.
func Bytewise(m *scenarios.Manner) bool {
	return m.Wire.Split != nil || m.Wire.Gzip != "" || m.Wire.Drip > 0 || len(m.Damage) > 0 ||
		m.End.Kind == scenarios.EndCut || m.End.Byte != nil || m.End.Chance != nil || endsInside(m.End) || m.End.InsideRune
}

// Stream is units that are sent as a stream of events, framed as far as they can
// be before a request is there. It is immutable.
type Stream struct {
	Options
	units []Unit
	runs  bool // runs says that some units stand for several.
	// framesPerRequest says that the frames depend on what the request makes of
	// the units before them.
	framesPerRequest bool

	// simple says that nothing counts the units of runs: there is no early ending,
	// no damage and nothing that needs the bytes.
	simple bool
	loops  bool // loops says that some units are sent several times.
}

// NewStream frames the units. The error is one of rendering a text of the
// manner, or says that there are too many units.
func NewStream(units []Unit, o Options) (*Stream, error) {
	s := &Stream{Options: o, units: repeatFinal(units, &o.Manner.Wire)}
	s.runs = slices.ContainsFunc(units, func(u Unit) bool { return u.Run != 0 })
	w := &o.Manner.Wire
	s.framesPerRequest = len(o.Manner.Damage) > 0 || w.Newline == "mixed" || s.runs && (hasIDs(w.IDs) || isTrue(w.BOM) || w.Retry != nil)
	if s.loops = hasLoops(s.units); s.loops && WritesOut(&o.Manner) {
		if err := TooMany(countUnits(s.units), true, &o.Manner); err != nil {
			return nil, err
		}
		s.units, s.loops = writeOut(s.units), false
	}
	s.simple = s.runs && !s.framesPerRequest && o.Manner.End.Kind == "" && !Bytewise(&o.Manner)
	framer, err := newFramer(w, &o, nil)
	if err != nil || s.framesPerRequest {
		return s, err
	}
	s.units = slices.Clone(s.units)
	for i := range s.units {
		u := &s.units[i]
		framer.frame(u)
		u.JSON, u.Event = ojson.Value{}, sse.Event{} // the frame says it
	}
	return s, nil
}

// HasRuns reports whether the number of frames depends on the request.
func (s *Stream) HasRuns() bool { return s.runs }

// Program arranges the units for a request. Where there are neither runs nor
// bytes to be known, it is the same for all requests but for pauses that are drawn.
func (s *Stream) Program(r Request) (*player.Program, error) {
	m := &s.Manner
	if s.loops || s.simple && r.After == "" {
		return s.arrange(r)
	}
	units := expandRuns(s.units, r.Values)
	d := &draws{rand: r.Chance}
	end := d.ending(m.End)
	if len(m.Damage) > 0 {
		units = d.damage(fillUnits(units, s.Repeats, r.Values), m.Damage, s.Complete)
	}
	stop := cutoffOf(end, units, s.FromMessage)
	units, inside := truncate(units, stop)
	due := schedule(units, &m.Pace, r.Pauses)
	frames, err := s.frames(units, due, r.Rand)
	if err != nil {
		return nil, err
	}
	if frames, err = afterDone(frames, &m.Wire, stop, s.Render); err != nil {
		return nil, err
	}
	coalesce(frames, m.Wire.Coalesce)
	p := newProgram(m, end)
	p.Frames = frames
	if last := len(units) - 1; last >= 0 && units[last].Hold == "" {
		p.Ending.Due = due[last]
	}
	known, err := framesUntil(r.After, frames, m.Wire.UnknownID != nil)
	if err != nil {
		return nil, err
	}
	if Bytewise(m) {
		stop.inside = inside >= 0
		resolveBytes(p, units, stop, r.Values, d)
	}
	if known > 0 {
		resume(p, known, r.Values)
	}
	if Bytewise(m) {
		encodeBytes(p, stop.bytes, m, &r)
	}
	p.Chance = d.outcomes
	return p, nil
}

// arrange is [Stream.Program] for a simple stream, and for one with loops: the frames
// of its runs are put in their places.
func (s *Stream) arrange(r Request) (*player.Program, error) {
	stop := cutoffOf(s.Manner.End, s.units, s.FromMessage)
	units, _ := truncate(s.units, stop)
	p := newProgram(&s.Manner, s.Manner.End)
	p.Frames = make([]player.Frame, 0, len(units)+1)
	// What looks at each frame of a run has each by itself.
	inLoops := r.After == "" && s.Manner.Wire.Coalesce < 2
	times := newScheduler(&s.Manner.Pace, r.Pauses)
	add := func(u *Unit, gap *time.Duration, piece player.Filling) {
		due := times.next(u, gap)
		p.Frames = u.addFrame(p.Frames, due, piece)
		p.Ending.Due = due
		if u.Hold != "" { // times begin anew
			p.Ending.Due = 0
		}
	}
	loopFrom := 0 // where the frames of a loop begin
	for i := range units {
		u := &units[i]
		if u.Times > 1 && (i == 0 || units[i-1].Times <= 1 || units[i-1].Loop > 0) {
			loopFrom = len(p.Frames)
		}
		if u.Run == 0 {
			add(u, u.Gap, player.Filling{})
			if u.Loop > 0 && u.Times > 1 {
				p.Ending.Due = times.loop(units[i+1-u.Loop:i+1], p.Frames[loopFrom:])
			}
			continue
		}
		gap, run := u.Gap, r.Values.Run(u.Run)
		for k := 0; k < run.Len(); k++ {
			add(u, gap, player.NewFilling(run.At(k)))
			gap = u.RunGap
			if k == 0 && inLoops && run.Len() > 2 {
				k = run.Len() - 2
				times.run(u, run, &p.Frames[len(p.Frames)-1])
			}
		}
	}
	var err error
	if p.Frames, err = afterDone(p.Frames, &s.Manner.Wire, stop, s.Render); err != nil {
		return nil, err
	}
	coalesce(p.Frames, s.Manner.Wire.Coalesce)
	known, err := framesUntil(r.After, p.Frames, s.Manner.Wire.UnknownID != nil)
	if known > 0 {
		resume(p, known, r.Values)
	}
	return p, err
}

// newProgram is a program without frames.
func newProgram(m *scenarios.Manner, end scenarios.End) *player.Program {
	p := &player.Program{Ending: playerEnding(end)}
	if m.Wire.HeaderDelay != nil {
		p.HeaderDelay = time.Duration(float64(*m.Wire.HeaderDelay) / speed(&m.Pace))
	}
	return p
}

// repeatFinal repeats or removes the unit that says that the stream is complete,
// as the wire asks. Lines of JSON have no such unit: it is a word of event
// streams.
func repeatFinal(units []Unit, w *scenarios.Wire) []Unit {
	last := len(units) - 1
	if w.Format == "ndjson" {
		return slices.DeleteFunc(slices.Clone(units), func(u Unit) bool { return u.Final })
	}
	if w.Done == nil || last < 0 || !units[last].Final {
		return units
	}
	final := units[last]
	units = units[:last:last]
	for range *w.Done {
		units = append(units, final)
	}
	return units
}

// frames are the frames of the units that send something or wait at a hold.
func (s *Stream) frames(units []Unit, due []time.Duration, r *rand.Rand) ([]player.Frame, error) {
	framer, err := newFramer(&s.Manner.Wire, &s.Options, r)
	if err != nil {
		return nil, err
	}
	frames := make([]player.Frame, 0, len(units))
	for i := range units {
		u := &units[i]
		if u.sends() && !u.framed {
			one := *u
			framer.frame(&one)
			u = &one
		}
		frames = u.addFrame(frames, due[i], u.piece)
	}
	return frames, nil
}

// addFrame adds the unit's frame to others, if it sends something or waits at a hold.
func (u *Unit) addFrame(frames []player.Frame, due time.Duration, piece player.Filling) []player.Frame {
	if u.Hold == "" && !u.sends() {
		return frames
	}
	frames = append(frames, player.Frame{Due: due, Hold: u.Hold, Step: u.Step, Kind: u.Kind})
	if u.Hold == "" {
		f := &frames[len(frames)-1]
		f.Bytes, f.ID, f.Piece = u.frame, u.eventID, piece
	}
	return frames
}

// afterDone adds what the wire sends when everything is said, unless the stream
// ends before that, and takes the last blank line away if the wire has none.
func afterDone(frames []player.Frame, w *scenarios.Wire, stop cutoff, render Render) ([]player.Frame, error) {
	if len(frames) == 0 {
		return frames, nil
	}
	last := &frames[len(frames)-1]
	switch {
	case isFalse(w.FinalNewline):
		last.Bytes = last.Bytes.WithoutLastLine().WithoutLastLine()
	case isFalse(w.FinalBlank):
		last.Bytes = last.Bytes.WithoutLastLine()
	}
	if !sendsAfterDone(w, stop) {
		return frames, nil
	}
	text, err := render(*w.AfterDone)
	if err != nil {
		return nil, err
	}
	frames = append(frames, player.Frame{Due: last.Due, Step: last.Step, Kind: kindRaw})
	frames[len(frames)-1].Bytes = player.Literal([]byte(text))
	return frames, nil
}

// sendsAfterDone reports whether something is sent when everything is said.
func sendsAfterDone(w *scenarios.Wire, stop cutoff) bool {
	return w.AfterDone != nil && (stop.units < 0 || stop.rune)
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

// kindRaw is the kind of bytes that no surface speaks.
const kindRaw = "raw"
