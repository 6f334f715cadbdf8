package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/neterr"
	"github.com/fakeopenai/fakeopenai/server/internal/socket"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// lastWrite is a write that waits in the buffers of net/http for the end of the body,
// and how far the answer was before it.
type lastWrite struct {
	size         int64 // size is how many bytes it has; 0 is no such write.
	from         int64 // from is how many bytes the connection had taken before it.
	frames, step int   // frames and step are those of the [journal.Delivery] before it.
	bytes        int64 // bytes are those of the [journal.Delivery] before it.
}

// takeBack counts the last write as not taken if the client has left while it, or a
// part of it, waits in buffers. Only a connection whose bytes are those of the answer
// can tell.
func (x *exchange) takeBack() {
	d, last := &x.entry.Delivery, &x.last
	whole := d.Ended == journal.EndedComplete || d.Ended == journal.EndedAsAuthored
	if !whole || last.size == 0 || x.r.Context().Err() == nil || !x.countsWire() || x.conn.Written()-last.from >= last.size {
		return
	}
	if x.kept != nil && x.kept.InBackground() {
		return // it is made whether or not somebody takes it
	}
	d.Ended, d.Frames, d.Step, d.Bytes = journal.EndedByClient, last.frames, last.step, last.bytes
}

// recordDeparture records how the client left, and what it did not take.
func (x *exchange) recordDeparture() {
	d := &x.entry.Delivery
	switch d.Ended {
	case journal.EndedByClient:
		var at time.Time
		d.Left, at = x.departure()
		if d.Left == "" {
			return // it did not: the server could not go on
		}
		d.LeftAfter = min(d.Duration, at.Sub(x.entry.Time))
	case journal.EndedByShutdown:
	default:
		return
	}
	d.Unread = journal.Unread{Frames: d.Planned - d.Frames, Bytes: x.unsent()}
}

// departure is how and when the client left, as exactly as can be told.
func (x *exchange) departure() (journal.Departure, time.Time) {
	broken := neterr.IsBroken(x.err) || neterr.IsReset(x.err)
	if x.conn != nil {
		if broken {
			x.conn.AwaitDeparture()
		}
		switch how, at := x.conn.Departure(); how {
		case socket.Closed:
			return journal.LeftFIN, at
		case socket.Reset:
			return journal.LeftRST, at
		}
	}
	now, cause := time.Now(), context.Cause(x.r.Context())
	switch {
	case errors.Is(x.err, os.ErrDeadlineExceeded) || errors.Is(cause, context.DeadlineExceeded):
		return journal.LeftDeadline, now
	case broken:
		return journal.LeftRST, now
	case cause == nil && x.err == nil:
		return "", now
	case x.r.ProtoMajor >= 2:
		return journal.LeftHTTP2Cancel, now
	}
	return journal.LeftContext, now
}

// noConnection is the answer where a scenario needs to know the connection.
func noConnection(scenario string) *apiError {
	e := ownFault(http.StatusNotImplemented, apierror.CodeNoConnection, fmt.Sprintf(
		"Scenario %q says wire.connection: close_on_reuse, but this server does not know its connections: the http.Server that it runs in needs its ConnContext.", scenario))
	e.fault = true
	return e
}

// closeOnReuse lets the next request on the connection have no answer.
func (x *exchange) closeOnReuse(scenario string) {
	x.conn.CloseOnReuse(fmt.Sprintf("the connection closes when it is used again: scenario %q says wire.connection: close_on_reuse", scenario))
}

// unsent is how many bytes of the answer wait on this side. In HTTP/2 they may
// be those of other answers, so they count for none.
func (x *exchange) unsent() int64 {
	if x.conn == nil || x.r.ProtoMajor != 1 {
		return 0
	}
	return x.conn.Unsent()
}
