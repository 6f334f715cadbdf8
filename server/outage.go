package server

import (
	"context"
	"net"
	"time"

	"github.com/fakeopenai/fakeopenai/server/internal/admin"
	"github.com/fakeopenai/fakeopenai/server/internal/socket"
)

// Watch is the listener to serve in the place of l: of the connections that it
// accepts the server knows how many requests each one served and how its client
// left. Use it together with [Server.ConnContext]:
//
//	front := &http.Server{Handler: fake, ConnContext: fake.ConnContext}
//	err := front.Serve(fake.Watch(l))
//
// It also makes [Server.Down] possible, for listeners of TCP and Unix sockets
// and for those that have a method Refuse(bool).
//
// By the listener's address the server knows whether other machines reach it; see
// [Config.AdminToken].
func (s *Server) Watch(l net.Listener) net.Listener {
	s.own.Bind(l.Addr())
	return s.listeners.Watch(l)
}

// ConnContext is for [net/http.Server.ConnContext]: it lets the server know which
// connection a request came over. Together with [Server.Watch] it makes the
// delivery report exact. Without both everything is played but
// wire.connection: close_on_reuse, which needs ConnContext.
func (s *Server) ConnContext(ctx context.Context, c net.Conn) context.Context {
	return socket.NewContext(ctx, c)
}

// ErrNoListener is what [Server.Down] and [Server.Up] return for a server that
// was never given a listener: whether connections are accepted is not its
// business then.
var ErrNoListener = admin.ErrNoListener

// Down refuses connections until [Server.Up], as a server does that is not
// running: dials get ECONNREFUSED. Idle connections are closed, and so are those
// of open streams when they are used again. Streams that are open go on. Down
// twice is down.
func (s *Server) Down() error {
	if s.listeners.Empty() {
		return ErrNoListener
	}
	return s.listeners.Down()
}

// Up accepts connections again, at the same address. The error says why that
// address cannot be had any more. Up twice is up.
func (s *Server) Up() error {
	if s.listeners.Empty() {
		return ErrNoListener
	}
	return s.listeners.Up()
}

// DownFor is [Server.Down] for a while. If the address is taken when the time is
// up, the server tries again until it has it.
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
