package fakeopenai

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// memBuffer is the size in bytes of the buffer of one direction. When it is full,
// writes block.
const memBuffer = 64 << 10

// memConn is one end of a connection in memory. Unlike the connections of [net.Pipe]
// it has a buffer and can be reset.
type memConn struct {
	in, out *memFlow
	local   memAddr
	remote  memAddr

	mu     sync.Mutex
	linger int // linger is the value of SetLinger; 0 makes Close a reset; guarded by mu.
}

func newMemPipe() (client, server *memConn) {
	up, down := newMemFlow(), newMemFlow()
	client = &memConn{in: down, out: up, local: "client", remote: "server", linger: -1}
	server = &memConn{in: up, out: down, local: "server", remote: "client", linger: -1}
	return client, server
}

// Read reads what the other end wrote. One Read never returns bytes of two writes, so
// that a reader sees a stream split as it was written. After a reset it first returns
// the bytes that had arrived, then ECONNRESET.
func (c *memConn) Read(p []byte) (int, error) {
	n, err := c.in.read(p)
	return n, c.wrap("read", err)
}

// Write blocks while the buffer is full.
func (c *memConn) Write(p []byte) (int, error) {
	n, err := c.out.write(p)
	return n, c.wrap("write", err)
}

// SetLinger with 0 makes Close reset the connection, as [net.TCPConn.SetLinger] does.
// Other values have no effect.
func (c *memConn) SetLinger(seconds int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.linger = seconds
	return nil
}

// Unread is how many written bytes the other end has not read.
func (c *memConn) Unread() int {
	c.out.mu.Lock()
	defer c.out.mu.Unlock()
	return c.out.size
}

// Close ends both directions. Further calls do nothing.
func (c *memConn) Close() error {
	c.mu.Lock()
	reset := c.linger == 0
	c.mu.Unlock()
	c.out.endWriting(reset)
	c.in.endReading(reset)
	return nil
}

// LocalAddr names this end.
func (c *memConn) LocalAddr() net.Addr { return c.local }

// RemoteAddr names the other end.
func (c *memConn) RemoteAddr() net.Addr { return c.remote }

// SetDeadline sets both deadlines.
func (c *memConn) SetDeadline(t time.Time) error {
	c.in.setDeadline(&c.in.readBy, t)
	c.out.setDeadline(&c.out.writeBy, t)
	return nil
}

// SetReadDeadline also ends a read that already waits.
func (c *memConn) SetReadDeadline(t time.Time) error {
	c.in.setDeadline(&c.in.readBy, t)
	return nil
}

// SetWriteDeadline also ends a write that already waits.
func (c *memConn) SetWriteDeadline(t time.Time) error {
	c.out.setDeadline(&c.out.writeBy, t)
	return nil
}

// wrap wraps errors as the net package wraps those of a socket.
func (c *memConn) wrap(op string, err error) error {
	switch err {
	case nil, io.EOF:
		return err
	case syscall.ECONNRESET, syscall.EPIPE:
		err = os.NewSyscallError(op, err)
	}
	return &net.OpError{Op: op, Net: "memory", Source: c.local, Addr: c.remote, Err: err}
}

// dialRefused is the error of a dial to a server that is closed or down.
func dialRefused(network string) error {
	err := os.NewSyscallError("connect", syscall.ECONNREFUSED)
	return &net.OpError{Op: "dial", Net: network, Addr: memAddr("server"), Err: err}
}

// memFlow is one direction of a connection: a bounded buffer. Goroutines wait on a
// condition variable, so that they count as blocked in a synctest bubble.
type memFlow struct {
	mu      sync.Mutex
	changed *sync.Cond  // changed is broadcast after a change of the fields below.
	writes  [][]byte    // writes are the bytes of each write that were not read yet, the oldest first.
	size    int         // size is the number of bytes in writes.
	written bool        // written says that the writing end was closed.
	unread  bool        // unread says that the reading end was closed.
	reset   bool        // reset says that one of the ends was closed by a reset.
	readBy  memDeadline // readBy is the deadline of reads.
	writeBy memDeadline // writeBy is the deadline of writes.
}

func newMemFlow() *memFlow {
	f := &memFlow{}
	f.changed = sync.NewCond(&f.mu)
	return f
}

func (f *memFlow) read(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for {
		switch {
		case f.unread:
			return 0, net.ErrClosed
		case f.readBy.expired:
			return 0, os.ErrDeadlineExceeded
		case f.size > 0 || len(p) == 0:
			return f.copyOldest(p), nil
		case f.reset:
			return 0, syscall.ECONNRESET
		case f.written:
			return 0, io.EOF
		}
		f.changed.Wait()
	}
}

// copyOldest moves bytes of the oldest write in the buffer to p.
func (f *memFlow) copyOldest(p []byte) int {
	if len(p) == 0 {
		return 0
	}
	n := copy(p, f.writes[0])
	f.size -= n
	if f.writes[0] = f.writes[0][n:]; len(f.writes[0]) == 0 {
		f.writes = f.writes[1:]
	}
	f.changed.Broadcast()
	return n
}

func (f *memFlow) write(p []byte) (n int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for {
		switch {
		case f.written:
			return n, net.ErrClosed
		case f.reset:
			return n, syscall.ECONNRESET
		case f.unread:
			return n, syscall.EPIPE
		case f.writeBy.expired:
			return n, os.ErrDeadlineExceeded
		case len(p) == 0:
			return n, nil
		}
		if room := min(memBuffer-f.size, len(p)); room > 0 {
			f.writes = append(f.writes, bytes.Clone(p[:room]))
			f.size += room
			n, p = n+room, p[room:]
			f.changed.Broadcast()
			continue
		}
		f.changed.Wait()
	}
}

func (f *memFlow) endWriting(reset bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.written {
		f.written, f.reset = true, f.reset || reset
		f.changed.Broadcast()
	}
}

func (f *memFlow) endReading(reset bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.unread {
		f.unread, f.reset = true, f.reset || reset
		f.changed.Broadcast()
	}
}

// memDeadline is the deadline of reads or of writes. Its fields are guarded by the
// mutex of the memFlow.
type memDeadline struct {
	timer   *time.Timer
	expired bool
}

// setDeadline sets the deadline d to t; the zero time is no deadline.
func (f *memFlow) setDeadline(d *memDeadline, t time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
	left := time.Until(t)
	d.expired = !t.IsZero() && left <= 0
	f.changed.Broadcast()
	if t.IsZero() || d.expired {
		return
	}
	var timer *time.Timer
	timer = time.AfterFunc(left, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if d.timer == timer { // The deadline was not changed in the meantime.
			d.expired = true
			f.changed.Broadcast()
		}
	})
	d.timer = timer
}

// memHost is the host name of a server in memory. Another client fails to resolve it,
// and its error message then contains the hint. The top level domain invalid is
// reserved (RFC 2606), so that the name can never exist.
const memHost = "use-fake-client.invalid"

// memListener is a listener without a socket: each dial makes a connected pair of
// connections and hands one of them to Accept. It waits on channels only, so that a
// goroutine that waits here counts as blocked in a synctest bubble.
type memListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
	down   atomic.Bool // down says that dials are refused.
}

func newMemListener() *memListener {
	return &memListener{conns: make(chan net.Conn), closed: make(chan struct{})}
}

// Accept waits for the next dial.
func (l *memListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close ends Accept and refuses further dials. Further calls do nothing.
func (l *memListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Refuse sets whether dials are refused.
func (l *memListener) Refuse(down bool) { l.down.Store(down) }

// Addr is the address of every server in memory.
func (l *memListener) Addr() net.Addr { return memAddr("server") }

// dial connects to the listener. For any host but memHost it returns an error, so that
// a client with a wrong base URL reaches neither the network nor this server.
func (l *memListener) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if host, _, err := net.SplitHostPort(addr); err != nil || host != memHost {
		return nil, fmt.Errorf("dial %s: this client reaches only http://%s; point it at the server's BaseURL", addr, memHost)
	}
	if l.down.Load() {
		return nil, dialRefused(network)
	}
	client, server := newMemPipe()
	select {
	case l.conns <- server:
		return client, nil
	case <-l.closed:
		return nil, dialRefused(network)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// memAddr is the address of one end of a connection in memory.
type memAddr string

func (memAddr) Network() string { return "memory" }

// String names the end: client or server.
func (a memAddr) String() string { return string(a) }

// signal wakes goroutines that wait for an event, like a condition variable that can
// be used in a select. The zero signal is ready to use.
type signal struct {
	mu sync.Mutex
	// next is closed by the next announcement; guarded by mu, nil while no goroutine
	// waits.
	next chan struct{}
}

// wait returns a channel that the next announcement closes.
func (s *signal) wait() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == nil {
		s.next = make(chan struct{})
	}
	return s.next
}

func (s *signal) announce() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next != nil {
		close(s.next)
		s.next = nil
	}
}
