package fakeopenai

import (
	"context"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

type dialFunc = func(ctx context.Context, network, addr string) (net.Conn, error)

// listener keeps the connections that it accepted, so that all of them can be reset. If
// they were closed instead, each port would stay in TIME_WAIT for a while, and a client
// would take an unfinished answer without a length for complete.
type listener struct {
	net.Listener

	mu       sync.Mutex
	conns    map[net.Conn]bool // conns are the open connections, and whether a request on them is being answered; guarded by mu.
	refusing bool              // refusing says that new connections are reset; guarded by mu.
	changed  signal            // changed is announced when a connection is not busy any more.
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
	l.conns[c] = false
	return c, nil
}

// trackState updates conns; it is the ConnState hook of the http.Server.
func (l *listener) trackState(c net.Conn, state http.ConnState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, open := l.conns[c]; open {
		l.conns[c] = state == http.StateActive
	}
	if state == http.StateClosed {
		delete(l.conns, c)
	}
	l.changed.announce()
}

// awaitQuiet waits until no connection is busy, for at most a second.
func (l *listener) awaitQuiet() {
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	for {
		changed := l.changed.wait()
		l.mu.Lock()
		busy := slices.Contains(slices.Collect(maps.Values(l.conns)), true)
		l.mu.Unlock()
		if !busy {
			return
		}
		select {
		case <-changed:
		case <-timer.C:
			return
		}
	}
}

// flushGrace is how long an HTTP/2 connection has to send its last frames: net/http
// reports it as idle a moment before its buffer is flushed, and does not report the
// flush.
const flushGrace = 20 * time.Millisecond

// awaitFlush gives HTTP/2 connections time to send their last frames.
func (l *listener) awaitFlush() {
	l.mu.Lock()
	open := len(l.conns)
	l.mu.Unlock()
	if open > 0 {
		time.Sleep(flushGrace)
	}
}

// refuse closes the listener. Connections that are open will be reset when net/http or
// resetAll closes them.
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

// resetOnClose makes Close of the connection send a reset, which the peer sees as
// ECONNRESET.
func resetOnClose(c net.Conn) {
	if l, ok := c.(interface{ SetLinger(seconds int) error }); ok {
		_ = l.SetLinger(0) // If that fails, the connection is closed without a reset.
	}
}

// transport cancels the requests that are still open at the end of the test. Otherwise
// a client that never closes a response body would leak goroutines.
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
