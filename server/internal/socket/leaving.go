package socket

import (
	"net"
	"time"
)

// Departure says how a client left a connection.
type Departure uint8

// How a client can leave.
const (
	Stayed Departure = iota // Stayed says that it is still there, as far as is known.
	Closed                  // Closed says that it closed the connection: a FIN.
	Reset                   // Reset says that it reset the connection: a RST.
)

// departureGrace bounds the wait of AwaitDeparture. The news is there at once,
// unless nobody reads from the connection.
const departureGrace = time.Second

// leave notes how the client left. A reset is told to one call only, read or
// write, and the other one sees the end: so it has the last word.
func (c *Conn) leave(how Departure) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left == Stayed {
		c.leftAt = time.Now()
		close(c.gone)
	}
	if c.left == Stayed || how == Reset {
		c.left = how
	}
}

// Departure is how and when the client left.
func (c *Conn) Departure() (Departure, time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.left, c.leftAt
}

// AwaitDeparture waits until the reading side knows what the writing side knows
// already: that the client is gone.
func (c *Conn) AwaitDeparture() {
	timer := time.NewTimer(departureGrace)
	defer timer.Stop()
	select {
	case <-c.gone:
	case <-timer.C:
	}
}

// ResetDelay is how long TCP connections are left alone before a reset, so that
// the client has time to read what was sent before it. Node takes a reset of
// which it learns together with the last bytes for an ordinary end.
const ResetDelay = 20 * time.Millisecond

// CloseWithReset closes a connection with TCP's RST, after ResetDelay. It closes it below
// TLS, which would say first that the connection ends in order.
func CloseWithReset(c net.Conn) error {
	if _, isTCP := innermost(c).(*net.TCPConn); isTCP {
		time.Sleep(ResetDelay)
	}
	resetOnClose(c)
	if watched := find(c); watched != nil {
		return watched.Close()
	}
	return innermost(c).Close()
}

// resetOnClose makes Close forget what was not sent and answer with a RST. A
// connection that cannot do so is closed in the ordinary way.
func resetOnClose(c net.Conn) {
	if l, ok := innermost(c).(interface{ SetLinger(seconds int) error }); ok {
		_ = l.SetLinger(0)
	}
}

// innermost is the connection below all wrappers.
func innermost(c net.Conn) net.Conn {
	for {
		wrapper, ok := c.(interface{ NetConn() net.Conn })
		if !ok {
			return c
		}
		c = wrapper.NetConn()
	}
}
