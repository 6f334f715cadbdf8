package player

import (
	"context"
	"time"
)

// Pause lets the header delay of a program pass. The error is the context's.
func Pause(ctx context.Context, p *Program, speed float64) error {
	if p.HeaderDelay == 0 {
		return nil
	}
	s := stream{ctx: ctx, speed: speed}
	defer s.stopWatching()
	return s.sleep(s.scale(p.HeaderDelay))
}

// tooLate is from when on a stream that woke late sends all that is overdue in one write:
// there are more streams than the processors can serve, and a write for each frame would
// make all of them later still.
const tooLate = 100 * time.Millisecond

// wait sleeps until due, and at least settle. Nothing is pending.
func (s *stream) wait(due, settle time.Duration) error {
	s.now, s.due = due, due
	asleep := time.Since(s.start)
	pause := max(due-asleep, settle)
	if pause <= 0 {
		return nil
	}
	if err := s.sleep(pause); err != nil {
		return err
	}
	if woke := time.Since(s.start); woke-asleep-pause > tooLate {
		s.now = woke
	}
	return nil
}

// sleep sleeps for d, or until the context ends. It waits for the timer alone, which the
// end of the context sets off: a stream sleeps before each of its frames, and to wait for
// either of two takes longer.
func (s *stream) sleep(d time.Duration) error {
	if d <= 0 {
		return nil
	}
	s.returnBuffer()
	if s.timer == nil {
		s.timer = time.NewTimer(d)
		s.unwatch = afterFunc(s.ctx, s.wake)
	} else {
		s.timer.Reset(d)
	}
	if !s.over.Load() { // otherwise the timer was set off before it was set
		<-s.timer.C
	}
	return s.ended()
}

// wake ends the sleep when the context has ended, and the sleeps to come.
func (s *stream) wake() {
	s.over.Store(true)
	s.timer.Reset(0)
}

// ended is the context's error. From the first sleep on the context itself is not asked.
func (s *stream) ended() error {
	if s.unwatch != nil && !s.over.Load() {
		return nil
	}
	return s.ctx.Err()
}

func (s *stream) stopWatching() {
	if s.unwatch != nil {
		s.unwatch()
	}
}

// afterFunc is [context.AfterFunc], without a context of its own where ctx needs none.
func afterFunc(ctx context.Context, f func()) (stop func() bool) {
	if c, ok := ctx.(interface{ AfterFunc(func()) func() bool }); ok {
		return c.AfterFunc(f)
	}
	return context.AfterFunc(ctx, f)
}
