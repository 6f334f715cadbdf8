package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/socket"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// lastWrite is the last write of an answer, which waits in the buffers of net/http for the
// end of the body, and the counts of the [journal.Delivery] before that write.
type lastWrite struct {
	size         int64 // size is the number of bytes of the write; 0 if there was none.
	from         int64 // from is how many bytes the connection had taken before the write.
	frames, step int   // frames and step are those of the Delivery before the write.
	bytes        int64 // bytes are the bytes of the [journal.Delivery] before the write.
}

// takeBack restores the counts from before the last write if the client has left and the
// connection has not taken all bytes of that write. This can be told only of a connection
// whose bytes are all of this answer.
func (x *exchange) takeBack() {
	d, last := &x.entry.Delivery, &x.last
	whole := d.Ended == journal.EndedComplete || d.Ended == journal.EndedAsAuthored
	if !whole || last.size == 0 || x.r.Context().Err() == nil || !x.countsWire() || x.conn.Written()-last.from >= last.size {
		return
	}
	if x.kept != nil && x.kept.InBackground() {
		return // the background has made the response, whether or not the client has read it
	}
	d.Ended, d.Frames, d.Step, d.Bytes = journal.EndedByClient, last.frames, last.step, last.bytes
}

// recordDeparture records how and when the client left, and what it did not read.
func (x *exchange) recordDeparture() {
	d := &x.entry.Delivery
	switch d.Ended {
	case journal.EndedByClient:
		var at time.Time
		d.Left, at = x.departure()
		if d.Left == "" {
			return // the client stayed: the server broke off
		}
		d.LeftAfter = min(d.Duration, at.Sub(x.entry.Time))
	case journal.EndedByShutdown:
	default:
		return
	}
	d.Unread = journal.Unread{Frames: d.Planned - d.Frames}
	if x.conn != nil && x.r.ProtoMajor == 1 { // in HTTP/2 the bytes may be those of other answers
		d.Unread.Bytes = x.conn.Unsent()
	}
}

// departure is how and when the client left, as exactly as the server knows; "" if it
// stayed.
func (x *exchange) departure() (journal.Departure, time.Time) {
	broken := socket.IsBroken(x.err) || socket.IsReset(x.err)
	if x.conn != nil {
		if broken {
			x.conn.AwaitDeparture(x.server.serving.Done())
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

// noConnection is the 501 for a scenario that needs the connection, in a server without
// [Server.ConnContext].
func noConnection(scenario string) *apiError {
	e := ownFault(http.StatusNotImplemented, apierror.CodeNoConnection, fmt.Sprintf(
		"Scenario %q says wire.connection: close_on_reuse, but this server does not know its connections: the http.Server that it runs in needs its ConnContext.", scenario))
	e.fault = true
	return e
}

// clientGot says what the client got of the answer, which has ended. The entry then has the texts, calls and error of
// an answer that is not whole.
func (x *exchange) clientGot() journal.Answer {
	asked, _ := x.entry.Made.(*answer.Asked)
	d := &x.entry.Delivery
	broke := d.Ended == journal.EndedByClient || d.Ended == journal.EndedByShutdown
	switch {
	case x.entry.Status == 0:
		return journal.AnswerNone
	case x.entry.Status >= http.StatusBadRequest:
		if x.made != nil && asked != nil {
			x.entry.ErrorCode = x.made.Got(asked, d.Bytes, !broke).Code
		}
		return journal.AnswerRefused
	case x.made == nil || asked == nil:
		return map[bool]journal.Answer{false: journal.AnswerWhole, true: journal.AnswerBroken}[broke]
	}
	whole, known := x.hasFrames(asked)
	if !known {
		got := x.made.Got(asked, d.Bytes, !broke)
		x.entry.ErrorCode = got.Code
		x.entry.Said = &journal.Said{ID: got.Named, Text: got.Text, Calls: got.Calls}
		switch {
		case got.Failed:
			return journal.AnswerFailed
		case got.Error:
			return journal.AnswerError
		case got.Open:
			return journal.AnswerUnknown
		}
		whole = got.Whole
	}
	if !whole {
		return journal.AnswerBroken
	}
	x.entry.Said = nil
	return x.answerRead(asked)
}

// hasFrames reports whether the frames that were sent have all that a client needs, as far as their
// kinds tell.
func (x *exchange) hasFrames(asked *answer.Asked) (whole, known bool) {
	all, last, fails := x.made.CountFrames()
	if asked.Surface == answer.Other {
		last = all
	} else if last == 0 || fails || !x.made.IsPlain(asked) {
		return false, false
	}
	return x.entry.Delivery.Frames >= last, !x.made.Program.Ending.Authored
}

// answerRead says what the client got of an answer of which all necessary bytes were sent: how many of these it read.
func (x *exchange) answerRead(asked *answer.Asked) journal.Answer {
	d := &x.entry.Delivery
	unread := d.Unread.Bytes
	switch {
	case d.Ended == journal.EndedComplete, d.Ended == journal.EndedAsAuthored && d.End != "reset" && (x.r.ProtoMajor < 2 || d.End == "linger" || d.End == ""):
		return journal.AnswerWhole
	case d.Left == journal.LeftFIN && unread == 0:
		return journal.AnswerWhole
	case unread == 0:
		return journal.AnswerUnknown // what waits on the client's side, the server cannot know
	case d.Left == journal.LeftFIN && x.made.Got(asked, d.Bytes-unread, false).Whole:
		return journal.AnswerWhole
	}
	if got := x.made.Got(asked, d.Bytes-unread/framingShare, false); !got.Whole && !got.Open {
		return journal.AnswerBroken
	}
	return journal.AnswerUnknown
}

// framingShare says how little of the bytes that are unread can belong to the body: of a chunk with one
// byte, five more are HTTP's framing.
const framingShare = 8
