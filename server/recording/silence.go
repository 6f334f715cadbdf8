package recording

import (
	"context"
	"errors"
	"sync"
	"time"
)

// errSilent is why an answer has no rest, or why there is none at all.
var errSilent = errors.New("the upstream was silent for longer than the timeout")

// silence ends a request whose upstream is silent for too long. It counts from the
// request to the header of its answer, but not while the client is slow to send the
// request, and then while a piece of the body is awaited.
type silence struct {
	ctx    context.Context //nolint:containedctx // it is the request's, whose cause says what ended it
	cancel context.CancelCauseFunc
	limit  time.Duration

	mu     sync.Mutex
	timer  *time.Timer // timer is nil where there is no limit.
	header bool        // header says that the answer's header came.
}

// watchSilence is a context that ends when the upstream is silent for longer than a
// limit; one that is negative is none.
func watchSilence(parent context.Context, limit time.Duration) (context.Context, *silence) {
	ctx, cancel := context.WithCancelCause(parent)
	s := &silence{ctx: ctx, cancel: cancel, limit: limit}
	if limit >= 0 {
		s.timer = time.AfterFunc(limit, func() { cancel(errSilent) })
	}
	return ctx, s
}

// fired reports whether the request was ended.
func (s *silence) fired() bool { return errors.Is(context.Cause(s.ctx), errSilent) }

// begin begins to count.
func (s *silence) begin() {
	if s.timer != nil {
		s.timer.Reset(s.limit)
	}
}

// end ends the counting.
func (s *silence) end() {
	if s.timer != nil {
		s.timer.Stop()
	}
}

// stop is called when the request is over.
func (s *silence) stop() {
	s.end()
	s.cancel(nil)
}

// headerCame ends the counting up to the header.
func (s *silence) headerCame() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.header = true
	s.end()
}

// waitForClient is called before the client is waited for, and clientSent after it.
func (s *silence) waitForClient() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.header {
		s.end()
	}
}

func (s *silence) clientSent() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.header {
		s.begin()
	}
}
