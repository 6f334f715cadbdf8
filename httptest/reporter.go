package fakeopenai

import (
	"sync"
	"testing"
)

// reporter passes errors and log lines on to the test until the test ends. It drops
// later ones, at which the testing package would panic.
type reporter struct {
	test  testing.TB
	atEnd func() // atEnd is called by end.

	mu    sync.Mutex
	ended bool // ended says that the test is over; guarded by mu.
}

// errorf fails the test, from any goroutine.
func (r *reporter) errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.test.Helper()
	if !r.ended {
		r.test.Errorf(format, args...)
	}
}

// logf adds a line to the test's log, from any goroutine.
func (r *reporter) logf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.test.Helper()
	if !r.ended {
		r.test.Logf(format, args...)
	}
}

// Write writes lines of the server's log to the output of the test.
func (r *reporter) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return len(p), nil
	}
	return r.test.Output().Write(p)
}

// end drops everything from now on, and calls atEnd.
func (r *reporter) end() {
	r.mu.Lock()
	r.ended = true
	r.mu.Unlock()
	r.atEnd()
}
