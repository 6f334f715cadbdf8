package player

import (
	"iter"
	"time"

	"github.com/fakeopenai/fakeopenai/server/internal/hole"
)

// Loop says that the frames before the frame that bears it, and that frame itself, are
// sent several times in a row. They have bytes, and no pieces of events.
type Loop struct {
	Frames int // Frames is how many frames are sent in turn.
	Times  int // Times is how often they are sent, the first time included.
	// Every is how much later than the time before each frame is due. If that differs,
	// Due has the due times of all frames after those of the first time.
	Every time.Duration
	Due   []time.Duration
	// Pieces are what fills hole.Piece each time, for a loop of one frame that stands for
	// a run. It has as many as Times.
	Pieces hole.Pieces
}

// All visits the frames as they are played, those of loops as often as they are sent,
// with their due times.
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

// cursor goes through the frames of a program as they are played. A function that calls
// one keeps less on its stack than the body of a loop over [Program.All].
type cursor struct {
	program *Program
	at      int    // at is the position of the frame that is next.
	played  int    // played counts the frames that there were so far.
	loop    *Loop  // loop is what is sent again; nil while nothing is.
	again   int    // again counts how often it was sent.
	last    int    // last is the position of the loop's last frame.
	piece   *Frame // piece is a run's frame with the piece that it has this time; nil before the first.
}

// next is the next frame and when it is due; nil is that there is none.
func (c *cursor) next() (*Frame, time.Duration) {
	if c.at == len(c.program.Frames) {
		return nil, 0
	}
	f := &c.program.Frames[c.at]
	due := f.Due
	loop := f.Loop
	if c.loop != nil {
		f, due = c.repeated(f)
	}
	if c.program.Due != nil {
		due = c.program.Due[c.played]
	}
	c.played++
	c.at++
	if loop != nil {
		c.goBack(loop)
	}
	return f, due
}

// repeated is a frame of the loop that is sent again, and when it is due.
func (c *cursor) repeated(f *Frame) (*Frame, time.Duration) {
	l, due := c.loop, f.Due+time.Duration(c.again)*c.loop.Every
	if l.Due != nil {
		due = l.Due[c.again*l.Frames-1-c.last+c.at]
	}
	if l.Pieces.Len() > 0 {
		if c.piece == nil {
			c.piece = new(Frame)
		}
		*c.piece = *f
		c.piece.Piece = pieceFilling(&l.Pieces, c.again)
		f = c.piece
	}
	return f, due
}

// goBack goes back from behind the last frame of a loop to its first, if it is to be sent
// once more.
func (c *cursor) goBack(l *Loop) {
	if c.again++; c.again >= l.Times {
		c.loop, c.again = nil, 0
		return
	}
	c.loop, c.last = l, c.at-1
	c.at -= l.Frames
}

// Earlier is the frame with due times that lie so much earlier.
func (f Frame) Earlier(by time.Duration) Frame {
	f.Due -= by
	if f.Loop != nil && f.Loop.Due != nil {
		l := *f.Loop
		l.Due = make([]time.Duration, len(f.Loop.Due))
		for i, due := range f.Loop.Due {
			l.Due[i] = due - by
		}
		f.Loop = &l
	}
	return f
}
