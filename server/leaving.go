package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/fakeopenai/fakeopenai/server/internal/neterr"
)

// stallLimit is from when on a write counts as held up by a client that reads
// slowly.
const stallLimit = 10 * time.Millisecond

// add counts a write that took so long.
func (s *Stalls) add(d time.Duration) {
	if d < stallLimit {
		return
	}
	s.Count++
	s.Longest = max(s.Longest, d)
	s.Total += d
}

// noteLeaving records how the client left, and what it did not take.
func (x *exchange) noteLeaving() {
	d := &x.record.Delivery
	switch d.Ended {
	case EndedByClient:
		var at time.Time
		d.Left, at = x.left()
		if d.Left == "" {
			return // it did not: the server could not go on
		}
		d.LeftAfter = min(d.Duration, at.Sub(x.record.Time))
	case EndedByShutdown:
	default:
		return
	}
	d.Unread = Unread{Frames: d.Planned - d.Frames, Bytes: x.unsent()}
}

// left is how and when the client left, as exactly as can be told.
func (x *exchange) left() (Left, time.Time) {
	broken := neterr.IsBroken(x.err) || neterr.IsReset(x.err)
	if x.conn != nil {
		if broken {
			x.conn.awaitDeparture()
		}
		if how, at := x.conn.departure(); how != "" {
			return how, at
		}
	}
	now, cause := time.Now(), context.Cause(x.r.Context())
	switch {
	case errors.Is(x.err, os.ErrDeadlineExceeded) || errors.Is(cause, context.DeadlineExceeded):
		return LeftDeadline, now
	case broken:
		return LeftRST, now
	case cause == nil && x.err == nil:
		return "", now
	case x.r.ProtoMajor >= 2:
		return LeftHTTP2Cancel, now
	}
	return LeftContext, now
}

// noConnection is the answer where a scenario needs to know the connection.
func noConnection(scenario string) *apiError {
	return ownFault(http.StatusNotImplemented, codeNoConnection, fmt.Sprintf(
		"Scenario %q says wire.connection: close_on_reuse, but this server does not know its connections: the http.Server that it runs in needs its ConnContext.", scenario))
}

// departureGrace bounds the wait of awaitDeparture. The news is there at once,
// unless nobody reads from the connection.
const departureGrace = time.Second

// awaitDeparture waits until the reading side knows what the writing side knows
// already: that the client is gone.
func (c *conn) awaitDeparture() {
	timer := time.NewTimer(departureGrace)
	defer timer.Stop()
	select {
	case <-c.gone:
	case <-timer.C:
	}
}

// unsent is how many bytes of the answer wait on this side. In HTTP/2 they may
// be those of other answers, so they count for none.
func (x *exchange) unsent() int64 {
	if x.conn == nil || x.r.ProtoMajor != 1 {
		return 0
	}
	return x.conn.unsent()
}
