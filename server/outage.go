package server

import (
	"context"
	"net"
	"time"

	"github.com/fakeopenai/fakeopenai/server/internal/admin"
	"github.com/fakeopenai/fakeopenai/server/internal/socket"
)

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
