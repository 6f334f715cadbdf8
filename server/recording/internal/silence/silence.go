// Package silence ends requests whose upstream is silent for too long.
package silence

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Err is why an answer has no rest, or why there is none at all.
var Err = errors.New("the upstream was silent for longer than the timeout")

// Watch ends a request whose upstream is silent for too long. It counts from the
// request to the header of its answer, but not while the client is slow to send the
// request, and then while a piece of the body is awaited.
type Watch struct {
	ctx    context.Context //nolint:containedctx // it is the request's, whose cause says what ended it
	cancel context.CancelCauseFunc
	limit  time.Duration

	mu     sync.Mutex
	timer  *time.Timer // timer is nil where there is no limit.
	header bool        // header says that the answer's header came.
}

// Start is a context that ends when the upstream is silent for longer than a
// limit; one that is negative is none.
func Start(parent context.Context, limit time.Duration) (context.Context, *Watch) {
	ctx, cancel := context.WithCancelCause(parent)
	s := &Watch{ctx: ctx, cancel: cancel, limit: limit}
	if limit >= 0 {
		s.timer = time.AfterFunc(limit, func() { cancel(Err) })
	}
	return ctx, s
}

// Fired reports whether the request was ended.
func (s *Watch) Fired() bool { return errors.Is(context.Cause(s.ctx), Err) }

// Begin begins to count.
func (s *Watch) Begin() {
	if s.timer != nil {
		s.timer.Reset(s.limit)
	}
}

// End ends the counting.
func (s *Watch) End() {
	if s.timer != nil {
		s.timer.Stop()
	}
}

// Stop is called when the request is over.
func (s *Watch) Stop() {
	s.End()
	s.cancel(nil)
}

// HeaderCame ends the counting up to the header.
func (s *Watch) HeaderCame() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.header = true
	s.End()
}

// WaitForClient is called before the client is waited for, and [Watch.ClientSent] after it.
func (s *Watch) WaitForClient() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.header {
		s.End()
	}
}

// ClientSent is called when the client sent what was waited for.
func (s *Watch) ClientSent() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.header {
		s.Begin()
	}
}
