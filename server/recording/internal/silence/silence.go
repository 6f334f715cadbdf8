// Package silence cancels requests whose upstream is silent for too long.
package silence

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Err is the cause of the cancellation.
var Err = errors.New("the upstream was silent for longer than the timeout")

// Watch cancels a request whose upstream is silent for too long. Its timer runs from the
// request to the header of the answer, except while the client is still sending the
// request, and then during each read of the body.
type Watch struct {
	ctx    context.Context //nolint:containedctx // The cause of the request's context says whether the Watch fired.
	cancel context.CancelCauseFunc
	limit  time.Duration

	mu     sync.Mutex
	timer  *time.Timer // timer is nil without a limit.
	header bool        // header says that the header of the answer came.
}

// Start returns a context that ends when the upstream is silent for longer than limit; a
// negative limit is none.
func Start(parent context.Context, limit time.Duration) (context.Context, *Watch) {
	ctx, cancel := context.WithCancelCause(parent)
	s := &Watch{ctx: ctx, cancel: cancel, limit: limit}
	if limit >= 0 {
		s.timer = time.AfterFunc(limit, func() { cancel(Err) })
	}
	return ctx, s
}

// Fired reports whether the Watch has cancelled the request.
func (s *Watch) Fired() bool { return errors.Is(context.Cause(s.ctx), Err) }

// Begin starts the timer.
func (s *Watch) Begin() {
	if s.timer != nil {
		s.timer.Reset(s.limit)
	}
}

// End stops the timer.
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

// HeaderCame stops the timer for the header.
func (s *Watch) HeaderCame() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.header = true
	s.End()
}

// WaitForClient is called before a read from the client, and [Watch.ClientSent] after it.
func (s *Watch) WaitForClient() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.header {
		s.End()
	}
}

// ClientSent is called after a read from the client.
func (s *Watch) ClientSent() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.header {
		s.Begin()
	}
}
