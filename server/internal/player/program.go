// Package player plays programs: frames of bytes with due times, written to a
// sink. It knows neither HTTP nor the API that the frames belong to.
package player

import "time"

// Program is an answer compiled for one kind of request. It is immutable and
// shared by all the streams that play it; what differs between them is in their
// [Values].
type Program struct {
	HeaderDelay time.Duration // the pause before there is anything of the answer
	Frames      []Frame
	Ending      Ending   // what happens after the last frame
	Chance      []string // what chance decided in this program, in words
}

// Frame is bytes that are due at one time, or a place to wait at.
type Frame struct {
	Due    time.Duration // since the start of the stream, or since the last hold before it was released
	MinGap time.Duration // at least this long after the write before it, whatever the speed; not zero keeps the frame in a write of its own
	Hold   string        // from Due on, wait here until the hold is released; the frame has no bytes then
	Step   int           // position of the step it came from, for reports
	Kind   string        // what it is, in the words of its surface
	ID     string        // of its event, or ""
	More   bool          // the next frame is the rest of the same event

	Bytes Template
	Piece Filling // what fills hole.Piece, in a frame of a run
}

// Append adds the frame's bytes, holes filled in, to dst.
func (f *Frame) Append(dst []byte, v *Values) []byte {
	v.piece = f.Piece
	return f.Bytes.Append(dst, v)
}

// Skip draws from the values what Append would draw.
func (f *Frame) Skip(v *Values) {
	v.piece = f.Piece
	f.Bytes.Skip(v)
}

// FillHoles fills the holes of the frame in for good.
func (f *Frame) FillHoles(v *Values) {
	if f.Bytes.HasHoles() {
		v.piece = f.Piece
		f.Bytes = Literal(f.Bytes.Bytes(v))
	}
}

// Rest is what is missing of an event when that many of the frames with bytes
// are written, and nothing where an event ends there.
func (p *Program) Rest(written int, v *Values) []byte {
	var rest []byte
	inside := false
	for i := range p.Frames {
		f := &p.Frames[i]
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

// Ending is what is done with the connection after the last frame.
type Ending struct {
	Kind     EndingKind
	Due      time.Duration // as that of a frame
	For      time.Duration // how long EndStall and EndLinger last
	Authored bool          // the scenario says how the answer ends, although it may look like any other
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
	EndOrderly     EndingKind = iota // the body ends as it should
	EndCut                           // the connection closes without the body's proper end
	EndReset                         // the connection is reset
	EndStall                         // silence, then EndCut
	EndLinger                        // silence, then EndOrderly
	EndRefuse                        // the connection closes before any answer
	EndRefuseReset                   // the connection is reset before any answer
)
