// Package player plays programs: frames of bytes with due times, written to a
// sink. It knows neither HTTP nor the API that the frames belong to.
package player

import "time"

// Program is an answer compiled for one kind of request. It is immutable and
// shared by all the streams that play it; what differs between them is in their
// [Values].
type Program struct {
	// HeaderDelay is the pause before there is anything of the answer.
	HeaderDelay time.Duration
	Frames      []Frame
	// Due has the due times of the frames as they are played, those of loops as often as
	// they are sent, in place of those that the frames bear; nil leaves it to these.
	Due    []time.Duration
	Ending Ending   // Ending is what happens after the last frame.
	Chance []string // Chance is what chance decided in this program, in words.
}

// Frame is bytes that are due at one time, or a place to wait at.
type Frame struct {
	// Due is since the start of the stream, or since the last hold before it was
	// released.
	Due time.Duration
	// MinGap is the least time since the write before it, whatever the speed. If
	// it is not zero, the frame leaves in a write of its own.
	MinGap time.Duration
	// Hold is the hold to wait at from Due on, until it is released; the frame
	// has no bytes then.
	Hold string
	Step int    // Step is the position of the step that it came from, for reports.
	Kind string // Kind says what it is, in the words of its surface.
	ID   string // ID is the id of its event, or "".
	More bool   // More says that the next frame is the rest of the same event.
	Loop *Loop  // Loop is not nil for the last frame of a loop.

	Bytes Template
	Piece Filling // Piece is what fills hole.Piece, in a frame of a run.
}

// Append adds the frame's bytes, holes filled in, to dst.
func (f *Frame) Append(dst []byte, v *Values) []byte {
	if f.Piece.json != nil { // no other frame looks at it
		v.piece = f.Piece
	}
	return f.Bytes.Append(dst, v)
}

// Skip draws from the values what Append would draw.
func (f *Frame) Skip(v *Values) {
	v.piece = f.Piece
	f.Bytes.Skip(v)
}

// FillHoles fills the holes of the frame for good.
func (f *Frame) FillHoles(v *Values) {
	if f.Bytes.HasHoles() {
		v.piece = f.Piece
		f.Bytes = Literal(f.Bytes.Bytes(v))
	}
}

// Rest is the rest of the event inside which a stream stands when that many of
// its frames with bytes are written; it is empty where an event ends there.
func (p *Program) Rest(written int, v *Values) []byte {
	var rest []byte
	inside := false
	for f := range p.All() {
		switch {
		case f.Hold != "":
		case written > 0:
			written--
			inside = f.More
		case !inside:
			return rest
		default:
			rest = f.Append(rest, v)
			inside = f.More
		}
	}
	return rest
}

// frameBytes is about what a frame takes, beside its bytes.
const frameBytes = 250

// Size is about how many bytes of memory the program takes. The bytes of its frames
// count even where they are shared with what it was made of.
func (p *Program) Size() (n int64) {
	for i := range p.Frames {
		f := &p.Frames[i]
		n += frameBytes + int64(len(f.Bytes.data))
		if f.Loop != nil {
			n += 8 * int64(len(f.Loop.Due))
		}
	}
	return n
}

// Ending is what is done with the connection after the last frame.
type Ending struct {
	Kind EndingKind
	Due  time.Duration // Due is when it happens, counted as for a frame.
	For  time.Duration // For is how long EndStall and EndLinger last.
	// Authored says that the scenario asks for the ending, although it may look
	// like any other.
	Authored bool
}

// Refuses reports whether there is no answer at all, not even a header.
func (e Ending) Refuses() bool { return e.Kind == EndRefuse || e.Kind == EndRefuseReset }

// Breaks reports whether the body ends without its proper end.
func (e Ending) Breaks() bool {
	return e.Kind == EndCut || e.Kind == EndReset || e.Kind == EndStall
}

// EndingKind names an ending of the connection.
type EndingKind uint8

// The endings.
const (
	EndOrderly     EndingKind = iota // EndOrderly ends the body as it should.
	EndCut                           // EndCut closes the connection without the body's proper end.
	EndReset                         // EndReset resets the connection.
	EndStall                         // EndStall is silence, then EndCut.
	EndLinger                        // EndLinger is silence, then EndOrderly.
	EndRefuse                        // EndRefuse closes the connection before any answer.
	EndRefuseReset                   // EndRefuseReset resets the connection before any answer.
)
