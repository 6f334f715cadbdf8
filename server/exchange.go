package server

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/holds"
	"github.com/fakeopenai/fakeopenai/server/internal/limits"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/secret"
	"github.com/fakeopenai/fakeopenai/server/internal/socket"
	"github.com/fakeopenai/fakeopenai/server/internal/stored"
	"github.com/fakeopenai/fakeopenai/server/internal/websocket"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// exchange is one HTTP request and its answer. Only the goroutine of the handler uses it,
// but for the fields that say otherwise. It is the [player.Sink] of the answer.
type exchange struct {
	server  *Server
	w       http.ResponseWriter
	r       *http.Request
	vars    map[string]string // vars are the variables in the path, escaped.
	control http.ResponseController
	conn    *socket.Conn    // conn is the request's connection; nil if the server does not know it.
	closing sync.WaitGroup  // closing waits for the goroutine that ends the waits of the exchange when the server closes.
	open    context.Context // open ends with the request's context, when the server closes, and with the exchange.
	ctx     context.Context // ctx is the context of the answer: that of open or, for a response in the background, one that also ends with the response.

	key       limits.Sum        // key is the hash of the API key, under which the request is counted.
	entry     journal.Entry     // entry is the journal entry of the request.
	sent      journal.Sent      // sent counts what is sent; the journal reads it while the answer is open.
	bodySum   [sha256.Size]byte // bodySum is the hash of the body of a request to a surface.
	requestID requestID         // requestID is the id in the header; zero until it is drawn.
	// rules are the limits that count for the request; nil until they are known.
	rules     []limits.Rule
	admission *limits.Admission // admission is the place of the request in its limits; nil if it has none.

	made *answer.Answer   // made is the answer to play; nil if there is none.
	kept *stored.Response // kept is the answer in the store; nil if it is not kept there.
	gate holds.Gate       // gate is where the answer waits at holds.
	// hasShutdownEvent says that the answer has a shutdown event. endWaits reads it
	// from another goroutine.
	hasShutdownEvent atomic.Bool
	endsEarly        bool // endsEarly says that the scenario ends the body in order before the answer is complete.
	// closesWith and closeReason are what a close frame after the answer says; 0 is the usual code.
	closesWith  int
	closeReason string

	headerWritten bool      // headerWritten says that the header is written.
	last          lastWrite // last is the write that net/http sends together with the end of the body.
	err           error     // err is the error that ended the writing; nil if there was none.
	abort         bool      // abort says that the body breaks off without its proper end.
	// closeConn says that an abort also closes the connection. In HTTP/2 an abort alone
	// ends only the stream.
	closeConn bool

	reacted  *answer.Asked            // reacted is what is asked after a message of the client, for the rest of the answer.
	steering *steering                // steering takes messages that steer answers; nil where none do.
	steered  *steered                 // steered is the answer if messages of the client can steer it; else nil.
	turn     *websocket.Turn          // turn is the WebSocket turn that asks; nil for a request over HTTP.
	lane     *stored.Lane             // lane has the last response of the turn's lane, to go on from; nil over HTTP.
	upgraded MessageConn              // upgraded is the WebSocket connection that the request became; nil if it did not.
	converse func(*Server, *exchange) // converse runs the session on the upgraded connection.
}

// serve answers a request to OpenAI's API, which is the one with this number on its connection.
// The journal entry of the request is complete before the client sees the end of its response.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, conn *socket.Conn, number int64) {
	s.active.enter()
	answer, vars := s.endpoint(r)
	x := s.newExchange(w, r, conn, number)
	x.vars = vars
	x.perform(answer)
	s.active.leave()
	if x.upgraded != nil {
		x.converse(s, x)
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

func (s *Server) newExchange(w http.ResponseWriter, r *http.Request, conn *socket.Conn, number int64) *exchange {
	x := &exchange{server: s, w: w, r: r, ctx: r.Context(), control: *http.NewResponseController(w), conn: conn}
	x.entry = journal.Entry{
		Time:     time.Now(),
		Method:   r.Method,
		Path:     s.pathSent(r),
		Header:   r.Header,
		APIKey:   request.APIKey(r.Header),
		Reply:    -1,
		Delivery: journal.Delivery{Step: -1, Ended: journal.EndedOpen, Protocol: r.Proto, RequestNumber: number, Reused: number > 1},
	}
	x.key = limits.SumOf(x.entry.APIKey)
	x.sent.Step.Store(-1)
	x.entry.Follow(&x.sent)
	return x
}

// serverClosed is the 503 of a server that was closed.
var serverClosed = ownFault(http.StatusServiceUnavailable, apierror.CodeClosed, errClosed.Error())

// perform calls answer and plays what it made, unless the server is closed or the
// connection refuses the request. Then it completes the journal entry.
func (x *exchange) perform(answer func(*Server, *exchange)) {
	switch refusal := x.conn.Refusal(); {
	case x.server.serving.Err() != nil:
		x.fail(serverClosed)
	case refusal != "":
		x.refuse(refusal)
	default:
		x.run(answer)
	}
	if x.turn != nil {
		if err := x.turn.Finish(); err != nil {
			x.err, x.abort = err, true
		}
	}
	if x.upgraded == nil {
		x.finish()
	}
}

// run calls answer and plays what it made, in a context that ends when the server closes. A
// panic becomes a 500 and a line in the log.
func (x *exchange) run(answer func(*Server, *exchange)) {
	ctx, cancel := context.WithCancelCause(x.r.Context())
	x.closing.Add(1)
	stop := context.AfterFunc(x.server.serving, func() {
		defer x.closing.Done()
		cancel(errClosed)
		x.endWaits()
	})
	x.open, x.ctx = ctx, ctx
	defer func() {
		x.admission.End()
		if x.kept != nil {
			x.kept.Abandon() // does nothing if the answer is complete
		}
		if v := recover(); v != nil {
			x.server.config.Logger.Error("panic", "value", v, "stack", string(debug.Stack()))
			x.fail(failure(fmt.Sprintf("the server panicked: %v", v)))
		}
		if !stop() {
			x.closing.Wait() // after the exchange nothing uses the response writer
		}
		cancel(nil)
	}()
	answer(x.server, x)
	x.play()
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

// finish completes the entry of a request whose answer has ended, and passes it to the journal,
// the log and [Config.Observe].
func (x *exchange) finish() {
	x.entry.Follow(nil) // the counts are final, and the journal must not hold on to the exchange
	d := &x.entry.Delivery
	d.Duration = time.Since(x.entry.Time)
	switch {
	case d.Ended != journal.EndedOpen: // playing the answer has said how it ended
	case x.closed():
		d.Ended = journal.EndedByShutdown
	case x.abort:
		d.Ended = journal.EndedByClient
	default:
		d.Ended = journal.EndedComplete
	}
	if x.r.Context().Err() != nil {
		x.takeBack()
	}
	if d.Ended == journal.EndedComplete || d.Ended == journal.EndedAsAuthored {
		x.server.holds.Answered(&x.gate)
	}
	broken := d.Ended == journal.EndedByClient || d.Ended == journal.EndedByShutdown
	if broken {
		x.recordDeparture()
	}
	if x.turn != nil {
		d.CloseCode = x.closeCode()
	}
	x.entry.Answer = x.clientGot()
	x.entry.Failed = x.entry.Answer.IsFailure()
	x.warnOfBody()
	if x.made != nil {
		x.made.Release()
	}
	if x.entry.ID == 0 {
		open := x.entry
		open.Delivery.Ended = journal.EndedOpen
		x.server.journal.Put(&open)
		x.entry.ID = open.ID
	}
	x.log()
	if observe := x.server.config.Observe; observe != nil {
		observe(x.entry)
	}
	x.server.journal.Put(&x.entry) // those who wait for the end find that it was observed
}

// log writes the line about the request.
func (x *exchange) log() {
	e, d := &x.entry, &x.entry.Delivery
	level := slog.LevelInfo
	switch {
	case e.Fault:
		level = slog.LevelError
	case e.Problem != "" || len(e.Warnings) > 0:
		level = slog.LevelWarn
	}
	logger, ctx := x.server.config.Logger, x.r.Context()
	if !logger.Enabled(ctx, level) {
		return
	}
	var masks *secret.Request
	if !x.server.config.ShowSecrets {
		masks = secret.Of(e.Header, e.Path, e.APIKey)
	}
	const most = 14 // so that the list is on the stack
	attrs := append(make([]slog.Attr, 0, most), slog.Int64("request", e.ID), slog.String("method", e.Method), slog.String("path", masks.Path(e.Path)), slog.Int("status", e.Status))
	if e.Scenario != "" {
		attrs = append(attrs, slog.String("scenario", e.Scenario), slog.Int("reply", e.Reply))
	}
	attrs = append(attrs, slog.Int("frames", d.Frames), slog.Int64("bytes", d.Bytes), slog.String("ended", string(d.Ended)), slog.String("duration", d.Duration.String()))
	if d.Left != "" {
		attrs = append(attrs, slog.String("left", string(d.Left)))
	}
	if e.Injected != "" {
		attrs = append(attrs, slog.String("injected", e.Injected))
	}
	if e.Problem != "" {
		attrs = append(attrs, slog.String("problem", masks.Text(e.Problem)))
	}
	if len(e.Warnings) > 0 {
		attrs = append(attrs, slog.String("warning", masks.Text(strings.Join(e.Warnings, "; "))))
	}
	logger.LogAttrs(ctx, level, "request", attrs...)
}

// fail answers with an error. If the header is written already, the body breaks off.
func (x *exchange) fail(e *apiError) {
	x.entry.Problem, x.entry.Unmatched, x.entry.BadHistory, x.entry.Fault = cmp.Or(e.problem, e.Message), e.unmatched, e.badHistory, e.fault
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
	header.Set("Content-Length", strconv.Itoa(len(body)))
	began := time.Since(x.entry.Time)
	if x.isTraced() {
		frame := journal.PlannedFrame{At: began, Kind: "body", Bytes: body}
		plan := journal.Plan{Status: status, Header: header, Start: began, EndAt: began, Frames: []journal.PlannedFrame{frame}}
		x.entry.Made, x.entry.Trace = nil, &journal.Trace{Plan: plan, Speed: x.server.config.Speed, Frames: 1}
	}
	x.writeHeader(status, header)
	n, err := x.w.Write(body)
	x.countBody(body[:n])
	x.entry.Trace.Wrote(journal.TracedWrite{Began: began, Ended: time.Since(x.entry.Time), Bytes: n})
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

// send writes a part of the body and counts its bytes and, if it succeeds, its frames; record
// counts those of a write that fails. Without flush, net/http sends the bytes when the handler
// returns. The result is how many bytes the connection took. If w is not due at a time, the
// write has no schedule.
func (x *exchange) send(p []byte, w *player.Write, flush bool) (int, error) {
	packets := x.packets()
	began, before := time.Since(x.entry.Time), x.conn.Written()
	n, err := x.w.Write(p)
	if err == nil && flush {
		if err = x.flush(); err != nil {
			n = 0 // the bytes may still be in a buffer
		}
	}
	ended := time.Since(x.entry.Time)
	written := x.entry.Delivery.TimeWrite(x.sent.Bytes.Load() == 0, began, ended)
	if observe := x.server.config.ObserveWrite; observe != nil && !w.Due.IsZero() {
		written.Scenario, written.Late = x.entry.Scenario, max(0, began-w.Due.Sub(x.entry.Time))
		observe(written)
	}
	if err != nil && x.countsWire() {
		// The n of net/http includes its buffers, so the connection's count is used. It
		// includes the head of the HTTP chunk.
		head := int64(len(strconv.FormatInt(int64(len(p)), 16)) + 2)
		n = int(max(0, min(int64(len(p)), x.conn.Written()-before-head)))
	}
	x.countBody(p[:n])
	x.entry.Trace.Wrote(journal.TracedWrite{Began: began, Ended: ended, Bytes: n, Packets: x.packets() - packets})
	if err == nil {
		x.sent.Frames.Store(int64(w.Frames))
		x.sent.Step.Store(int64(w.Step))
	}
	return n, err
}

// packets is how many packets the connection has sent so far, if the exchange has a trace.
func (x *exchange) packets() int {
	if x.entry.Trace == nil {
		return 0
	}
	return x.conn.Packets()
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
