// Package player plays programs: it writes frames of bytes to a sink, each when it is
// due. It knows neither HTTP nor the API that the frames belong to.
package player

import "time"

// Program is an answer compiled for one kind of request. It is immutable and shared by
// all streams that play it; the bytes that differ between streams are in their [Values].
type Program struct {
	// HeaderDelay is the pause before the header is sent.
	HeaderDelay time.Duration
	Frames      []Frame
	// Due has the due times of all frames, and replaces those in the frames; nil replaces
	// none. Programs with a series have none.
	Due    []time.Duration
	Ending Ending   // Ending is what happens after the last frame.
	Chance []string // Chance is what chance decided in this program, in words.
}

// Frame is bytes that are due at one time, or a hold.
type Frame struct {
	// Due counts from the start of the stream or, if there is a hold before the frame, from
	// when the stream passed it.
	Due time.Duration
	// MinGap is the least time between the previous write and this frame, at any speed. If
	// it is not zero, the frame leaves in a write of its own.
	MinGap time.Duration
	// Hold is the name of the hold at which the stream waits from Due on. A frame with a
	// hold has no bytes; "" is a frame without one.
	Hold string
	Step int    // Step is the position in the scenario of the step that made the frame.
	Kind string // Kind is the kind of its event, in the words of its surface.
	ID   string // ID is the id of its event, or "".
	More bool   // More says that the next frame has the rest of the same event.

	Bytes  Template
	Piece  Filling // Piece fills hole.Piece, in a frame with one piece of a text.
	Series *Series // Series is set if the frame is sent for several pieces; else nil.
}

// Append appends the frame's bytes to dst, with their holes filled.
func (f *Frame) Append(dst []byte, v *Values) []byte {
	if f.Piece.json != nil { // other frames have no hole.Piece
		v.piece = f.Piece
	}
	return f.Bytes.Append(dst, v)
}

// FillHoles replaces the holes of the frame by the values that fill them.
func (f *Frame) FillHoles(v *Values) {
	if f.Bytes.HasHoles() {
		v.piece = f.Piece
		f.Bytes = Literal(f.Bytes.Bytes(v))
	}
}

// Rest returns the bytes that complete the current event of a stream that has written so
// many frames with bytes. It is empty if no event is incomplete.
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

// frameBytes is about how much memory a frame takes without its bytes.
const frameBytes = 250

// Size is about how many bytes of memory the program takes. It includes bytes of frames
// that other programs share.
func (p *Program) Size() (n int64) {
	for i := range p.Frames {
		f := &p.Frames[i]
		n += frameBytes + int64(len(f.Bytes.data))
	}
	return n
}

// Ending is what is done with the connection after the last frame.
type Ending struct {
	Kind EndingKind
	Due  time.Duration // Due is when it happens, counted as [Frame.Due] is.
	For  time.Duration // For is how long EndStall and EndLinger last.
	// Authored says that the scenario asks for the ending. An authored ending can be
	// EndOrderly, too: it ends the body early.
	Authored bool
}

// Refuses reports whether the connection ends without an answer, not even a header.
func (e Ending) Refuses() bool { return e.Kind == EndRefuse || e.Kind == EndRefuseReset }

// Breaks reports whether the body ends without its proper end.
func (e Ending) Breaks() bool {
	return e.Kind == EndCut || e.Kind == EndReset || e.Kind == EndStall
}

// EndingKind names an ending of the connection.
type EndingKind uint8

// The endings.
const (
	EndOrderly     EndingKind = iota // EndOrderly ends the body properly.
	EndCut                           // EndCut closes the connection without the body's proper end.
	EndReset                         // EndReset resets the connection.
	EndStall                         // EndStall is silence, then EndCut.
	EndLinger                        // EndLinger is silence, then EndOrderly.
	EndRefuse                        // EndRefuse closes the connection before any answer.
	EndRefuseReset                   // EndRefuseReset resets the connection before any answer.
)
