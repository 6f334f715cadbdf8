package socket

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fakeopenai/fakeopenai/server/internal/neterr"
)

// Conn is a connection that is watched: it counts what goes over it and notices
// how the client leaves. The methods that requests call at their beginning can be
// called on a nil Conn, that of a server which knows no connections.
type Conn struct {
	net.Conn
	listener *Listener // listener accepted it; nil if only the HTTP server knows it.

	requests atomic.Int64 // requests counts the requests that came over it so far.
	open     atomic.Int64 // open counts the requests that are being answered.
	written  atomic.Int64 // written counts the bytes that it took.
	// onReuse is why the next request gets no answer; nil if it gets one.
	onReuse atomic.Pointer[string]

	gathers bool               // gathers says that what is written waits.
	waiting *[maxGathered]byte // waiting begins with what waits to be written; nil is nothing.
	waits   int                // waits is how many bytes wait.

	gone   chan struct{} // gone is closed when the client has left.
	mu     sync.Mutex    // guards what follows
	left   Departure     // left is how the client left.
	leftAt time.Time     // leftAt is when the client left.
	closed bool          // closed says that this side has closed it.
	rest   int64         // rest is how many bytes waited on this side when it was closed.
}

func newConn(c net.Conn, l *Listener) *Conn {
	return &Conn{Conn: c, listener: l, gone: make(chan struct{})}
}

// Read notices the end of what the client sends: net/http reads on while it
// answers.
func (c *Conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	switch {
	case err == nil:
	case errors.Is(err, io.EOF):
		c.leave(Closed)
	case neterr.IsReset(err):
		c.leave(Reset)
	}
	return n, err
}

// Write implements [net.Conn].
func (c *Conn) Write(p []byte) (int, error) {
	if c.gathers || c.waiting != nil {
		return c.writeTogether(p)
	}
	return c.write(p)
}

// write counts the bytes that it writes. Of its errors only one says how the client
// left: EPIPE follows a FIN as well as a reset.
func (c *Conn) write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.written.Add(int64(n))
	if neterr.IsReset(err) {
		c.leave(Reset)
	}
	return n, err
}

// Close closes the connection. net/http does so when a write fails, before
// anybody could ask what is left in the socket.
func (c *Conn) Close() error {
	rest := c.Unsent()
	c.mu.Lock()
	c.closed, c.rest = true, rest
	c.mu.Unlock()
	if c.listener != nil {
		c.listener.forget(c)
	}
	return c.Conn.Close()
}

// Written is how many bytes the connection took so far; of a nil Conn that is 0.
func (c *Conn) Written() int64 {
	if c == nil {
		return 0
	}
	return c.written.Load()
}

// Unsent is how many bytes wait on this side of the connection, or did when it
// was closed; 0 where that cannot be known. A connection in memory tells by its
// method Unread.
func (c *Conn) Unsent() int64 {
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
func (c *Conn) CloseWrite() error {
	if w, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return w.CloseWrite()
	}
	return nil
}

// SetLinger is [net.TCPConn.SetLinger], where the connection has it.
func (c *Conn) SetLinger(seconds int) error {
	if l, ok := c.Conn.(interface{ SetLinger(int) error }); ok {
		return l.SetLinger(seconds)
	}
	return nil
}

// NetConn is the connection that is watched.
func (c *Conn) NetConn() net.Conn { return c.Conn }

// Accepted reports whether the connection came from a [Listener], so that all its
// bytes are counted.
func (c *Conn) Accepted() bool { return c.listener != nil }

// BeginRequest counts a request as being answered, until [Conn.EndRequest]. A nil
// Conn counts nothing.
func (c *Conn) BeginRequest() {
	if c != nil {
		c.open.Add(1)
	}
}

// EndRequest counts a request as answered.
func (c *Conn) EndRequest() {
	if c != nil {
		c.open.Add(-1)
	}
}

// NumberRequest counts a request that came over the connection: 1 for the first.
// A nil Conn knows of no other.
func (c *Conn) NumberRequest() int64 {
	if c == nil {
		return 1
	}
	return c.requests.Add(1)
}

// CloseOnReuse lets the next request on the connection have no answer, for that
// reason.
func (c *Conn) CloseOnReuse(reason string) { c.onReuse.Store(&reason) }

// ClosesOnReuse reports whether [Conn.CloseOnReuse] was called.
func (c *Conn) ClosesOnReuse() bool { return c.onReuse.Load() != nil }

// Refusal says why a request on this connection gets no answer; "" is that it
// gets one.
func (c *Conn) Refusal() string {
	if c == nil {
		return ""
	}
	if reason := c.onReuse.Load(); reason != nil {
		return *reason
	}
	if c.listener != nil && c.listener.isDown() {
		return "the server is down"
	}
	return ""
}

// connKey is the key of a request's Conn in its context.
type connKey struct{}

// NewContext is ctx for the requests that come over a connection: [ConnOf] finds
// the connection in it. A connection that did not come from a [Listener] is
// watched as far as that is possible from outside.
func NewContext(ctx context.Context, c net.Conn) context.Context {
	watched := find(c)
	if watched == nil {
		watched = newConn(c, nil)
	}
	return context.WithValue(ctx, connKey{}, watched)
}

// ConnOf is the connection that a request came over, or nil if its context has
// none.
func ConnOf(ctx context.Context) *Conn {
	c, _ := ctx.Value(connKey{}).(*Conn)
	return c
}

// find is the Conn below a connection, which may be TLS; nil if there is none.
func find(c net.Conn) *Conn {
	for {
		switch w := c.(type) {
		case *Conn:
			return w
		case interface{ NetConn() net.Conn }:
			c = w.NetConn()
		default:
			return nil
		}
	}
}
