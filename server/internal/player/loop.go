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
		if p.Due != nil {
			n, each := 0, yield
			yield = func(f *Frame, _ time.Duration) bool { n++; return each(f, p.Due[n-1]) }
		}
		for i := range p.Frames {
			f := &p.Frames[i]
			if !yield(f, f.Due) || f.Loop != nil && !f.Loop.visit(p.Frames[i+1-f.Loop.Frames:i+1], yield) {
				return
			}
		}
	}
}

// visit visits the frames of the loop after the first time.
func (l *Loop) visit(frames []Frame, yield func(*Frame, time.Duration) bool) bool {
	var one Frame // a run's frame, whose piece differs each time
	if l.Pieces.Len() > 0 {
		one = frames[0]
	}
	for n := range l.Times - 1 {
		for i := range frames {
			due := frames[i].Due + time.Duration(n+1)*l.Every
			if l.Due != nil {
				due = l.Due[n*len(frames)+i]
			}
			f := &frames[i]
			if l.Pieces.Len() > 0 {
				one.Piece, f = pieceFilling(&l.Pieces, n+1), &one
			}
			if !yield(f, due) {
				return false
			}
		}
	}
	return true
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
