package server_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// busy returns a server with a handler that no deadline ends. The handler returns when done
// is called.
func busy(t *testing.T, drain time.Duration) (s *server.Server, done func()) {
	t.Helper()
	going := make(chan struct{})
	r := local(t, hello, server.Config{DrainTimeout: drain, Observe: func(journal.Entry) { <-going }})
	go r.chat(ask)
	synctest.Wait()
	return r.Server, func() { close(going) }
}

// A handler that is still computing does not delay a shutdown beyond the drain timeout.
func TestShutdownEndsWhateverAHandlerDoes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, done := busy(t, 3*time.Second)
		defer done()
		began := time.Now()
		if err := s.Shutdown(t.Context()); err == nil {
			t.Error("Shutdown says that no answer was ended")
		}
		if took := time.Since(began); took < 3*time.Second || took > 4200*time.Millisecond {
			t.Errorf("Shutdown took %v, want the drain timeout of 3s and a second for farewells", took)
		}
	})
}

// Shutdown returns as soon as its context is cancelled, as a second signal does.
func TestShutdownEndsAtOnceWithItsContext(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		after time.Duration
	}{
		{"before it", 0},
		{"while streams may go on", time.Minute},
		{"while farewells are said", time.Hour + 500*time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, done := busy(t, time.Hour)
				defer done()
				ctx, cancel := context.WithTimeout(t.Context(), tt.after)
				defer cancel()
				began := time.Now()
				_ = s.Shutdown(ctx)
				if took := time.Since(began) - tt.after; took > 100*time.Millisecond {
					t.Errorf("Shutdown took %v longer than its context", took)
				}
			})
		})
	}
}

// Close waits for handlers, so that nothing runs after a test. A second Close does not wait
// again.
func TestCloseWaitsForHandlersOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, done := busy(t, time.Hour)
		began := time.Now()
		s.Close()
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("Close waited for %v, want 5s", took)
		}
		s.Close()
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("with a second Close it took %v, want no more", took)
		}
		done()
	})
}
