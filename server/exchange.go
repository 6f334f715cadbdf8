package server

import (
	"context"
	"crypto/sha256"
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
	"github.com/fakeopenai/fakeopenai/server/internal/secret"
	"github.com/fakeopenai/fakeopenai/server/internal/session"
	"github.com/fakeopenai/fakeopenai/server/internal/socket"
	"github.com/fakeopenai/fakeopenai/server/internal/stored"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// exchange is one HTTP request and its answer. Only the goroutine of the handler uses it,
// but for the fields that say otherwise.
type exchange struct {
	server  *Server
	w       http.ResponseWriter
	r       *http.Request
	vars    map[string]string // vars are the variables in the path, escaped.
	control http.ResponseController
	conn    *socket.Conn    // conn is the request's connection; nil if the server does not know it.
	open    context.Context // open ends with the request's context, when the server closes, and with the exchange.
	ctx     context.Context // ctx is open; for a response in the background it also ends with that.

	entry         journal.Entry // entry is the journal entry of the request.
	sent          journal.Sent  // sent counts what is sent; the journal reads it while the answer is open.
	requestID     requestID     // requestID is the id in the header; zero until it is drawn.
	headerWritten bool          // headerWritten says that the header is written.
	abort         bool          // abort says that the body breaks off without its proper end.
	// bodySum is the hash of the body of a request to a surface.
	bodySum [sha256.Size]byte
	// closeConn says that an abort also closes the connection. In HTTP/2 an abort alone
	// ends only the stream.
	closeConn bool
	due       time.Time // due is when the next write was scheduled; zero if it has no schedule.
	err       error     // err is the error that ended the writing; nil if there was none.
	// rules are the limits that count for the request; nil until they are known.
	rules     []limits.Rule
	admission *limits.Admission // admission is the place of the request in its limits; nil if it has none.
	made      *answer.Answer    // made is the answer to play; nil if there is none.
	kept      *stored.Response  // kept is the answer in the store; nil if it is not kept there.
	// hasShutdownEvent says that the answer has a shutdown event. endWaits reads it
	// from another goroutine.
	hasShutdownEvent atomic.Bool
	last             lastWrite // last is the write that net/http sends together with the end of the body.
	incomplete       bool      // incomplete says that the scenario gives the client no whole answer.
	endsEarly        bool      // endsEarly says that the scenario ends the body in order before the answer is complete.

	sink     sink          // sink receives the frames of the answer.
	turn     *session.Turn // turn is the WebSocket turn that asks; nil for a request over HTTP.
	lane     *stored.Lane  // lane has the last response of the turn's lane, to go on from; nil over HTTP.
	upgraded MessageConn   // upgraded is the WebSocket connection that the request became; nil if it did not.
}

// serve answers a request to OpenAI's API. The journal entry of the request is complete
// before the client sees the end of its response.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.active.Enter()
	answer, vars := s.endpoint(r)
	x := s.newExchange(w, r)
	x.vars = vars
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
		// net/http has no other way to end a body without its proper end.
		panic(http.ErrAbortHandler)
	}
}

// perform calls answer and plays what it made, unless the server is closed or the
// connection refuses the request. Then it completes the journal entry.
func (x *exchange) perform(answer func(*Server, *exchange)) {
	switch refusal := x.conn.Refusal(); {
	case x.server.serving.Err() != nil:
		x.fail(serverClosed)
	case refusal != "":
		x.refuse(refusal)
	default:
		end := x.begin()
		x.run(answer)
		end()
	}
	if x.upgraded == nil {
		x.finish()
	}
}

// serverClosed is the 503 of a server that was closed.
var serverClosed = ownFault(http.StatusServiceUnavailable, apierror.CodeClosed, errClosed.Error())

func (s *Server) newExchange(w http.ResponseWriter, r *http.Request) *exchange {
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
	x.sent.Step.Store(-1)
	x.entry.Follow(&x.sent)
	x.entry.Delivery.Reused = x.entry.Delivery.RequestNumber > 1
	return x
}

// begin sets the context of the exchange. The caller must call end, after which nothing
// uses the response writer any more.
func (x *exchange) begin() (end func()) {
	ctx, cancel := context.WithCancelCause(x.r.Context())
	closed := make(chan struct{})
	stop := context.AfterFunc(x.server.serving, func() {
		defer close(closed)
		cancel(errClosed)
		x.endWaits()
	})
	x.open, x.ctx = ctx, ctx
	return func() {
		if !stop() {
			<-closed
		}
		cancel(nil)
	}
}

// closed reports whether the server closed while the exchange was open.
func (x *exchange) closed() bool {
	return x.open != nil && errors.Is(context.Cause(x.open), errClosed)
}

// endWaits sets deadlines that end reads and writes which wait for the client, because the
// server closes. A connection without deadlines is ended by the context alone.
func (x *exchange) endWaits() {
	now := time.Now()
	_ = x.control.SetReadDeadline(now)
	if x.hasShutdownEvent.Load() {
		now = now.Add(shutdownGrace)
	}
	_ = x.control.SetWriteDeadline(now)
}

// run calls answer and plays what it made. A panic becomes a 500 and a line in the log.
func (x *exchange) run(answer func(*Server, *exchange)) {
	defer func() {
		x.admission.End()
		x.kept.Abandon() // does nothing if the answer is complete
		if v := recover(); v != nil {
			x.server.config.Logger.Error("panic", "value", v, "stack", string(debug.Stack()))
			x.fail(failure(fmt.Sprintf("the server panicked: %v", v)))
		}
	}()
	answer(x.server, x)
	x.play()
}

// enterJournal adds the entry to the journal, once. From then on users can see it.
func (x *exchange) enterJournal() {
	if x.entry.ID == 0 {
		x.server.journal.Put(&x.entry)
	}
}

// finish completes the entry and passes it to the journal, the log and [Config.Observe].
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
	x.server.journal.Put(&x.entry)
	x.log()
	if observe := x.server.config.Observe; observe != nil {
		observe(x.entry)
	}
}

// ended is how the answer ended, where playing it has not said so.
func (x *exchange) ended() journal.Ending {
	switch {
	case x.closed():
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

// shownPath is the path as the log shows it: without secrets, unless they are to be shown.
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
	_ = logger.Handler().Handle(ctx, line) // slog.Logger ignores this error, too
}

// logged is the program counter of lines about requests, for logs with source positions.
// It is looked up once, because that takes as long as writing a line.
var logged = sync.OnceValue(func() uintptr {
	var pc [1]uintptr
	runtime.Callers(1, pc[:])
	return pc[0]
})

// fail answers with an error. If the header is written already, the body breaks off.
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

// refuse closes the connection without an answer. It reads the body before, because to
// close a connection with unread bytes would reset it.
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

// send writes a part of the body and counts its bytes. Without flush, net/http sends them
// when the handler returns. The result is how many bytes the connection took.
func (x *exchange) send(p []byte, flush bool) (int, error) {
	began, before := time.Since(x.entry.Time), x.conn.Written()
	n, err := x.w.Write(p)
	if err == nil && flush {
		if err = x.flush(); err != nil {
			n = 0 // the bytes may still be in a buffer
		}
	}
	x.timeWrite(began, time.Since(x.entry.Time))
	if err != nil && x.countsWire() {
		// The n of net/http includes its buffers, so the connection's count is used. It
		// includes the head of the HTTP chunk.
		head := int64(len(strconv.FormatInt(int64(len(p)), 16)) + 2)
		n = int(max(0, min(int64(len(p)), x.conn.Written()-before-head)))
	}
	x.countBody(p[:n])
	return n, err
}

// timeWrite records a write of a part of the body. Its times count from the request.
func (x *exchange) timeWrite(began, ended time.Duration) {
	w := x.entry.Delivery.TimeWrite(x.sent.Bytes.Load() == 0, began, ended)
	if observe := x.server.config.ObserveWrite; observe != nil && !x.due.IsZero() {
		w.Scenario, w.Late = x.entry.Scenario, max(0, began-x.due.Sub(x.entry.Time))
		observe(w)
	}
	x.due = time.Time{}
}

// countsWire reports whether the bytes that the connection counts are those of this answer.
func (x *exchange) countsWire() bool {
	return x.conn != nil && x.conn.Accepted() && x.r.ProtoMajor == 1 && x.r.TLS == nil && x.turn == nil
}

// countBody counts bytes of the body that were sent, and adds them to the transcript if
// the server keeps transcripts.
func (x *exchange) countBody(p []byte) {
	x.sent.Bytes.Add(int64(len(p)))
	c := &x.server.config
	if room := c.TranscriptLimit - len(x.entry.Transcript); c.KeepTranscripts && room > 0 {
		x.entry.Transcript = append(x.entry.Transcript, p[:min(room, len(p))]...)
	}
}

// flush sends what net/http has in its buffers. It does nothing where the writer cannot flush.
func (x *exchange) flush() error {
	if w, ok := x.w.(interface{ FlushError() error }); ok { // x.control does the same with a deeper stack
		return w.FlushError()
	}
	if err := x.control.Flush(); !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}
