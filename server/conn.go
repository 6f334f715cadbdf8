package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fakeopenai/fakeopenai/server/internal/neterr"
)

// conn is a connection that the server watches: it counts what goes over it and
// notices how the client leaves.
type conn struct {
	net.Conn
	door *door // where it came in; nil if the caller only has ConnContext

	requests atomic.Int64           // that came over it so far
	open     atomic.Int64           // of them, those that are being answered
	written  atomic.Int64           // bytes that it took
	spent    atomic.Pointer[string] // why the next request on it gets no answer; nil for no reason

	gone   chan struct{} // closed when the client has left
	mu     sync.Mutex    // guards what follows
	left   Left
	leftAt time.Time
	closed bool
	rest   int64 // what waited on this side when it was closed
}

func newConn(c net.Conn, d *door) *conn {
	return &conn{Conn: c, door: d, gone: make(chan struct{})}
}

// Read notices the end of what the client sends: net/http reads on while it
// answers.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	switch {
	case err == nil:
	case errors.Is(err, io.EOF):
		c.leave(LeftFIN)
	case neterr.IsReset(err):
		c.leave(LeftRST)
	}
	return n, err
}

// Write counts. Of its errors only one says how the client left: EPIPE follows a
// FIN as well as a reset.
func (c *conn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.written.Add(int64(n))
	if neterr.IsReset(err) {
		c.leave(LeftRST)
	}
	return n, err
}

// leave notes how the client left. A reset is told to one call only, read or
// write, and the other one sees the end: so it has the last word.
func (c *conn) leave(how Left) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left == "" {
		c.leftAt = time.Now()
		close(c.gone)
	}
	if c.left == "" || how == LeftRST {
		c.left = how
	}
}

// departure is how and when the client left; "" while it is there.
func (c *conn) departure() (Left, time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.left, c.leftAt
}

// Close closes the connection. net/http does so when a write fails, before
// anybody could ask what is left in the socket.
func (c *conn) Close() error {
	rest := c.unsent()
	c.mu.Lock()
	c.closed, c.rest = true, rest
	c.mu.Unlock()
	if c.door != nil {
		c.door.forget(c)
	}
	return c.Conn.Close()
}

// unsent is how many bytes wait on this side of the connection, or did when it
// was closed; 0 where that cannot be known. A connection in memory tells by its
// method Unread.
func (c *conn) unsent() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return c.rest
	}
	if m, ok := c.Conn.(interface{ Unread() int }); ok {
		return int64(m.Unread())
	}
	return socketUnsent(c.Conn)
}

// CloseWrite ends this side's direction only, where the connection can do that.
// net/http asks for it so that a client can still read an early answer.
func (c *conn) CloseWrite() error {
	if w, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return w.CloseWrite()
	}
	return nil
}

// SetLinger is [net.TCPConn.SetLinger], where the connection has it.
func (c *conn) SetLinger(seconds int) error {
	if l, ok := c.Conn.(interface{ SetLinger(int) error }); ok {
		return l.SetLinger(seconds)
	}
	return nil
}

// NetConn is the connection that is watched.
func (c *conn) NetConn() net.Conn { return c.Conn }

// enter counts a request as being answered, until the function that it returns
// is called. A nil conn counts nothing.
func (c *conn) enter() (leave func()) {
	if c == nil {
		return func() {}
	}
	c.open.Add(1)
	return func() { c.open.Add(-1) }
}

// number counts a request that came over the connection: 1 for the first. A nil
// conn knows of no other.
func (c *conn) number() int64 {
	if c == nil {
		return 1
	}
	return c.requests.Add(1)
}

// refusal says why a request on this connection gets no answer; "" is that it
// gets one.
func (c *conn) refusal() string {
	if c == nil {
		return ""
	}
	if reason := c.spent.Load(); reason != nil {
		return *reason
	}
	if c.door != nil && c.door.isDown() {
		return "the server is down"
	}
	return ""
}

// spend lets the next request on the connection have no answer, as a scenario
// asks.
func (c *conn) spend(scenario string) {
	reason := fmt.Sprintf("the connection closes when it is used again: scenario %q says wire.connection: close_on_reuse", scenario)
	c.spent.Store(&reason)
}

// connKey is the key of a request's conn in its context.
type connKey struct{}

// connOf is the connection that a request came over, or nil if the server does
// not know it.
func connOf(ctx context.Context) *conn {
	c, _ := ctx.Value(connKey{}).(*conn)
	return c
}

// watched is the conn below a connection, which may be TLS.
func watched(c net.Conn) *conn {
	for {
		switch w := c.(type) {
		case *conn:
			return w
		case interface{ NetConn() net.Conn }:
			c = w.NetConn()
		default:
			return nil
		}
	}
}

// ConnContext is for [net/http.Server.ConnContext]: it lets the server know which
// connection a request came over. Together with [Server.Listener] it makes the
// delivery report exact. Without both everything is played but
// wire.connection: close_on_reuse, which needs ConnContext.
func (s *Server) ConnContext(ctx context.Context, c net.Conn) context.Context {
	known := watched(c)
	if known == nil {
		known = newConn(c, nil)
	}
	return context.WithValue(ctx, connKey{}, known)
}
