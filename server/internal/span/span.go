// Package span has the contexts of exchanges. Such a context ends when the client leaves,
// when the server closes, and when the exchange is over.
package span

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
)

// Spans has the spans of all open exchanges. The zero value has none. Its methods may be
// called at the same time.
type Spans struct {
	mu     sync.Mutex // guards what follows
	open   map[*Span]struct{}
	closed bool
}

// Span is a context that ends with the context of its request, when the server closes, and
// when the exchange is over. It allocates nothing until Done or AfterFunc is called.
type Span struct {
	context.Context // Context is that of the request.

	among  *Spans
	closer Closer
	ended  atomic.Bool // ended says that the exchange is over or the server has closed.

	mu      sync.Mutex      // guards what follows
	closed  bool            // closed says that the server closed before the request or the exchange ended.
	waiting context.Context // waiting has the channel of Done; nil until Done is called.
	end     context.CancelFunc
	after   []*func()   // after has the functions of AfterFunc.
	unwatch func() bool // unwatch ends the watch over the request's context; nil if there is none.
}

// Closer is the exchange of a span. ServerCloses is called at most once: when the server
// closes while the exchange is open. It must not wait for the exchange.
type Closer interface{ ServerCloses() }

// Begin begins a span that was never used. The caller must call [Span.End].
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

// Close ends all spans, also those that begin later.
func (s *Spans) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for span := range s.open {
		go span.close() // its closer may be slow
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

// End ends the span, because the exchange is over. ServerCloses is not called after End has
// returned.
func (s *Span) End() {
	s.among.mu.Lock()
	delete(s.among.open, s)
	s.among.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.finish()
}

// finish ends the span: it closes the channel of Done and calls the functions of AfterFunc.
// The caller holds the lock.
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

// callAfter calls the functions of AfterFunc. The caller holds the lock.
func (s *Span) callAfter() {
	for _, f := range s.after {
		go (*f)()
	}
	s.after = nil
}

// Closed reports whether the span ended because the server closed.
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

// AfterFunc calls f in a goroutine of its own when the span ends, unless stop is called
// before. [context.AfterFunc] uses it, too. It needs neither a channel nor a goroutine while
// it waits.
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

// forget removes a function of AfterFunc. It returns false if the function was called.
func (s *Span) forget(f *func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.after, f)
	if i >= 0 {
		s.after = slices.Delete(s.after, i, i+1)
	}
	return i >= 0
}
