// Package span says how long exchanges last: each until its client leaves, the server
// closes, or it is over.
package span

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
)

// Spans are those of the exchanges that are open. The zero value has none. Its methods
// may be called at the same time.
type Spans struct {
	mu     sync.Mutex // guards what follows
	open   map[*Span]struct{}
	closed bool
}

// Span is a context that ends with that of its request, and when the server closes. Until
// somebody waits for its end it costs next to nothing.
type Span struct {
	context.Context // is the request's.

	among  *Spans
	closer Closer
	ended  atomic.Bool // ended says that the exchange is over or the server closed.

	mu      sync.Mutex      // guards what follows
	closed  bool            // closed says that the server closed before the request or the exchange ended.
	waiting context.Context // waiting ends with the span; nil until somebody waits for that.
	end     context.CancelFunc
	after   []*func()   // after are called when the span ends.
	unwatch func() bool // unwatch stops the call at the end of the request; nil until there is one.
}

// Closer is told when the server closes, once, while its exchange is open. It must not
// wait for the exchange.
type Closer interface{ ServerCloses() }

// Begin begins a span that was never used. [Span.End] must follow.
func (s *Spans) Begin(span *Span, request context.Context, closer Closer) {
	span.Context, span.among, span.closer = request, s, closer
	s.mu.Lock()
	closed := s.closed
	if s.open == nil {
		s.open = map[*Span]struct{}{}
	}
	s.open[span] = struct{}{}
	s.mu.Unlock()
	if closed {
		span.close()
	}
}

// Close ends all spans, and those that begin later.
func (s *Spans) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for span := range s.open {
		go span.close() // whose closer may take its time
	}
}

func (s *Span) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended.Load() || s.Context.Err() != nil {
		return
	}
	s.closed = true
	s.finish()
	s.closer.ServerCloses()
}

// End says that the exchange is over. When it returns, its closer is not told of
// anything any more.
func (s *Span) End() {
	s.among.mu.Lock()
	delete(s.among.open, s)
	s.among.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.finish()
}

// finish ends what waits for the end. The caller holds the lock.
func (s *Span) finish() {
	s.ended.Store(true)
	if s.end != nil {
		s.end()
	}
	if s.unwatch != nil {
		s.unwatch()
	}
	s.callAfter()
}

// callAfter calls what waits for the end by AfterFunc. The caller holds the lock.
func (s *Span) callAfter() {
	for _, f := range s.after {
		go (*f)()
	}
	s.after = nil
}

// Closed reports whether it was the server that ended the span, by closing.
func (s *Span) Closed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// Err implements [context.Context].
func (s *Span) Err() error {
	if err := s.Context.Err(); err != nil || !s.ended.Load() {
		return err
	}
	return context.Canceled
}

// Done implements [context.Context].
func (s *Span) Done() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting == nil {
		s.waiting, s.end = context.WithCancel(s.Context)
		if s.ended.Load() {
			s.end()
		}
	}
	return s.waiting.Done()
}

// AfterFunc is what [context.AfterFunc] asks contexts for: it calls f in a goroutine of its
// own when the span ends, unless stop is called before. To wait so takes neither a channel
// nor a goroutine.
func (s *Span) AfterFunc(f func()) (stop func() bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Err() != nil {
		go f()
		return func() bool { return false }
	}
	if s.unwatch == nil {
		s.unwatch = context.AfterFunc(s.Context, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.callAfter()
		})
	}
	s.after = append(s.after, &f)
	return func() bool { return s.forget(&f) }
}

// forget takes back what AfterFunc was to call. False says that it is called already.
func (s *Span) forget(f *func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.after, f)
	if i >= 0 {
		s.after = slices.Delete(s.after, i, i+1)
	}
	return i >= 0
}
