package server

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/fakeopenai/fakeopenai/server/internal/admin"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/internal/socket"
)

// WaitIdle waits until no request is being answered, or returns the cause of ctx's end.
// A client that stops reading at [DONE] may be a moment ahead of the server: after
// WaitIdle the journal is complete.
func (s *Server) WaitIdle(ctx context.Context) error { return s.active.wait(ctx) }

// Drain lets readyz answer 503, so that load balancers send no more requests. Everything
// else is answered as before.
func (s *Server) Drain() { s.draining.Store(true) }

// Shutdown lets open streams go on until [Config.DrainTimeout] has passed or ctx ends,
// and then ends them. The error says how many it ended. readyz answers 503 from its call
// on, and every request gets a 503 after it. The caller stops accepting connections: see
// [net/http.Server.Shutdown].
//
// Ended streams have a second to send their shutdown events, or a tenth of one if ctx has
// ended. Shutdown does not wait longer for a handler that is busy with something else;
// [Server.Close] does.
func (s *Server) Shutdown(ctx context.Context) error {
	s.draining.Store(true)
	timed, cancel := context.WithTimeout(ctx, s.config.DrainTimeout)
	defer cancel()
	err := s.active.wait(timed)
	cut := s.active.count()
	s.end()
	s.awaitFarewells(ctx)
	if err != nil && cut > 0 {
		return fmt.Errorf("answers that were ended before they were complete: %d", cut)
	}
	return nil
}

// hurriedGrace is how long Shutdown waits for handlers after its context has ended.
const hurriedGrace = 100 * time.Millisecond

// awaitFarewells waits for the handlers of ended streams: a little longer than a client may
// take to read its shutdown event, or hurriedGrace from the end of ctx.
func (s *Server) awaitFarewells(ctx context.Context) {
	timed, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownGrace+hurriedGrace)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(hurriedGrace, cancel) })
	defer stop()
	_ = s.awaitIdle(timed)
}

// awaitIdle waits until no request is being answered, no response is being made in the
// background, and no WebSocket connection is open.
func (s *Server) awaitIdle(ctx context.Context) error {
	return cmp.Or(s.active.wait(ctx), s.running.wait(ctx), s.sessions.wait(ctx))
}

// closeGrace bounds how long Close waits for a handler that computes, or writes to a
// connection without deadlines.
const closeGrace = 5 * time.Second

// Close ends all open streams at once and waits until their handlers return, until five
// seconds after the first call of Close. It may be called more than once, but not by a
// handler.
func (s *Server) Close() {
	s.draining.Store(true)
	s.end()
	s.closeOnce.Do(func() { s.closeBy = time.Now().Add(closeGrace) })
	ctx, cancel := context.WithDeadline(context.Background(), s.closeBy)
	defer cancel()
	_ = s.awaitIdle(ctx)
}

func (s *Server) end() {
	s.endServing(errClosed)
	s.listeners.CancelUp()
}

// shutdownGrace is how long a client may take to read a shutdown event and what was sent
// before it.
const shutdownGrace = time.Second

// sendShutdown sends the answer's shutdown event if the server shuts down, after the rest
// of an event of which some pieces are sent. It reports whether the body can end properly.
func (x *exchange) sendShutdown(a *answer.Answer, report *player.Report) bool {
	if len(a.Shutdown) == 0 || report.Inside || a.Program.Ending.Refuses() || !x.closed() {
		return false
	}
	_, err := x.Write(append(a.Program.Rest(report.Pieces, a.Values), a.Shutdown...), &player.Write{Frames: report.Frames, Step: report.Step})
	return err == nil
}

// openCount counts requests, connections and the like that are open. The zero value is at 0.
// Its methods may be called at the same time.
type openCount struct {
	mu   sync.Mutex    // guards what follows
	n    int           // n is the count.
	idle chan struct{} // idle is closed when n falls to 0; nil while nobody waits.
}

// enter adds one to the count, until leave.
func (c *openCount) enter() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
}

func (c *openCount) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n--
	if c.n == 0 && c.idle != nil {
		close(c.idle)
		c.idle = nil
	}
}

// wait waits until the count is 0, or returns the cause of ctx's end.
func (c *openCount) wait(ctx context.Context) error {
	c.mu.Lock()
	if c.n == 0 {
		c.mu.Unlock()
		return nil
	}
	if c.idle == nil {
		c.idle = make(chan struct{})
	}
	idle := c.idle
	c.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (c *openCount) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

// Watch wraps a listener, so that the server knows of each accepted connection how many
// requests it served and how its client left. Serve the listener that it returns in place
// of l, together with [Server.ConnContext]:
//
//	front := &http.Server{Handler: fake, ConnContext: fake.ConnContext}
//	err := front.Serve(fake.Watch(l))
//
// Watch also makes [Server.Down] possible, for listeners of TCP and Unix sockets and for
// those that have a method Refuse(bool).
//
// The address of the listener tells the server whether other machines can reach it; see
// [Config.AdminToken].
func (s *Server) Watch(l net.Listener) net.Listener {
	if addr := l.Addr(); admin.IsExposed(addr) {
		s.own().Bind(addr)
	}
	return s.listeners.Watch(l)
}

// ConnContext is for [net/http.Server.ConnContext]: it tells the server over which
// connection a request came. Together with [Server.Watch] it makes the delivery report
// exact. Without it the server answers 501 to a scenario with
// wire.connection: close_on_reuse; all else works without both.
func (s *Server) ConnContext(ctx context.Context, c net.Conn) context.Context {
	return socket.NewContext(ctx, c)
}

// ErrNoListener is the error of [Server.Down] and [Server.Up] if [Server.Watch] was never
// called.
var ErrNoListener = admin.ErrNoListener

// Down refuses connections until [Server.Up], as if the server did not run: dials get
// ECONNREFUSED. Idle connections are closed; a connection with an open stream is closed
// when another request comes over it. Open streams go on. A second Down does nothing.
func (s *Server) Down() error {
	if s.listeners.Empty() {
		return ErrNoListener
	}
	return s.listeners.Down()
}

// Up accepts connections again, at the same address. The error says why the server cannot
// listen there. A second Up does nothing.
func (s *Server) Up() error {
	if s.listeners.Empty() {
		return ErrNoListener
	}
	return s.listeners.Up()
}

// DownFor is [Server.Down], and [Server.Up] after the time d. If another program has taken
// the address by then, the server tries again until it can listen.
func (s *Server) DownFor(d time.Duration) error {
	if err := s.Down(); err != nil {
		return err
	}
	s.listeners.UpAfter(d, func(err error) bool {
		if s.serving.Err() != nil {
			return false
		}
		s.config.Logger.Error("cannot accept connections again, trying on", "error", err)
		return true
	})
	return nil
}
