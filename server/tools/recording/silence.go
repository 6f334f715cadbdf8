package recording

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"
)

// errSilent is the cause of the cancellation.
var errSilent = errors.New("the upstream was silent for longer than the timeout")

// silenceWatch cancels a request whose upstream is silent for too long. Its timer runs from the
// request to the header of the answer, except while the client is still sending the
// request, and then during each read of the body.
type silenceWatch struct {
	ctx    context.Context //nolint:containedctx // The cause of the request's context says whether the watch fired.
	cancel context.CancelCauseFunc
	limit  time.Duration
	timer  *time.Timer

	mu     sync.Mutex
	header bool // header says that the header of the answer came.
}

// watchSilence returns a context that ends when the upstream is silent for longer than limit; a
// negative limit is none.
func watchSilence(parent context.Context, limit time.Duration) (context.Context, *silenceWatch) {
	if limit < 0 {
		limit = math.MaxInt64
	}
	ctx, cancel := context.WithCancelCause(parent)
	return ctx, &silenceWatch{ctx: ctx, cancel: cancel, limit: limit, timer: time.AfterFunc(limit, func() { cancel(errSilent) })}
}

// hasFired reports whether the watch has cancelled the request.
func (s *silenceWatch) hasFired() bool { return errors.Is(context.Cause(s.ctx), errSilent) }

// stop is called when the request is over.
func (s *silenceWatch) stop() {
	s.timer.Stop()
	s.cancel(nil)
}

// headerCame stops the timer for the header.
func (s *silenceWatch) headerCame() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.header = true
	s.timer.Stop()
}

// client is called before a read from the client, and after it, when the read is over.
func (s *silenceWatch) client(over bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.header:
	case over:
		s.timer.Reset(s.limit)
	default:
		s.timer.Stop()
	}
}
