package fakeopenai

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Await waits until a stream has reached the hold of that name: all that stands
// before it in the scenario has been sent. It fails the test, in whose goroutine
// it must be called, if no scenario has such a hold, if a request that nothing
// answers comes in place of the one awaited, if no request comes for a while (see
// [WithPatience]), or when the test's time is nearly up.
func (s *Server) Await(hold string) {
	s.tb.test.Helper()
	ctx, stop := s.waitContext()
	defer stop()
	ctx, stopQuiet := s.whileNotQuiet(ctx)
	defer stopQuiet()
	if err := s.core.Await(ctx, hold); err != nil {
		s.tb.test.Fatalf("fakeopenai: Await: %v", err)
	}
}

// whileNotQuiet is a context that also ends when no request has come for a while and
// none is being answered.
func (s *Server) whileNotQuiet(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	var watching sync.WaitGroup
	watching.Go(func() {
		for {
			quiet := time.NewTimer(s.patience)
			select {
			case <-ctx.Done():
				quiet.Stop()
				return
			case <-quiet.C:
				if s.quiet() {
					cancel(fmt.Errorf("no request came for %s", s.patience))
				}
			}
		}
	})
	return ctx, func() { cancel(nil); watching.Wait() }
}

// Release lets the streams go on that wait at the hold of that name. If none
// does yet, the next one to come passes. It fails the test, in whose goroutine it
// must be called, if no scenario has such a hold.
func (s *Server) Release(hold string) {
	s.tb.test.Helper()
	s.requireHold(hold)
	s.core.Release(hold)
}

// requireHold fails the test at a hold that no scenario has: the stream that
// should go on never would.
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

// waitContext is the context of one wait: it ends when waiting has no point any
// more. It also ends shortly before go test would kill the process, with a
// twentieth of the time left to say why. A bubble of synctest cannot be asked for
// a deadline; there it ends when nothing else can happen.
func (s *Server) waitContext() (context.Context, context.CancelFunc) {
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

// bubbleLimit is how long a wait lasts in a bubble of synctest. Its clock gets
// there as soon as nobody does anything and no earlier time is waited for.
const bubbleLimit = 10 * 365 * 24 * time.Hour

// inBubble reports whether the calling goroutine runs in a bubble of synctest: the
// clock of a bubble begins with the year 2000.
func inBubble() bool {
	year := time.Now().Year()
	return 2000 <= year && year < 2020
}
