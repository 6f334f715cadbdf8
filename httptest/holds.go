package fakeopenai

import (
	"context"
	"slices"
	"strings"
	"time"
)

// Await waits until a stream has reached the hold of that name; all steps before the
// hold have then been sent. Await fails the test if no scenario has such a hold, if a
// request comes that no scenario answers, if no request comes for a while (see
// [WithPatience]), or shortly before go test's timeout; it must be called in the
// goroutine of the test.
func (s *Server) Await(hold string) {
	s.tb.test.Helper()
	ctx, stop := s.waitContext()
	defer stop()
	if err := s.core.Await(ctx, hold); err != nil {
		s.tb.test.Fatalf("fakeopenai: Await: %v", err)
	}
}

// Release lets the streams that wait at the hold of that name go on. If no stream
// waits there yet, the next one to reach the hold does not stop. Release fails the
// test if no scenario has such a hold; it must be called in the goroutine of the test.
func (s *Server) Release(hold string) {
	s.tb.test.Helper()
	s.requireHold(hold)
	s.core.Release(hold)
}

// requireHold fails the test if no scenario has the hold: with a misspelt name the
// stream would wait forever.
func (s *Server) requireHold(hold string) {
	s.tb.test.Helper()
	holds := s.set.Holds()
	switch {
	case slices.Contains(holds, hold):
	case len(holds) == 0:
		s.tb.test.Fatalf("fakeopenai: Release(%q): no scenario has a hold", hold)
	default:
		s.tb.test.Fatalf("fakeopenai: Release(%q): no scenario has this hold; there are: %s", hold, strings.Join(holds, ", "))
	}
}

// waitContext returns the context of one wait. It ends when nothing moves for as long as the
// patience lasts.
func (s *Server) waitContext() (context.Context, context.CancelFunc) {
	ctx, stop := s.timedContext()
	ctx, end := s.core.Patient(ctx, s.patience)
	return ctx, func() { end(); stop() }
}

// timedContext returns a context that ends with s.waits. It also ends before go test's
// timeout, when a twentieth of the time is left, so that the test can report the reason.
// In a bubble of synctest, where a test has no deadline, it ends when all goroutines of
// the bubble are blocked.
func (s *Server) timedContext() (context.Context, context.CancelFunc) {
	if inBubble() {
		return context.WithTimeoutCause(s.waits, bubbleLimit, errIdle)
	}
	t, ok := s.tb.test.(interface{ Deadline() (time.Time, bool) })
	if !ok || s.memory {
		return context.WithCancel(s.waits)
	}
	end, ok := t.Deadline()
	if !ok {
		return context.WithCancel(s.waits)
	}
	return context.WithDeadlineCause(s.waits, end.Add(-time.Until(end)/20), errLate)
}

// bubbleLimit is how long a wait lasts in a bubble of synctest. The clock of a bubble
// jumps there once all its goroutines are blocked and no earlier timer is set.
const bubbleLimit = 10 * 365 * 24 * time.Hour

// inBubble reports whether the calling goroutine runs in a bubble of synctest: the
// clock of a bubble begins with the year 2000.
func inBubble() bool {
	year := time.Now().Year()
	return 2000 <= year && year < 2020
}
