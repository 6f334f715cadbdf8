package sweeping

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// watchdog calls a function when nothing has happened for a while, or when ten
// times as long has passed in all.
type watchdog struct {
	idle  *time.Timer
	all   *time.Timer
	limit time.Duration
}

func newWatchdog(limit time.Duration, bark func()) *watchdog {
	return &watchdog{idle: time.AfterFunc(limit, bark), all: time.AfterFunc(10*limit, bark), limit: limit}
}

// touch says that something has happened.
func (w *watchdog) touch() { w.idle.Reset(w.limit) }

func (w *watchdog) stop() {
	w.idle.Stop()
	w.all.Stop()
}

// watchedListener tells a watchdog of everything that goes over its connections,
// and a gauge of each answer that begins.
type watchedListener struct {
	*net.TCPListener
	watchdog *watchdog
	gauge    *gauge
}

// Accept waits for the next connection.
func (l *watchedListener) Accept() (net.Conn, error) {
	c, err := l.AcceptTCP()
	if err != nil {
		return nil, err
	}
	return &watchedConn{TCPConn: c, watchdog: l.watchdog, gauge: l.gauge}, nil
}

type watchedConn struct {
	*net.TCPConn
	watchdog *watchdog
	gauge    *gauge
	asked    atomic.Bool // asked says that something was read since the last write.
}

// Read reads what the client has sent.
func (c *watchedConn) Read(p []byte) (int, error) {
	n, err := c.TCPConn.Read(p)
	if n > 0 {
		c.watchdog.touch()
		c.asked.Store(true)
	}
	return n, err
}

// Write sends to the client.
func (c *watchedConn) Write(p []byte) (int, error) {
	if c.asked.Swap(false) {
		c.gauge.mark()
	}
	n, err := c.TCPConn.Write(p)
	if n > 0 {
		c.watchdog.touch()
	}
	return n, err
}

// tailSize is how much is kept of what a command prints.
const tailSize = 4 << 10

// outputTail keeps the end of what is written to it. It is safe for concurrent
// use.
type outputTail struct {
	mu   sync.Mutex
	text []byte // text is guarded by mu.
	cut  bool   // cut says that there was more; it is guarded by mu.
}

// Write implements [io.Writer].
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

// String is the end of what was written.
func (t *outputTail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cut {
		return "…" + string(t.text)
	}
	return string(t.text)
}
