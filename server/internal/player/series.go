package player

import (
	"iter"
	"time"

	"github.com/fakeopenai/fakeopenai/server/internal/hole"
)

// Series says that a frame is sent once for each piece of a text, which fills hole.Piece.
type Series struct {
	Pieces hole.Pieces   // Pieces are the pieces, at least one.
	Every  time.Duration // Every is the time between two of them.
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
	sent    int    // sent is how many pieces of the series at this position next has returned.
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
	c.piece.Piece = NewFilling(f.Series.Pieces.At(c.sent))
	due := f.Due + time.Duration(c.sent)*f.Series.Every
	if c.sent++; c.sent == f.Series.Pieces.Len() {
		c.at, c.sent = c.at+1, 0
	}
	return c.piece, due
}
