package serving

import (
	"net"
	"sync"
	"time"
)

// watchdog calls a function when touch has not been called for limit, or after ten times
// limit in any case.
type watchdog struct {
	idle  *time.Timer
	all   *time.Timer
	limit time.Duration
}

func newWatchdog(limit time.Duration, bark func()) *watchdog {
	return &watchdog{idle: time.AfterFunc(limit, bark), all: time.AfterFunc(10*limit, bark), limit: limit}
}

func (w *watchdog) touch() { w.idle.Reset(w.limit) }

func (w *watchdog) stop() {
	w.idle.Stop()
	w.all.Stop()
}

// watchedListener reports the traffic of its connections to a watchdog.
type watchedListener struct {
	*net.TCPListener
	watchdog *watchdog
	rest     time.Duration // rest is how long a connection rests after each write.
}

func (l *watchedListener) Accept() (net.Conn, error) {
	c, err := l.AcceptTCP()
	if err != nil {
		return nil, err
	}
	return &watchedConn{TCPConn: c, listener: l}, nil
}

type watchedConn struct {
	*net.TCPConn
	listener *watchedListener
}

func (c *watchedConn) Read(p []byte) (int, error) {
	n, err := c.TCPConn.Read(p)
	if n > 0 {
		c.listener.watchdog.touch()
	}
	return n, err
}

func (c *watchedConn) Write(p []byte) (int, error) {
	n, err := c.TCPConn.Write(p)
	if n > 0 {
		c.listener.watchdog.touch()
	}
	if c.listener.rest > 0 {
		nap(c.listener.rest)
	}
	return n, err
}

// tailSize is the number of bytes kept of a command's output.
const tailSize = 4 << 10

// outputTail is a writer that keeps the last tailSize bytes. It is safe for concurrent
// use.
type outputTail struct {
	mu   sync.Mutex
	text []byte // text is guarded by mu.
	cut  bool   // cut says that earlier bytes were dropped; guarded by mu.
}

func (t *outputTail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if over := len(t.text) - tailSize; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
		t.cut = true
	}
	return len(p), nil
}

// String returns the kept bytes, after … if earlier ones were dropped.
func (t *outputTail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cut {
		return "…" + string(t.text)
	}
	return string(t.text)
}
