// Package compile turns the units that a surface speaks into a program. It gives them
// due times, damages them, frames them as server-sent events, and cuts them where the
// scenario ends early. It knows nothing of any API.
package compile

import (
	"math/rand/v2"
	"slices"
	"strings"
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
	FromMessage bool                        // FromMessage says that the units were derived from a message.
	Render      Render                      // Render renders the manner's templates.
	Complete    func(ojson.Path) ojson.Path // Complete returns the full path for a path that damage names.
	Number      string                      // Number is the member that numbers events; "" for none.
	Sample      *player.Values              // Sample has values of the holes, for [Places]; nil if they are not known.
}

// Request holds the inputs of a program that can differ from request to request.
type Request struct {
	Gzip bool // Gzip says that the client accepts gzip.
	// Rand draws line ends and places to split at; Chance decides about damage and
	// endings.
	Rand, Chance *rand.Rand
	Pauses       Pauses
	// Values fill the holes where the bytes must be known (see Bytewise), and hold the
	// pieces of series.
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
	units     []Unit
	hasSeries bool // hasSeries says that the number of frames depends on the request.
	// framesPerRequest says that the frames depend on the number of units before them,
	// which the request decides.
	framesPerRequest bool
	narrows          bool // narrows says that the wire of a step is for one of events whose number the request decides.
	styled           bool // styled says that the JSON of a unit has another layout than the values of holes.
	// keepsSeries says that nothing needs the pieces of a series one by one, so that one
	// frame stands for all of them.
	keepsSeries bool
}

// NewStream frames the units. The error is that of a template of the manner.
func NewStream(units []Unit, o Options) (*Stream, error) {
	w := &o.Manner.Wire
	s := &Stream{Options: o, units: repeatFinal(units, w), hasSeries: hasSeries(units)}
	s.narrows = s.hasSeries && slices.ContainsFunc(units, func(u Unit) bool { return u.Wire != nil && strings.HasSuffix(u.Wire.Frames, "]") })
	if !s.narrows {
		s.units = narrowed(s.units)
	}
	s.styled = slices.ContainsFunc(units, func(u Unit) bool { return u.Wire != nil && u.Wire.JSONStyle != nil })
	s.framesPerRequest = s.styled || s.narrows || len(o.Manner.Damage) > 0 || w.Newline == "mixed" || s.hasSeries && (hasIDs(w.IDs) || isTrue(w.BOM) || w.Retry != nil)
	s.keepsSeries = s.hasSeries && !s.framesPerRequest && o.Manner.End.Kind == "" && !Bytewise(&o.Manner) &&
		w.Coalesce < 2 && !isFalse(w.FinalBlank) && pausesAreEven(units, &o.Manner.Pace)
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

// PerRequest reports whether each request needs a program of its own.
func (s *Stream) PerRequest() bool { return s.hasSeries || s.styled || Bytewise(&s.Manner) }

// Program makes the program of a request. Without series, and where the bytes need not be
// known, all requests get the same one, apart from random pauses.
func (s *Stream) Program(r Request) (*player.Program, error) {
	m := &s.Manner
	units := s.units
	if !s.keepsSeries || r.After != "" {
		units = expandSeries(units, r.Values)
	}
	if s.narrows {
		units = narrowed(units)
	}
	d := &draws{rand: r.Chance}
	end := d.ending(m.End)
	if len(m.Damage) > 0 || s.styled {
		units = fillUnits(units, r.Values, true)
	}
	if len(m.Damage) > 0 {
		units = d.damage(units, m.Damage, s.Complete)
	}
	stop := cutoffOf(end, units, s.FromMessage)
	units, inside := truncate(units, stop)
	p := newProgram(m, end)
	var err error
	if p.Frames, err = s.frames(units, p, r); err != nil {
		return nil, err
	}
	if n := len(p.Frames); n > 0 && isFalse(m.Wire.FinalBlank) {
		p.Frames[n-1].Bytes = p.Frames[n-1].Bytes.WithoutLastLine()
	}
	coalesce(p.Frames, m.Wire.Coalesce)
	known := framesUntil(r.After, p.Frames)
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

// frames makes the frames of the units that send something or wait at a hold, and sets
// when the program ends.
func (s *Stream) frames(units []Unit, p *player.Program, r Request) ([]player.Frame, error) {
	var framer *framer
	if s.framesPerRequest {
		var err error
		if framer, err = newFramer(&s.Manner.Wire, &s.Options, r.Rand); err != nil {
			return nil, err
		}
	}
	times := newScheduler(&s.Manner.Pace, r.Pauses)
	frames := make([]player.Frame, 0, len(units)+1) // one more for what is sent after the end
	for i := range units {
		u := &units[i]
		if framer != nil && u.sends() {
			one := *u
			framer.frame(&one)
			u = &one
		}
		if u.Series != 0 {
			frames = u.addSeries(frames, times, r.Values.Series(u.Series))
		} else {
			frames = u.addFrame(frames, times.dueTime(u))
		}
	}
	p.Ending.Due = times.now
	return frames, nil
}

// addFrame appends the unit's frame, if it sends something or waits at a hold.
func (u *Unit) addFrame(frames []player.Frame, due time.Duration) []player.Frame {
	if u.Hold == "" && !u.sends() {
		return frames
	}
	frames = append(frames, player.Frame{Due: due, Hold: u.Hold, Step: u.Step, Kind: u.Kind})
	if u.Hold == "" {
		f := &frames[len(frames)-1]
		f.Bytes, f.ID, f.Piece = u.frame, u.eventID, u.piece
	}
	return frames
}

// addSeries appends one frame for all pieces of the unit's series.
func (u *Unit) addSeries(frames []player.Frame, times *scheduler, pieces hole.Pieces) []player.Frame {
	if pieces.Len() == 0 {
		return frames
	}
	frames = u.addFrame(frames, times.dueTime(u))
	frames[len(frames)-1].Series = &player.Series{Pieces: pieces, Every: times.skipPieces(u, pieces.Len()-1)}
	return frames
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
		for i := range group {
			frames[i].Due = frames[group-1].Due
		}
		frames = frames[max(1, group):] // without the hold that ends a write of none
	}
}

// framesUntil counts the frames up to the last one with the id, which the client has
// already. It is 0 for a client that begins, and for an unknown id.
func framesUntil(id string, frames []player.Frame) int {
	if id == "" {
		return 0
	}
	for i, f := range slices.Backward(frames) {
		if f.ID == id {
			return i + 1
		}
	}
	return 0
}

// resume drops the first n frames. The others keep the bytes that they have in the
// whole stream. The first of them is due at once; the others keep their distances.
func resume(p *player.Program, n int, v *player.Values) {
	var sent []byte
	for i := range p.Frames[:n] {
		sent = p.Frames[i].Append(sent[:0], v) // the padding of the others follows from what this draws
	}
	p.Frames = slices.Clone(p.Frames[n:])
	passed := p.Ending.Due
	if len(p.Frames) > 0 {
		passed = p.Frames[0].Due
	}
	for i := range p.Frames {
		p.Frames[i].Due -= passed
		if p.Frames[i].Hold != "" {
			return // later times start again at the hold
		}
	}
	p.Ending.Due = max(0, p.Ending.Due-passed)
}

// Shutdown returns the bytes of the units as events that end a stream when the server
// shuts down. They have no numbers, because the stream can be anywhere.
func Shutdown(units []Unit, o Options, r Request) ([]byte, error) {
	w := o.Manner.Wire
	w.IDs, w.Retry, w.BOM = nil, nil, nil
	framer, err := newFramer(&w, &o, r.Rand)
	if err != nil {
		return nil, err
	}
	var all []byte
	for _, u := range expandSeries(units, r.Values) {
		framer.frame(&u)
		frame := player.Frame{Bytes: u.frame, Piece: u.piece}
		all = frame.Append(all, r.Values)
	}
	return all, nil
}

// Body compiles an answer in one piece. It is sent when the stream of these units would
// have ended, holds included; without units it is sent at once. Damage sees one frame,
// the body.
func Body(units []Unit, body Unit, o *Options, r Request) *player.Program {
	d := &draws{rand: r.Chance}
	m := &o.Manner
	end := d.ending(m.End)
	p := newProgram(m, end)
	units = expandSeries(units, r.Values)
	if len(units) == 0 {
		units = []Unit{body}
	}
	due := schedule(units, &m.Pace, r.Pauses)
	var sent []Unit // holds, then the body
	for i, u := range units {
		if u.Hold != "" {
			sent = append(sent, u)
			p.Frames = append(p.Frames, player.Frame{Due: due[i], Hold: u.Hold, Step: u.Step, Kind: u.Kind})
		}
	}
	if !endsBefore(end) {
		body.Step = units[len(units)-1].Step
		bodies := []Unit{body}
		if len(m.Damage) > 0 {
			bodies = d.damage(fillUnits(bodies, r.Values, false), m.Damage, o.Complete)
		}
		for i := range bodies {
			f := bodies[i].bodyFrame(m.Wire.JSONStyle)
			f.Due = due[len(due)-1]
			p.Frames = append(p.Frames, f)
		}
		sent = slices.Concat(sent, bodies)
	}
	if Bytewise(m) {
		resolveBytes(p, sent, stopInBody(end), r.Values, d)
		limit := noCutoff.bytes
		if end.Byte != nil {
			limit = *end.Byte
		}
		encodeBytes(p, limit, m, &r)
	}
	p.Chance = d.outcomes
	return p
}

// bodyFrame frames the unit as an answer in one piece. By default JSON is written over
// several lines.
func (u *Unit) bodyFrame(style *scenarios.JSONStyle) player.Frame {
	f := player.Frame{Step: u.Step, Kind: u.Kind}
	if u.Raw != nil {
		f.Bytes = player.Literal([]byte(*u.Raw))
		return f
	}
	s := BodyStyle(style)
	json := s.Append(nil, u.JSON)
	if s.Indent != "" && u.FinalNewline {
		json = append(json, '\n')
	}
	heads := player.Heads{One: true}
	f.Bytes = heads.NewTemplate(json, json)
	return f
}

// BodyStyle is the JSON layout of an answer in one piece: indented, unless the scenario
// names another.
func BodyStyle(s *scenarios.JSONStyle) ojson.Style {
	if s == nil {
		return ojson.Style{Indent: "  "}
	}
	return Style(s)
}

// endsBefore reports whether the ending comes before the body, so that nothing of it is
// sent: a stall or reset inside a stream, or a cut before its first frame.
func endsBefore(e scenarios.End) bool {
	if e.All || e.Byte != nil || e.InsideRune || endsInside(e) {
		return e.Kind == scenarios.EndRefuse
	}
	switch e.Kind {
	case scenarios.EndStall, scenarios.EndReset, scenarios.EndRefuse:
		return true
	case scenarios.EndCut:
		return e.After != nil && *e.After <= 0
	}
	return false
}

// stopInBody is the cutoff of an ending inside the body: in its middle, or inside a
// character.
func stopInBody(e scenarios.End) cutoff {
	s := noCutoff
	s.inside, s.rune = endsInside(e) && e.Byte == nil, e.InsideRune
	if s.rune {
		s.units = 0
	}
	return s
}
