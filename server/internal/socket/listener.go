package socket

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"
)

// Listener wraps a listener: it wraps the connections in a [Conn], and can refuse
// connections for a while, an outage, as if nobody listened at its address.
type Listener struct {
	addr net.Addr // addr is the address of the listener, also during an outage.

	mu      sync.Mutex // guards what follows
	inner   net.Listener
	down    bool   // down says that there is an outage.
	closed  bool   // closed says that Close was called.
	release func() // release frees the port that reserve keeps during an outage.
	// changed is closed, and replaced, when inner, down or closed changes.
	changed chan struct{}
	conns   map[*Conn]struct{} // conns are the connections that are open.
}

// refuser is a listener in memory, which can refuse dials without being closed.
type refuser interface{ Refuse(bool) }

// Accept waits for the next connection, also through an outage.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		inner, changed := l.current()
		if inner == nil {
			<-changed
			continue
		}
		c, err := inner.Accept()
		if err != nil {
			if l.closedByOutage(inner) {
				continue
			}
			return nil, err
		}
		if watched := l.watch(c); watched != nil {
			return watched, nil
		}
	}
}

// current returns the listener to accept from. During an outage it is nil, and the caller
// waits until changed is closed.
func (l *Listener) current() (inner net.Listener, changed <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, refuses := l.inner.(refuser); l.down && !refuses && !l.closed {
		return nil, l.changed
	}
	return l.inner, l.changed
}

// closedByOutage reports whether an Accept of inner failed because an outage closed inner.
func (l *Listener) closedByOutage(inner net.Listener) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.closed && (l.down || l.inner != inner)
}

// watch wraps a connection. If it was accepted while an outage began, watch resets it and
// returns nil.
func (l *Listener) watch(c net.Conn) *Conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down || l.closed {
		resetOnClose(c)
		c.Close()
		return nil
	}
	watched := newConn(c, l)
	l.conns[watched] = struct{}{}
	return watched
}

func (l *Listener) forget(c *Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, c)
}

func (l *Listener) isDown() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.down
}

// goDown begins an outage and closes idle connections.
func (l *Listener) goDown() error {
	idle, err := l.refuse()
	for _, c := range idle {
		c.Close()
	}
	return err
}

// refuse begins an outage, and returns the idle connections.
func (l *Listener) refuse() (idle []*Conn, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down || l.closed {
		return nil, nil
	}
	switch inner := l.inner.(type) {
	case refuser:
		inner.Refuse(true)
	case *net.TCPListener, *net.UnixListener:
		if err := inner.Close(); err != nil {
			return nil, fmt.Errorf("shut %s: %w", l.addr, err)
		}
		l.release = reserve(l.addr)
	default:
		return nil, fmt.Errorf("a listener of the type %T could not be opened again: those of TCP and Unix sockets can", inner)
	}
	l.down = true
	l.announce()
	for c := range l.conns {
		if c.open.Load() == 0 {
			idle = append(idle, c)
		}
	}
	return idle, nil
}

func (l *Listener) goUp() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.down || l.closed {
		return nil
	}
	if inner, ok := l.inner.(refuser); ok {
		inner.Refuse(false)
	} else {
		inner, err := net.Listen(l.addr.Network(), l.addr.String())
		if err != nil {
			return fmt.Errorf("listen again: %w", err)
		}
		l.release()
		l.inner, l.release = inner, func() {}
	}
	l.down = false
	l.announce()
	return nil
}

// announce wakes the goroutines that wait for changed. The caller holds the lock.
func (l *Listener) announce() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// Close closes the listener. Further calls do nothing.
func (l *Listener) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	l.announce()
	l.release()
	if _, refuses := l.inner.(refuser); l.down && !refuses {
		return nil // the outage has closed it
	}
	return l.inner.Close()
}

// Addr returns the address of the listener, also during an outage.
func (l *Listener) Addr() net.Addr { return l.addr }

// Listeners has all listeners of one server, which go down and up together. The zero value
// has none. It is safe for concurrent use.
type Listeners struct {
	mu    sync.Mutex // guards what follows
	list  []*Listener
	timer *time.Timer // timer ends an outage of UpAfter; nil if there is none.
}

// retryPause is the pause between two attempts to listen at an address again.
const retryPause = 100 * time.Millisecond

// Watch wraps a listener, adds it and returns it.
func (ls *Listeners) Watch(inner net.Listener) *Listener {
	l := &Listener{addr: inner.Addr(), inner: inner, release: func() {}, conns: map[*Conn]struct{}{}, changed: make(chan struct{})}
	ls.mu.Lock()
	defer ls.mu.Unlock()
	ls.list = append(ls.list, l)
	return l
}

// Empty reports whether there are no listeners.
func (ls *Listeners) Empty() bool {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	return len(ls.list) == 0
}

// Down refuses connections until [Listeners.Up]: dials get ECONNREFUSED. It closes idle
// connections; those with an open request stay. A second Down does nothing. The error says
// which listener cannot be reopened.
func (ls *Listeners) Down() error {
	ls.CancelUp()
	return ls.each((*Listener).goDown)
}

// Up accepts connections again, at the same addresses. The error says at which address the
// server cannot listen. A second Up does nothing.
func (ls *Listeners) Up() error {
	ls.CancelUp()
	return ls.each((*Listener).goUp)
}

// UpAfter calls Up after a while. If that fails, it calls goOn, and tries again after
// retryPause if goOn returns true. A later UpAfter replaces this one, and CancelUp cancels
// it.
func (ls *Listeners) UpAfter(d time.Duration, goOn func(error) bool) {
	ls.setTimer(time.AfterFunc(d, func() {
		if err := ls.each((*Listener).goUp); err != nil && goOn(err) {
			ls.UpAfter(retryPause, goOn)
		}
	}))
}

// CancelUp cancels [Listeners.UpAfter].
func (ls *Listeners) CancelUp() { ls.setTimer(nil) }

// setTimer stops the previous timer.
func (ls *Listeners) setTimer(timer *time.Timer) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if ls.timer != nil {
		ls.timer.Stop()
	}
	ls.timer = timer
}

// each calls do with every listener, and joins the errors.
func (ls *Listeners) each(do func(*Listener) error) error {
	ls.mu.Lock()
	list := slices.Clone(ls.list)
	ls.mu.Unlock()
	var problems []error
	for _, l := range list {
		problems = append(problems, do(l))
	}
	return errors.Join(problems...)
}
