package server

import (
	"context"
	"fmt"
	"time"
)

// Idle waits until no request is being answered, or returns the reason why ctx
// ended. A client that stops reading at [DONE] is ahead of the server by a
// moment: after Idle the journal is complete.
func (s *Server) Idle(ctx context.Context) error { return s.active.wait(ctx) }

// Shutdown lets open streams go on for at most [Config.DrainTimeout], and not
// longer than ctx lasts, and then ends them. From its call on readyz answers 503.
// To stop accepting connections is the caller's business: see
// [net/http.Server.Shutdown]. It returns an error if streams had to be ended.
// After it, the server answers every request with 503.
func (s *Server) Shutdown(ctx context.Context) error {
	s.draining.Store(true)
	ctx, cancel := context.WithTimeout(ctx, s.config.DrainTimeout)
	defer cancel()
	err := s.active.wait(ctx)
	cut := s.active.count()
	s.Close()
	if err != nil && cut > 0 {
		return fmt.Errorf("%d answers were ended before they were complete", cut)
	}
	return nil
}

// closeGrace bounds how long Close waits for a handler that writes to something
// that knows no deadlines.
const closeGrace = 5 * time.Second

// Close ends all open streams at once and waits until their handlers have let go
// of them. It may be called more than once, but not by a handler.
func (s *Server) Close() {
	s.draining.Store(true)
	s.end(errClosed)
	s.doors.stopTimer()
	ctx, cancel := context.WithTimeout(context.Background(), closeGrace)
	defer cancel()
	_ = s.active.wait(ctx)
}
