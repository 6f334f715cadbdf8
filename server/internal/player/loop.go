package player

import (
	"iter"
	"time"

	"github.com/fakeopenai/fakeopenai/server/internal/hole"
)

// Loop says that a frame and the frames before it are sent several times in a row. The
// frame with the Loop is the last of them. All frames of a loop have bytes, and none is a
// piece of an event.
type Loop struct {
	Frames int // Frames is the number of frames in the loop.
	Times  int // Times is how often they are sent, the first time included.
	// Every is the time between two rounds of the loop. If it differs from round to round,
	// Due has the due times of all frames from the second round on.
	Every time.Duration
	Due   []time.Duration
	// Pieces fill hole.Piece, one for each round, if the loop is the one frame of a run.
	Pieces hole.Pieces
}

// All visits the frames with their due times in the order in which they are played, a
// frame of a loop once for each time that it is sent.
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
	played  int    // played counts the frames that next has returned.
	loop    *Loop  // loop is the loop in its second round or later; nil outside of loops.
	again   int    // again counts the rounds of the loop that are over.
	last    int    // last is the position of the loop's last frame.
	piece   *Frame // piece is a copy of a run's frame, with the current piece; nil before the first run.
}

// next returns the next frame and its due time; nil after the last frame.
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

// repeated returns a frame of the current loop for this round, and its due time.
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

// goBack moves from behind the last frame of a loop to its first frame, or ends the loop
// after its last round.
func (c *cursor) goBack(l *Loop) {
	if c.again++; c.again >= l.Times {
		c.loop, c.again = nil, 0
		return
	}
	c.loop, c.last = l, c.at-1
	c.at -= l.Frames
}

// Earlier returns the frame with its due times, and those of its loop, moved back by a
// duration.
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
