package fakeopenai

import (
	"sync"
	"testing"
)

// reporter passes words on to the test until it ends. What comes later is
// dropped: the testing package panics at a word after the end of a test.
type reporter struct {
	test  testing.TB
	atEnd func() // called by end

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

// Write takes lines of the server's log.
func (r *reporter) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return len(p), nil
	}
	return r.test.Output().Write(p)
}

// end lets nothing more through.
func (r *reporter) end() {
	r.mu.Lock()
	r.ended = true
	r.mu.Unlock()
	r.atEnd()
}
