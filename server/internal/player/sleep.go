package player

import (
	"context"
	"time"
)

// Pause waits for the header delay of a program. The error is that of ctx.
func Pause(ctx context.Context, p *Program, speed float64) error {
	if p.HeaderDelay == 0 {
		return nil
	}
	s := stream{ctx: ctx, speed: speed}
	err := s.sleep(s.scale(p.HeaderDelay))
	if s.unwatch != nil {
		s.unwatch()
	}
	return err
}

// tooLate is the lateness from which on a stream sends all overdue frames in one write.
// There are more streams then than the processors can serve, and a write for each frame
// would make them even later.
const tooLate = 100 * time.Millisecond

// wait writes the pending frames, and sleeps until due, but at least for settle.
func (s *stream) wait(due, settle time.Duration) error {
	if err := s.flush(); err != nil {
		return err
	}
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

// sleep sleeps for d, or until the context ends. It receives from the timer alone, and the
// end of the context fires the timer: a select on two channels would take longer, and a
// stream sleeps before each of its frames.
func (s *stream) sleep(d time.Duration) error {
	if d <= 0 {
		return nil
	}
	s.returnBuffer()
	if s.timer == nil {
		s.timer = time.NewTimer(d)
		s.unwatch = context.AfterFunc(s.ctx, s.wake)
	} else {
		s.timer.Reset(d)
	}
	if !s.over.Load() { // otherwise wake may have fired the timer before Reset
		<-s.timer.C
	}
	return s.ended()
}

// wake is called when the context has ended. It ends the current sleep and all later ones.
func (s *stream) wake() {
	s.over.Store(true)
	s.timer.Reset(0)
}

// ended returns the error of the context. From the first sleep on it reads over, which is
// faster than the context.
func (s *stream) ended() error {
	if s.unwatch != nil && !s.over.Load() {
		return nil
	}
	return s.ctx.Err()
}
