package fakeopenai

import (
	"context"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
)

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

// Network is "memory".
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

// announce wakes all waiting goroutines.
func (s *signal) announce() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next != nil {
		close(s.next)
		s.next = nil
	}
}
