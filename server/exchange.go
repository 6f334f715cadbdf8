package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/limits"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/requestid"
	"github.com/fakeopenai/fakeopenai/server/internal/secret"
	"github.com/fakeopenai/fakeopenai/server/internal/session"
	"github.com/fakeopenai/fakeopenai/server/internal/socket"
	"github.com/fakeopenai/fakeopenai/server/internal/span"
	"github.com/fakeopenai/fakeopenai/server/internal/stored"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// exchange is one request on its way through the server, and the only one who
// writes its answer.
type exchange struct {
	server  *Server
	w       http.ResponseWriter
	r       *http.Request
	control http.ResponseController
	conn    *socket.Conn    // conn is the request's connection; nil if the server does not know it.
	span    span.Span       // span is how long it lasts.
	ctx     context.Context // ctx is span, and ends earlier where the answer does.

	entry         journal.Entry // entry is what the journal is told.
	sent          journal.Sent  // sent counts what is sent, for the journal to show while the answer is open.
	requestID     requestid.ID  // requestID is the answer's id; zero until it is drawn.
	headerWritten bool          // headerWritten says that the header is written.
	abort         bool          // abort says that the answer breaks off without its proper end.
	// closeConn says that the connection closes after an abort, which in HTTP/2
	// ends the stream alone.
	closeConn bool
	due       time.Time // due is when what is written next was due; zero if nothing says.
	err       error     // err is why writing broke off; nil if it did not.
	// rules are the limits that count for the request; nil until they are known.
	rules     []limits.Rule
	admission *limits.Admission // admission is what the request has of the limits; nil if it is not let in.
	made      *answer.Answer    // made is the answer that is to be played; nil if there is none.
	kept      *stored.Response  // kept is the answer if it can be asked for again; nil if not.
	// hasShutdownEvent says that there is something to send when the server
	// shuts down.
	hasShutdownEvent atomic.Bool
	last             lastWrite // last is the write that leaves with the end of the body.
	incomplete       bool      // incomplete says that the scenario gives the client no whole answer.
	endsEarly        bool      // endsEarly says that the scenario ends the body in order before the answer is complete.

	sink     sink          // sink is where the answer is played to.
	turn     *session.Turn // turn is what asks and takes the answer over WebSocket; nil over HTTP.
	lane     *stored.Lane  // lane is what the connection of the turn remembers; nil over HTTP.
	upgraded MessageConn   // upgraded is the connection that the request became; it has no answer then.
}

// serve makes a handler of what answers an exchange. Everything that happens
// ends up in its entry before the connection learns of it.
func (s *Server) serve(answer func(*exchange)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.active.Enter()
		x := s.begin(w, r)
		x.perform(answer)
		s.active.Leave()
		if x.upgraded != nil {
			s.converse(x)
			return
		}
		if x.closeConn {
			x.conn.Close()
		}
		if x.abort {
			// The one way that net/http has to end an answer without its proper end.
			panic(http.ErrAbortHandler)
		}
	}
}

// perform answers, unless the connection or the server refuses that, and records how
// it went.
func (x *exchange) perform(answer func(*exchange)) {
	switch refusal := x.conn.Refusal(); {
	case x.server.serving.Err() != nil:
		x.fail(serverClosed)
	case refusal != "":
		x.refuse(refusal)
	default:
		x.server.spans.Begin(&x.span, x.r.Context(), x)
		x.ctx = &x.span
		x.run(answer)
		x.span.End()
	}
	if x.upgraded == nil {
		x.finish()
	}
}

// serverClosed is the answer of a server that was closed.
var serverClosed = ownFault(http.StatusServiceUnavailable, apierror.CodeClosed, errClosed.Error())

func (s *Server) begin(w http.ResponseWriter, r *http.Request) *exchange {
	x := &exchange{server: s, w: w, r: r, ctx: r.Context(), control: *http.NewResponseController(w), conn: socket.ConnOf(r.Context())}
	x.entry = journal.Entry{
		Time:     time.Now(),
		Method:   r.Method,
		Path:     r.URL.RequestURI(),
		Header:   r.Header,
		APIKey:   request.APIKey(r.Header),
		Reply:    -1,
		Delivery: journal.Delivery{Step: -1, Ended: journal.EndedOpen, Protocol: r.Proto, RequestNumber: x.conn.NumberRequest()},
	}
	x.entry.Follow(&x.sent)
	x.entry.Delivery.Reused = x.entry.Delivery.RequestNumber > 1
	return x
}

// ServerCloses implements [span.Closer]: it ends what the exchange reads from or writes
// to a client that does nothing. Not every connection has deadlines; then the context
// has to do.
func (x *exchange) ServerCloses() {
	now := time.Now()
	_ = x.control.SetReadDeadline(now)
	if x.hasShutdownEvent.Load() {
		now = now.Add(shutdownGrace)
	}
	_ = x.control.SetWriteDeadline(now)
}

// run answers, and turns a panic into an error that the client and the log see.
func (x *exchange) run(answer func(*exchange)) {
	defer func() {
		x.admission.End()
		x.kept.Abandon() // unless it is complete
		if v := recover(); v != nil {
			x.server.config.Logger.Error("panic", "value", v, "stack", string(debug.Stack()))
			x.fail(failure(fmt.Sprintf("the server panicked: %v", v)))
		}
	}()
	answer(x)
	x.play()
}

// enterJournal puts the entry in the journal, where it can be seen from now on.
func (x *exchange) enterJournal() {
	if x.entry.ID == 0 {
		x.server.journal.Add(&x.entry)
	}
}

// finish completes the entry and tells it to everybody who wants to know.
func (x *exchange) finish() {
	x.enterJournal()
	x.entry.Follow(nil) // the counts are final, and the journal must not hold on to the exchange
	d := &x.entry.Delivery
	d.Duration = time.Since(x.entry.Time)
	if d.Ended == journal.EndedOpen {
		d.Ended = x.ended()
	}
	x.takeBack()
	x.recordDeparture()
	x.entry.Failed = x.failed()
	x.server.journal.Update(&x.entry)
	x.log()
	if observe := x.server.config.Observe; observe != nil {
		observe(x.entry)
	}
}

// ended says how an answer ended that was written whole, or broke off.
func (x *exchange) ended() journal.Ending {
	switch {
	case x.span.Closed():
		return journal.EndedByShutdown
	case x.abort:
		return journal.EndedByClient
	}
	return journal.EndedComplete
}

// failed reports whether the client did not get a whole answer.
func (x *exchange) failed() bool {
	switch x.entry.Delivery.Ended {
	case journal.EndedByClient, journal.EndedByShutdown:
		return true
	}
	return x.incomplete || x.entry.Status == 0 || x.entry.Status >= http.StatusBadRequest
}

// shownPath is how the log shows a path.
func (s *Server) shownPath(path string) string {
	if s.config.ShowSecrets {
		return path
	}
	return secret.Path(path)
}

// maxAttrs is how many attributes a line of the log has at most.
const maxAttrs = 11

func (x *exchange) log() {
	r := &x.entry
	level := slog.LevelInfo
	switch {
	case r.Fault:
		level = slog.LevelError
	case r.Problem != "":
		level = slog.LevelWarn
	}
	logger, ctx := x.server.config.Logger, x.r.Context()
	if !logger.Enabled(ctx, level) {
		return
	}
	attrs := append(make([]slog.Attr, 0, maxAttrs), slog.Int64("request", r.ID), slog.String("method", r.Method), slog.String("path", x.server.shownPath(r.Path)), slog.Int("status", r.Status))
	if r.Scenario != "" {
		attrs = append(attrs, slog.String("scenario", r.Scenario), slog.Int("reply", r.Reply))
	}
	attrs = append(attrs, slog.Int("frames", r.Delivery.Frames), slog.Int64("bytes", r.Delivery.Bytes),
		slog.String("ended", string(r.Delivery.Ended)), slog.String("duration", r.Delivery.Duration.String()))
	if r.Delivery.Left != "" {
		attrs = append(attrs, slog.String("left", string(r.Delivery.Left)))
	}
	if r.Problem != "" {
		attrs = append(attrs, slog.String("problem", r.Problem))
	}
	line := slog.NewRecord(r.Time.Add(r.Delivery.Duration), level, "request", logged())
	line.AddAttrs(attrs...)
	_ = logger.Handler().Handle(ctx, line) // a logger does not tell either
}

// logged is where lines about requests come from, for logs that tell it. To find that
// anew takes as long as to write the line.
var logged = sync.OnceValue(func() uintptr {
	var pc [1]uintptr
	runtime.Callers(1, pc[:])
	return pc[0]
})

// fail answers with an error. After the header there is no place for one: the
// answer breaks off.
func (x *exchange) fail(e *apiError) {
	x.entry.Problem, x.entry.Unmatched, x.entry.BadHistory, x.entry.Fault = e.reason(), e.unmatched, e.badHistory, e.fault
	if x.headerWritten {
		x.abort = true
		return
	}
	h := e.header.Clone()
	if h == nil {
		h = http.Header{}
	}
	h.Set("Content-Type", e.Shape.ContentType())
	x.reply(e.Status, h, e.Body())
}

// reply answers with a whole body.
func (x *exchange) reply(status int, header http.Header, body []byte) {
	x.enterJournal()
	header.Set("Content-Length", strconv.Itoa(len(body)))
	x.writeHeader(status, header)
	n, err := x.w.Write(body)
	x.countBody(body[:n])
	if err != nil {
		x.err, x.abort = err, true
	}
}

// refuse reads the request, so that closing the connection does not reset it,
// and closes the connection without an answer.
func (x *exchange) refuse(reason string) {
	x.entry.Body, _ = x.readBody()
	x.entry.Problem = reason
	x.entry.Delivery.Ended = journal.EndedAsAuthored
	x.abort = true
	x.closeConn = x.conn.ClosesOnReuse()
}

// writeHeader writes the status and the header, once.
func (x *exchange) writeHeader(status int, header http.Header) {
	if x.headerWritten {
		return
	}
	x.headerWritten = true
	x.entry.Status, x.entry.Advice = status, journal.AdviceIn(header, time.Now)
	x.setHeader(header)
	x.w.WriteHeader(status)
}

// send hands a part of the body to the network and counts it. Without a flush it leaves
// when the answer ends.
func (x *exchange) send(p []byte, flush bool) (int, error) {
	began, before := time.Since(x.entry.Time), x.conn.Written()
	n, err := x.w.Write(p)
	if err == nil && flush {
		if err = x.flush(); err != nil {
			n = 0 // it may be in buffers still
		}
	}
	x.timeWrite(began, time.Since(x.entry.Time))
	if err != nil && x.countsWire() {
		// net/http counts what it has in its buffers. Around the bytes is a chunk.
		head := int64(len(strconv.FormatInt(int64(len(p)), 16)) + 2)
		n = int(max(0, min(int64(len(p)), x.conn.Written()-before-head)))
	}
	x.countBody(p[:n])
	return n, err
}

// timeWrite records from when to when a part of the body was written, counted from the
// request.
func (x *exchange) timeWrite(began, ended time.Duration) {
	w := x.entry.Delivery.TimeWrite(x.sent.Bytes() == 0, began, ended)
	if observe := x.server.config.ObserveWrite; observe != nil && !x.due.IsZero() {
		w.Scenario, w.Late = x.entry.Scenario, max(0, began-x.due.Sub(x.entry.Time))
		observe(w)
	}
	x.due = time.Time{}
}

// countsWire reports whether the connection's bytes are those of this answer.
func (x *exchange) countsWire() bool {
	return x.conn != nil && x.conn.Accepted() && x.r.ProtoMajor == 1 && x.r.TLS == nil && x.turn == nil
}

// countBody counts bytes of the body that are written, and keeps them where that is asked
// for.
func (x *exchange) countBody(p []byte) {
	x.sent.AddBytes(len(p))
	c := &x.server.config
	if room := c.TranscriptLimit - len(x.entry.Transcript); c.KeepTranscripts && room > 0 {
		x.entry.Transcript = append(x.entry.Transcript, p[:min(room, len(p))]...)
	}
}

// flush hands what was written to the network.
func (x *exchange) flush() error {
	if w, ok := x.w.(interface{ FlushError() error }); ok { // as control does, with less on the stack
		return w.FlushError()
	}
	if err := x.control.Flush(); !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}
