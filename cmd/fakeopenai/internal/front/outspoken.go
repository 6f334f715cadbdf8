package front

import (
	"errors"
	"log/slog"
	"net"
	"time"
)

// repeatAfter is how long a listener keeps quiet about a trouble it spoke of.
const repeatAfter = time.Minute

// outspoken is a listener that says in the log why connections have to wait, such
// as too many open files. The HTTP server tries again until it is better, and
// tells nobody.
type outspoken struct {
	net.Listener
	logger *slog.Logger
	spoke  time.Time // spoke is when it was last said; Accept has one caller.
}

// Accept implements [net.Listener].
func (l *outspoken) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil || errors.Is(err, net.ErrClosed) || !l.spoke.IsZero() && time.Since(l.spoke) < repeatAfter {
		return c, err
	}
	l.spoke = time.Now()
	l.logger.Warn("new connections have to wait, it is tried again; too few open files are allowed? ulimit -n shows and sets how many", "error", err)
	return c, err
}
