package fakeopenai

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

type dialFunc = func(ctx context.Context, network, addr string) (net.Conn, error)

// listener remembers the connections that it accepted, so that all of them can
// be reset. Closing them would leave each port taken for a while, and would let
// a client believe that an answer without a length is complete.
type listener struct {
	net.Listener

	mu       sync.Mutex
	conns    map[net.Conn]struct{} // conns are the open connections; guarded by mu.
	refusing bool                  // refusing says that no connection is accepted any more; guarded by mu.
	// busy are the connections with a request that is being answered; guarded by
	// mu.
	busy    map[net.Conn]struct{}
	changed signal // changed announces a change of busy.
}

// Accept waits for the next connection.
func (l *listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refusing {
		resetOnClose(c)
		c.Close()
		return nil, net.ErrClosed
	}
	l.conns[c] = struct{}{}
	return c, nil
}

// trackState forgets connections that are closed, and knows which are busy.
func (l *listener) trackState(c net.Conn, state http.ConnState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if state == http.StateClosed {
		delete(l.conns, c)
	}
	if state == http.StateActive {
		l.busy[c] = struct{}{}
		return
	}
	delete(l.busy, c)
	l.changed.announce()
}

// awaitQuiet waits until the ends of all answers are sent, but not for long.
func (l *listener) awaitQuiet() {
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	for {
		changed := l.changed.wait()
		l.mu.Lock()
		busy := len(l.busy)
		l.mu.Unlock()
		if busy == 0 {
			return
		}
		select {
		case <-changed:
		case <-timer.C:
			return
		}
	}
}

// flushGrace is how long a connection of HTTP/2 has to send what is written:
// net/http calls it idle a moment before the last frame has left its buffer, and
// tells nobody when it has.
const flushGrace = 20 * time.Millisecond

// awaitFlush lets connections of HTTP/2 send their last frames.
func (l *listener) awaitFlush() {
	l.mu.Lock()
	open := len(l.conns)
	l.mu.Unlock()
	if open > 0 {
		time.Sleep(flushGrace)
	}
}

// refuse accepts no more connections. Those there are will be reset when they
// are closed, whoever does it.
func (l *listener) refuse() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refusing = true
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
