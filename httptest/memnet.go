package fakeopenai

import (
	"context"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
)

// memHost is the host under which a server in memory is reached. What another
// client says of it, that there is no such host, is a hint. The top level domain
// invalid is reserved, so the name can never be somebody's.
const memHost = "use-fake-client.invalid"

// memListener is a listener without a socket: each dial makes a pair of
// connected ends and hands one of them to Accept. It is made of channels only,
// so that a wait in it counts as idle in a synctest bubble.
type memListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
	down   atomic.Bool // down says that dials are refused for now.
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

// Close ends Accept and refuses further dials. It may be called again.
func (l *memListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Refuse refuses dials, or takes them again.
func (l *memListener) Refuse(down bool) { l.down.Store(down) }

// Addr is the address of every server in memory.
func (l *memListener) Addr() net.Addr { return memAddr("server") }

// dial connects to the listener. It knows one host only: a client that was
// pointed elsewhere is told, in place of reaching the network or the wrong
// server.
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
