package fakeopenai

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
)

type dialFunc = func(ctx context.Context, network, addr string) (net.Conn, error)

// listener remembers the connections that it accepted, so that all of them can
// be reset. Closing them would leave each port taken for a while, and would let
// a client believe that an answer without a length is complete.
type listener struct {
	net.Listener

	mu      sync.Mutex
	conns   map[net.Conn]struct{} // guarded by mu
	refused bool                  // guarded by mu
}

// Accept waits for the next connection.
func (l *listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refused {
		resetOnClose(c)
		c.Close()
		return nil, net.ErrClosed
	}
	l.conns[c] = struct{}{}
	return c, nil
}

// note forgets connections that are closed.
func (l *listener) note(c net.Conn, state http.ConnState) {
	if state == http.StateClosed {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.conns, c)
	}
}

// refuse accepts no more connections. Those there are will be reset when they
// are closed, whoever does it.
func (l *listener) refuse() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refused = true
	l.Listener.Close()
	for c := range l.conns {
		resetOnClose(c)
	}
}

// resetAll closes the connections that are still open after refuse.
func (l *listener) resetAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.conns {
		c.Close()
	}
	clear(l.conns)
}

// resetOnClose makes the peer of a connection see ECONNRESET when it is closed.
func resetOnClose(c net.Conn) {
	if l, ok := c.(interface{ SetLinger(seconds int) error }); ok {
		_ = l.SetLinger(0) // if it cannot, the connection closes the ordinary way
	}
}

// transport ends requests that are still open when the test is over. A client
// that never closes an answer's body would otherwise leave goroutines behind.
type transport struct {
	*http.Transport
	over context.Context
}

// RoundTrip sends a request.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	stop := context.AfterFunc(t.over, func() { cancel(context.Cause(t.over)) })
	done := func() {
		stop()
		cancel(nil)
	}
	resp, err := t.Transport.RoundTrip(req.WithContext(ctx))
	if err != nil {
		done()
		return nil, err
	}
	resp.Body = &body{ReadCloser: resp.Body, done: done}
	return resp, nil
}

// body calls done when it is closed.
type body struct {
	io.ReadCloser
	done func()
}

// Close closes the body.
func (b *body) Close() error {
	defer b.done()
	return b.ReadCloser.Close()
}
