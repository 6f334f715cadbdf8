// Package socket wraps the listeners and connections of a server. A wrapped connection
// counts its requests and the bytes that it took, and notices how its client left. A
// wrapped listener can refuse connections for a while. The package knows nothing of HTTP.
package socket

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Conn wraps a connection: it counts requests and bytes, and notices how the client leaves.
// A server without [NewContext] does not know its connections and has a nil Conn for each
// request: BeginRequest, EndRequest, Refusal and Written allow that.
type Conn struct {
	net.Conn
	listener *Listener // listener accepted the connection; nil if it came from another one.

	requests atomic.Int64 // requests counts the requests that came over the connection.
	open     atomic.Int64 // open counts the requests that are being answered.
	written  atomic.Int64 // written counts the bytes that the connection took.
	// onReuse is the reason why the next request gets no answer; nil if it gets one.
	onReuse atomic.Pointer[string]

	tears time.Duration // tears is the pause between the parts of a write that is torn: see Tear.

	gathers bool               // gathers says that written bytes wait for LetGo: see Gather.
	waiting *[maxGathered]byte // waiting begins with the bytes that wait; nil if none do.
	waits   int                // waits is the number of bytes that are written and not yet sent.

	gone   chan struct{} // gone is closed when the client has left.
	mu     sync.Mutex    // guards what follows
	left   Departure     // left is how the client left.
	leftAt time.Time     // leftAt is when the client left.
	closed bool          // closed says that this side has closed the connection.
	rest   int64         // rest is how many bytes waited on this side when it was closed.
}

func newConn(c net.Conn, l *Listener) *Conn {
	return &Conn{Conn: c, listener: l, gone: make(chan struct{})}
}

// Read also notices when the client closes or resets the connection. net/http reads from
// the connection even while a handler runs.
func (c *Conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	switch {
	case err == nil:
	case errors.Is(err, io.EOF):
		c.leave(Closed)
	case IsReset(err):
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

// Tear lets each write leave in three parts, with a pause after each, so that the client's reads end
// inside HTTP's own framing; with a pause of 0 it leaves as a whole. Only the goroutine that writes calls it.
func (c *Conn) Tear(pause time.Duration) { c.tears = pause }

func (c *Conn) write(p []byte) (int, error) {
	if c.tears > 0 && len(p) > 3 {
		return c.writeTorn(p[:1], p[1:len(p)/2], p[len(p)/2:])
	}
	return c.writePart(p)
}

func (c *Conn) writeTorn(parts ...[]byte) (n int, err error) {
	for _, part := range parts {
		written, err := c.writePart(part)
		if n += written; err != nil {
			return n, err
		}
		select {
		case <-time.After(c.tears):
		case <-c.gone:
		}
	}
	return n, nil
}

// writePart also counts the bytes. Of its errors only ECONNRESET says how the client left:
// EPIPE follows a FIN as well as a reset.
func (c *Conn) writePart(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.written.Add(int64(n))
	if IsReset(err) {
		c.leave(Reset)
	}
	return n, err
}

// Close closes the connection. Before, it records the bytes not sent yet, because net/http
// closes a connection when a write fails, before the handler can call Unsent.
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

// Written is how many bytes the connection took so far; 0 for a nil Conn.
func (c *Conn) Written() int64 {
	if c == nil {
		return 0
	}
	return c.written.Load()
}

// Unsent is how many written bytes this machine has not sent, or had not when the
// connection was closed. It is 0 where that is not known. A connection in memory has the
// number as its method Unread.
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

// Packets is how many TCP packets with data this machine has sent on the connection so far; 0 where that is
// not known, and for a nil Conn.
func (c *Conn) Packets() int {
	if c == nil {
		return 0
	}
	return socketPackets(c.Conn)
}

// CloseWrite closes only the writing side, if the connection can. net/http calls it so that
// a client that is still sending can read an early answer.
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

// NetConn returns the wrapped connection.
func (c *Conn) NetConn() net.Conn { return c.Conn }

// Accepted reports whether a [Listener] accepted the connection. If not, net/http writes to
// the connection below it, and Written counts nothing.
func (c *Conn) Accepted() bool { return c.listener != nil }

// BeginRequest counts a request on the connection, as open until [Conn.EndRequest], and returns its
// number: 1 for the first, and always 1 on a nil Conn.
func (c *Conn) BeginRequest() (number int64) {
	if c == nil {
		return 1
	}
	c.open.Add(1)
	return c.requests.Add(1)
}

// EndRequest ends what [Conn.BeginRequest] began.
func (c *Conn) EndRequest() {
	if c != nil {
		c.open.Add(-1)
	}
}

// CloseOnReuse lets [Conn.Refusal] return the reason from now on.
func (c *Conn) CloseOnReuse(reason string) { c.onReuse.Store(&reason) }

// ClosesOnReuse reports whether [Conn.CloseOnReuse] was called.
func (c *Conn) ClosesOnReuse() bool { return c.onReuse.Load() != nil }

// Refusal is the reason why a request on this connection gets no answer; "" if it gets one.
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

type connKey struct{}

// NewContext returns a context for the requests that come over a connection, in which
// [ConnOf] finds its Conn. A connection that no [Listener] accepted gets a Conn that counts
// requests, but no bytes.
func NewContext(ctx context.Context, c net.Conn) context.Context {
	watched := find(c)
	if watched == nil {
		watched = newConn(c, nil)
	}
	return context.WithValue(ctx, connKey{}, watched)
}

// ConnOf returns the Conn of the connection over which a request came; nil if its context
// has none.
func ConnOf(ctx context.Context) *Conn {
	c, _ := ctx.Value(connKey{}).(*Conn)
	return c
}

// find returns the Conn that a connection, such as one of TLS, wraps; nil if there is none.
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

// maxGathered is the most bytes that wait.
const maxGathered = 16 << 10

// gathered is a pool of buffers; a connection has one while bytes wait.
var gathered = sync.Pool{New: func() any { return new([maxGathered]byte) }}

// Gather lets written bytes wait until the first write after [Conn.LetGo], and leave with
// that: net/http writes an answer in parts of 4 KiB, and two writes to the kernel take
// longer than the rest of a small answer. The goroutine that calls Gather must write again
// after LetGo, and no other goroutine may write.
func (c *Conn) Gather() { c.gathers = true }

// LetGo ends [Conn.Gather]. The next write sends what waits.
func (c *Conn) LetGo() { c.gathers = false }

// writeTogether appends p to the bytes that wait, and writes them unless c gathers. If p
// does not fit, it writes both at once.
func (c *Conn) writeTogether(p []byte) (int, error) {
	before := c.waits
	if before+len(p) > maxGathered {
		if _, err := c.writeWaiting(); err != nil {
			return 0, err
		}
		return c.write(p)
	}
	if c.waiting == nil {
		c.waiting = gathered.Get().(*[maxGathered]byte)
	}
	c.waits += copy(c.waiting[before:], p)
	if c.gathers {
		return len(p), nil
	}
	n, err := c.writeWaiting()
	return max(0, n-before), err
}

func (c *Conn) writeWaiting() (n int, err error) {
	if c.waiting == nil {
		return 0, nil
	}
	n, err = c.write(c.waiting[:c.waits])
	gathered.Put(c.waiting)
	c.waiting, c.waits = nil, 0
	return n, err
}

// IsReset reports whether the peer has reset the connection. Windows has error numbers of its own: its sockets never return
// [syscall.ECONNRESET] and the like.
func IsReset(err error) bool { return isOneOf(err, reset) }

// IsBroken reports whether a write failed because the connection had ended before.
func IsBroken(err error) bool { return isOneOf(err, broken) }

// IsRefused reports whether a dial failed because nobody listens at the address.
func IsRefused(err error) bool { return isOneOf(err, refused) }

// IsInUse reports whether listening failed because another socket listens at the address.
func IsInUse(err error) bool { return isOneOf(err, inUse) }

func isOneOf(err error, list []error) bool {
	return slices.ContainsFunc(list, func(e error) bool { return errors.Is(err, e) })
}
