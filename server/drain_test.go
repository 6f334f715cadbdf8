package server_test

import (
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
