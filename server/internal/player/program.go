// Package player plays programs: it writes frames of bytes to a sink, each when it is
// due. It knows neither HTTP nor the API that the frames belong to.
package player

import (
	"iter"
	"time"

	"github.com/fakeopenai/fakeopenai/server/internal/hole"
)

// Program is an answer compiled for one kind of request. It is immutable and shared by
// all streams that play it; the bytes that differ between streams are in their [Values].
type Program struct {
	// HeaderDelay is the pause before the header is sent.
	HeaderDelay time.Duration
	Frames      []Frame
	// Due has the due times of all frames, and replaces those in the frames; nil replaces
	// none. Programs with a series have none.
	Due    []time.Duration
	Torn   time.Duration // Torn is the pause between the parts in which each write leaves; 0 is for whole writes.
	Ending Ending        // Ending is what happens after the last frame.
	Chance []string      // Chance is what chance decided in this program, in words.
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
	v.due = f.Due
	return f.Bytes.Append(dst, v)
}

// FillHoles replaces the holes of the frame by the values that fill them. The frame is sent after
// this delay, which the clock is ahead.
func (f *Frame) FillHoles(v *Values, after time.Duration) {
	if f.Bytes.HasHoles() {
		v.piece, v.due, v.clockAhead = f.Piece, f.Due, after
		f.Bytes = Literal(f.Bytes.Bytes(v))
		v.clockAhead = 0
	}
}

// AfterHold returns the index of the frame behind the hold with this number, from 1; 0 for the number 0.
func (p *Program) AfterHold(number int) int {
	for i := range p.Frames {
		if number == 0 {
			return i
		}
		if p.Frames[i].Hold != "" {
			number--
		}
	}
	return len(p.Frames)
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

// Ending says how the connection ends after the last frame.
type Ending struct {
	Kind EndingKind
	Due  time.Duration // Due is the time of the ending, counted as [Frame.Due] is.
	For  time.Duration // For is how long EndStall and EndLinger last.
	// Code and Reason are those of the close frame of a WebSocket connection, of an ending that is Authored and
	// EndOrderly; the code is 0 if the scenario says none.
	Code   int
	Reason string
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

	endings // endings is how many there are.
)

var endingNames = [endings]string{
	EndCut: "cut", EndReset: "reset", EndStall: "stall", EndLinger: "linger", EndRefuse: "refuse", EndRefuseReset: "refuse_reset",
}

// String returns the name of the ending; "" for EndOrderly.
func (k EndingKind) String() string { return endingNames[k] }

// Series says that a frame is sent once for each piece of a text, which fills hole.Piece.
type Series struct {
	Pieces hole.Pieces   // Pieces are the pieces, at least one.
	Every  time.Duration // Every is the time between two pieces.
}

// All visits the frames with their due times in the order in which they are played, the
// frame of a series once for each piece.
func (p *Program) All() iter.Seq2[*Frame, time.Duration] {
	return func(yield func(*Frame, time.Duration) bool) {
		c := cursor{program: p}
		for f, due := c.next(); f != nil; f, due = c.next() {
			if !yield(f, due) {
				return
			}
		}
	}
}

// cursor goes through the frames of a program in the order in which they are played. A
// function that calls next needs less stack than one with a loop over [Program.All].
type cursor struct {
	program *Program
	at      int    // at is the position of the next frame.
	sent    int    // sent is the number of pieces of the series at this position that were returned by next.
	piece   *Frame // piece is a copy of a series' frame, with the current piece; nil before the first series.
}

// next returns the next frame and its due time; nil after the last frame.
func (c *cursor) next() (*Frame, time.Duration) {
	if c.at == len(c.program.Frames) {
		return nil, 0
	}
	f, due := &c.program.Frames[c.at], c.program.Frames[c.at].Due
	if f.Series != nil {
		return c.nextPiece(f)
	}
	if c.program.Due != nil {
		due = c.program.Due[c.at]
	}
	c.at++
	return f, due
}

// nextPiece returns the frame of a series with its next piece.
func (c *cursor) nextPiece(f *Frame) (*Frame, time.Duration) {
	if c.piece == nil {
		c.piece = new(Frame)
	}
	if c.sent == 0 {
		*c.piece = *f
	}
	c.piece.Piece = NewFilling(f.Series.Pieces, c.sent)
	due := f.Due + time.Duration(c.sent)*f.Series.Every
	if c.sent++; c.sent == f.Series.Pieces.Len() {
		c.at, c.sent = c.at+1, 0
	}
	return c.piece, due
}
