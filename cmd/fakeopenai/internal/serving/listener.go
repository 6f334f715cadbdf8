package serving

import (
	"errors"
	"log/slog"
	"net"
	"time"
)

// repeatAfter is the shortest time between two warnings of a listener.
const repeatAfter = time.Minute

// outspoken is a listener that logs why it cannot accept connections, such as too many
// open files. The HTTP server itself tries again without logging.
type outspoken struct {
	net.Listener
	logger *slog.Logger
	spoke  time.Time // spoke is the time of the last warning; no lock, because only one goroutine accepts.
}

func (l *outspoken) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil || errors.Is(err, net.ErrClosed) || !l.spoke.IsZero() && time.Since(l.spoke) < repeatAfter {
		return c, err
	}
	l.spoke = time.Now()
	l.logger.Warn("new connections have to wait, it is tried again; too few open files are allowed? ulimit -n shows and sets how many", "error", err)
	return c, err
}
