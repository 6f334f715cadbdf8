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

// Options are the inputs of a compilation beside the units.
type Options struct {
	Manner      scenarios.Manner
	FromMessage bool   // FromMessage says that the units were derived from a message.
	Render      Render // Render renders the manner's templates.
	// Repeats are the texts that are too large to hold in memory, by their holes.
	Repeats  map[hole.ID]hole.Repeat
	Complete func(ojson.Path) ojson.Path // Complete returns the full path for a path that damage names.
}

// Request holds the inputs of a program that can differ from request to request.
type Request struct {
	Gzip bool // Gzip says that the client accepts gzip.
	// Rand draws line ends and places to split at; Chance decides about damage and
	// endings.
	Rand, Chance *rand.Rand
	Pauses       Pauses
	// Values fill the holes where the bytes must be known (see Bytewise), and hold the
	// pieces of runs.
	Values *player.Values
	// After is the id of the event after which the stream continues; "" for a stream
	// from its start. It needs Values.
	After string
}

// Bytewise reports whether the manner needs the very bytes of a stream, so that each
// request needs a program of its own.
func Bytewise(m *scenarios.Manner) bool {
	return m.Wire.Split != nil || m.Wire.Gzip != "" || m.Wire.Drip > 0 || len(m.Damage) > 0 ||
		m.End.Kind == scenarios.EndCut || m.End.Byte != nil || m.End.Chance != nil || endsInside(m.End) || m.End.InsideRune
}

// Stream is the units of a stream of events, framed as far as possible without a
// request. It is immutable.
type Stream struct {
	Options
	units []Unit
	runs  bool // runs says that there are units which stand for several.
	// framesPerRequest says that the frames depend on the number of units before them,
	// which the request decides.
	framesPerRequest bool

	// simple says that nothing needs the units of runs one by one: there is no early
	// ending, no damage and no option that needs the bytes.
	simple bool
	loops  bool // loops says that there are units which are sent several times.
}

// NewStream frames the units. The error is that of a template of the manner, or says
// that there are too many units.
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
		u.JSON, u.Event = ojson.Value{}, sse.Event{} // the frame holds both now
	}
	return s, nil
}

// HasRuns reports whether the number of frames depends on the request.
func (s *Stream) HasRuns() bool { return s.runs }

// Program makes the program of a request. Without runs, and where the bytes need not be
// known, all requests get the same one, apart from random pauses.
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

// arrange is [Stream.Program] for streams that are simple or have loops. It puts the
// frames of runs in their places.
func (s *Stream) arrange(r Request) (*player.Program, error) {
	stop := cutoffOf(s.Manner.End, s.units, s.FromMessage)
	units, _ := truncate(s.units, stop)
	p := newProgram(&s.Manner, s.Manner.End)
	p.Frames = make([]player.Frame, 0, len(units)+1)
	// Resuming and coalescing need each frame of a run by itself.
	inLoops := r.After == "" && s.Manner.Wire.Coalesce < 2
	times := newScheduler(&s.Manner.Pace, r.Pauses)
	add := func(u *Unit, gap *time.Duration, piece player.Filling) {
		due := times.next(u, gap)
		p.Frames = u.addFrame(p.Frames, due, piece)
		p.Ending.Due = due
		if u.Hold != "" { // due times start again after a hold
			p.Ending.Due = 0
		}
	}
	loopFrom := 0 // loopFrom is the first frame of the current loop
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

// newProgram returns a program without frames.
func newProgram(m *scenarios.Manner, end scenarios.End) *player.Program {
	p := &player.Program{Ending: playerEnding(end)}
	if m.Wire.HeaderDelay != nil {
		p.HeaderDelay = time.Duration(float64(*m.Wire.HeaderDelay) / speed(&m.Pace))
	}
	return p
}

// repeatFinal sends the unit that completes the stream as often as wire.done says.
// Lines of JSON have no such unit: only event streams have it.
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

// frames makes the frames of the units that send something or wait at a hold.
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

// addFrame appends the unit's frame, if it sends something or waits at a hold.
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

// afterDone appends what the wire sends after the end of the answer, unless the stream
// ends earlier. It removes the last blank line if the wire has none.
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

// sendsAfterDone reports whether the wire sends anything after the end of the answer.
func sendsAfterDone(w *scenarios.Wire, stop cutoff) bool {
	return w.AfterDone != nil && (stop.units < 0 || stop.rune)
}

// coalesce sends every n events in one write, when the last of them is due. A hold ends
// a write.
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

// kindRaw is the kind of bytes that the author wrote.
const kindRaw = "raw"
