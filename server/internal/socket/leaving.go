package socket

import (
	"net"
	"time"
)

// Departure says how a client left a connection.
type Departure uint8

// How a client can leave.
const (
	Stayed Departure = iota // Stayed says that the client has not left, as far as is known.
	Closed                  // Closed says that the client closed the connection: a FIN.
	Reset                   // Reset says that the client reset the connection: a RST.
)

// departureGrace bounds the wait of AwaitDeparture, which is short: the client has left.
const departureGrace = time.Second

// leave records how the client left. Only one call, a read or a write, gets the error of a
// reset; the others see an end of the stream. So Reset replaces Closed.
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

// Departure returns how and when the client left.
func (c *Conn) Departure() (Departure, time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.left, c.leftAt
}

// AwaitDeparture waits until a read has noticed that the client has left. It is for callers
// whose write has failed. When closing is closed, net/http reads no more, because the server closes
// and ends all reads: then it reads itself.
func (c *Conn) AwaitDeparture(closing <-chan struct{}) {
	timer := time.NewTimer(departureGrace)
	defer timer.Stop()
	select {
	case <-c.gone:
		return
	case <-timer.C:
		return
	case <-closing:
	}
	_ = c.SetReadDeadline(time.Now().Add(departureGrace))
	for err := error(nil); err == nil; {
		_, err = c.Read(make([]byte, 512))
	}
}

// ResetDelay is the pause before a TCP connection is reset, in which the client can read
// what was sent before. Node takes a reset for an ordinary end if it comes together with
// the last bytes.
const ResetDelay = 20 * time.Millisecond

// CloseWithReset closes a connection with TCP's RST, after ResetDelay. In TLS it closes the
// TCP connection directly, because TLS would first announce an orderly end.
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

// resetOnClose lets Close discard unsent bytes and send a RST, if the connection can.
func resetOnClose(c net.Conn) {
	if l, ok := innermost(c).(interface{ SetLinger(seconds int) error }); ok {
		_ = l.SetLinger(0)
	}
}

// innermost returns the connection below all wrappers.
func innermost(c net.Conn) net.Conn {
	for {
		wrapper, ok := c.(interface{ NetConn() net.Conn })
		if !ok {
			return c
		}
		c = wrapper.NetConn()
	}
}
