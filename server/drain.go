package server

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
)

// WaitIdle waits until no request is being answered, or returns the reason why
// ctx ended. A client that stops reading at [DONE] is ahead of the server by a
// moment: after WaitIdle the journal is complete.
func (s *Server) WaitIdle(ctx context.Context) error { return s.active.Wait(ctx) }

// Drain lets readyz answer 503, so that those who ask send no more requests here;
// all others are answered as before.
func (s *Server) Drain() { s.draining.Store(true) }

// Shutdown lets open streams go on for at most [Config.DrainTimeout], and not
// longer than ctx lasts, and then ends them. From its call on readyz answers 503.
// To stop accepting connections is the caller's business: see
// [net/http.Server.Shutdown]. It returns an error if streams had to be ended.
// After it, the server answers every request with 503.
//
// Handlers of ended streams have a second to say goodbye to their clients, and a
// tenth of one when ctx is over. Shutdown does not wait longer for a handler that
// is busy with something else; [Server.Close] does.
func (s *Server) Shutdown(ctx context.Context) error {
	s.draining.Store(true)
	timed, cancel := context.WithTimeout(ctx, s.config.DrainTimeout)
	defer cancel()
	err := s.active.Wait(timed)
	cut := s.active.Count()
	s.end()
	s.awaitFarewells(ctx)
	if err != nil && cut > 0 {
		return fmt.Errorf("%d answers were ended before they were complete", cut)
	}
	return nil
}

// hurriedGrace is how long handlers have to let go of their streams when nobody
// wants to wait any more.
const hurriedGrace = 100 * time.Millisecond

// awaitFarewells waits for the handlers of streams that were ended: for as long as
// a client may take to read its shutdown event, or not that long if ctx ends.
func (s *Server) awaitFarewells(ctx context.Context) {
	timed, cancel := context.WithTimeout(ctx, shutdownGrace+hurriedGrace)
	defer cancel()
	if s.ended(timed) == nil || ctx.Err() == nil {
		return
	}
	hurried, cancel := context.WithTimeout(context.WithoutCancel(ctx), hurriedGrace)
	defer cancel()
	_ = s.ended(hurried)
}

// ended waits until no request is being answered, no answer is made in the
// background, and no WebSocket connection is left.
func (s *Server) ended(ctx context.Context) error {
	return cmp.Or(s.active.Wait(ctx), s.running.Wait(ctx), s.sessions.Wait(ctx))
}

// closeGrace bounds how long Close waits for a handler that writes to something
// that knows no deadlines, or computes.
const closeGrace = 5 * time.Second

// Close ends all open streams at once and waits until their handlers have let go
// of them, for five seconds at most from the first call on. It may be called more
// than once, but not by a handler.
func (s *Server) Close() {
	s.draining.Store(true)
	s.end()
	s.closeOnce.Do(func() { s.closeBy = time.Now().Add(closeGrace) })
	ctx, cancel := context.WithDeadline(context.Background(), s.closeBy)
	defer cancel()
	_ = s.ended(ctx)
}

// end ends all open streams.
func (s *Server) end() {
	s.endServing(errClosed)
	s.spans.Close()
	s.listeners.CancelUp()
}

// shutdownGrace is how long a client may take to read a shutdown event, or what
// was sent before it.
const shutdownGrace = time.Second

// sendShutdown sends the answer's shutdown event if the server shuts down, after
// the rest of the event that the stream stands in. It reports whether the body can
// end as it should.
func (x *exchange) sendShutdown(a *answer.Answer, out *sink, report *player.Report) bool {
	if len(a.Shutdown) == 0 || report.Inside || a.Program.Ending.Refuses() || !x.span.Closed() {
		return false
	}
	last := append(a.Program.Rest(report.Pieces, a.Values), a.Shutdown...)
	_, err := out.Write(last)
	return err == nil
}
