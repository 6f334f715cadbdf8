package server

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"
)

// Listener is l, watched: of the connections that it accepts the server knows
// how many requests each one served and how its client left. Use it together
// with [Server.ConnContext]:
//
//	front := &http.Server{Handler: fake, ConnContext: fake.ConnContext}
//	err := front.Serve(fake.Listener(l))
//
// It also makes [Server.Down] possible, for listeners of TCP and Unix sockets
// and for those that have a method Refuse(bool).
func (s *Server) Listener(l net.Listener) net.Listener {
	d := &door{addr: l.Addr(), inner: l, release: func() {}, conns: map[*conn]struct{}{}, changed: make(chan struct{})}
	s.doors.mu.Lock()
	defer s.doors.mu.Unlock()
	s.doors.list = append(s.doors.list, d)
	return d
}

// ErrNoListener is what [Server.Down] and [Server.Up] return for a server that
// was never given a listener: whether connections are accepted is not its
// business then.
var ErrNoListener = errors.New("this server does not own its listener: give it one with Server.Listener")

// Down refuses connections until [Server.Up], as a server does that is not
// running: dials get ECONNREFUSED. Idle connections are closed, and so are those
// of open streams when they are used again. Streams that are open go on. Down
// twice is down.
func (s *Server) Down() error {
	s.doors.stopTimer()
	return s.doors.each((*door).shut)
}

// Up accepts connections again, at the same address. The error says why that
// address cannot be had any more. Up twice is up.
func (s *Server) Up() error {
	s.doors.stopTimer()
	return s.doors.each((*door).reopen)
}

// DownFor is [Server.Down] for a while. If the address is taken when the time is
// up, the server tries again until it has it.
func (s *Server) DownFor(d time.Duration) error {
	if err := s.Down(); err != nil {
		return err
	}
	s.upAfter(d)
	return nil
}

// retryUp is the pause between two attempts to get an address back.
const retryUp = 100 * time.Millisecond

func (s *Server) upAfter(d time.Duration) {
	s.doors.setTimer(d, func() {
		if err := s.doors.each((*door).reopen); err != nil && s.base.Err() == nil {
			s.config.Logger.Error("cannot accept connections again, trying on", "error", err)
			s.upAfter(retryUp)
		}
	})
}

// doors are the listeners of one server. The zero value has none.
type doors struct {
	mu    sync.Mutex // guards what follows
	list  []*door
	timer *time.Timer // reopens them
}

// each does something to every door, and returns what went wrong.
func (d *doors) each(do func(*door) error) error {
	d.mu.Lock()
	list := slices.Clone(d.list)
	d.mu.Unlock()
	if len(list) == 0 {
		return ErrNoListener
	}
	var problems []error
	for _, one := range list {
		problems = append(problems, do(one))
	}
	return errors.Join(problems...)
}

// setTimer sets the timer, in place of one that runs.
func (d *doors) setTimer(after time.Duration, do func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timer != nil {
		d.timer.Stop()
	}
	d.timer = time.AfterFunc(after, do)
}

func (d *doors) stopTimer() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timer != nil {
		d.timer.Stop()
	}
}

// door is a listener that can be shut for a while.
type door struct {
	addr net.Addr

	mu      sync.Mutex // guards what follows
	inner   net.Listener
	down    bool
	closed  bool
	release func()        // gives the port back that is kept while the door is shut
	changed chan struct{} // closed, and replaced, when one of the above changes
	conns   map[*conn]struct{}
}

// refuser is a listener that can refuse dials without being closed.
type refuser interface{ Refuse(bool) }

// Accept waits for the next connection, also while the door is shut.
func (d *door) Accept() (net.Conn, error) {
	for {
		inner, changed := d.way()
		if inner == nil {
			<-changed
			continue
		}
		c, err := inner.Accept()
		if err != nil {
			if d.shutDuring(inner) {
				continue
			}
			return nil, err
		}
		if known := d.admit(c); known != nil {
			return known, nil
		}
	}
}

// way is the listener to accept from, or nil while there is none.
func (d *door) way() (net.Listener, <-chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, refuses := d.inner.(refuser); d.down && !refuses && !d.closed {
		return nil, d.changed
	}
	return d.inner, d.changed
}

// shutDuring reports whether an error of the listener comes from its being shut.
func (d *door) shutDuring(inner net.Listener) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return !d.closed && (d.down || d.inner != inner)
}

// admit watches a connection. One that came in while the door was being shut is
// reset.
func (d *door) admit(c net.Conn) *conn {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.down || d.closed {
		linger(c)
		c.Close()
		return nil
	}
	known := newConn(c, d)
	d.conns[known] = struct{}{}
	return known
}

func (d *door) forget(c *conn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.conns, c)
}

func (d *door) isDown() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.down
}

// shut refuses connections and closes those that are idle.
func (d *door) shut() error {
	idle, err := d.refuse()
	for _, c := range idle {
		c.Close()
	}
	return err
}

func (d *door) refuse() (idle []*conn, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.down || d.closed {
		return nil, nil
	}
	switch l := d.inner.(type) {
	case refuser:
		l.Refuse(true)
	case *net.TCPListener, *net.UnixListener:
		if err := l.Close(); err != nil {
			return nil, fmt.Errorf("shut %s: %w", d.addr, err)
		}
		d.release = reserve(d.addr)
	default:
		return nil, fmt.Errorf("a listener of the type %T could not be opened again: give Server.Listener that of a socket", l)
	}
	d.down = true
	d.announce()
	for c := range d.conns {
		if c.open.Load() == 0 {
			idle = append(idle, c)
		}
	}
	return idle, nil
}

// reopen accepts connections again.
func (d *door) reopen() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.down || d.closed {
		return nil
	}
	if r, ok := d.inner.(refuser); ok {
		r.Refuse(false)
	} else {
		inner, err := net.Listen(d.addr.Network(), d.addr.String())
		if err != nil {
			return fmt.Errorf("listen again: %w", err)
		}
		d.release()
		d.inner, d.release = inner, func() {}
	}
	d.down = false
	d.announce()
	return nil
}

// announce wakes those who wait for a change. The caller holds the lock.
func (d *door) announce() {
	close(d.changed)
	d.changed = make(chan struct{})
}

// Close closes the door for good. It may be called again.
func (d *door) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil
	}
	d.closed = true
	d.announce()
	d.release()
	if _, refuses := d.inner.(refuser); d.down && !refuses {
		return nil // that is what shutting it did
	}
	return d.inner.Close()
}

// Addr is where the door is, also while it is shut.
func (d *door) Addr() net.Addr { return d.addr }
