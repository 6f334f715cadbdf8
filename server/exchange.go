package server

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"
)

// exchange is one request on its way through the server, and the only one who
// writes its answer.
type exchange struct {
	server    *Server
	w         http.ResponseWriter
	r         *http.Request
	control   *http.ResponseController
	ctx       context.Context // ends when the client leaves or the server closes
	record    Record
	requestID []byte
	begun     bool // the header is written
	abort     bool // the connection must not be used any more
}

// serve makes a handler of what answers an exchange. Everything that happens
// ends up in the record before the connection learns of it.
func (s *Server) serve(answer func(*exchange)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.active.enter()
		x := s.begin(w, r)
		if s.base.Err() == nil {
			release := x.watch()
			x.run(answer)
			release()
		} else {
			x.fail(ownFault(http.StatusServiceUnavailable, codeClosed, errClosed.Error()))
		}
		x.finish()
		s.active.leave()
		if x.abort {
			// The one way that net/http has to end an answer without its proper end.
			panic(http.ErrAbortHandler)
		}
	})
}

func (s *Server) begin(w http.ResponseWriter, r *http.Request) *exchange {
	x := &exchange{server: s, w: w, r: r, ctx: r.Context(), control: http.NewResponseController(w)}
	x.record = Record{
		Time:     time.Now(),
		Method:   r.Method,
		Path:     r.URL.RequestURI(),
		Header:   r.Header,
		Reply:    -1,
		Delivery: Delivery{Step: -1, Ended: EndedOpen},
	}
	x.requestID = requestID(s.config.Seed, r, [sha256.Size]byte{}, 1)
	return x
}

// watch ends the exchange when the server closes, also while it reads from or
// writes to a client that does nothing. The function it returns stops that.
func (x *exchange) watch() (release func()) {
	ctx, cancel := context.WithCancelCause(x.r.Context())
	x.ctx = ctx
	done := make(chan struct{})
	stop := context.AfterFunc(x.server.base, func() {
		defer close(done)
		cancel(errClosed)
		// Not every connection has deadlines; then the context has to do.
		_ = x.control.SetReadDeadline(time.Now())
		_ = x.control.SetWriteDeadline(time.Now())
	})
	return func() {
		if !stop() {
			<-done
		}
		cancel(nil)
	}
}

// run answers, and turns a panic into an error that the client and the log see.
func (x *exchange) run(answer func(*exchange)) {
	defer func() {
		if v := recover(); v != nil {
			x.server.config.Logger.Error("panic", "value", v, "stack", string(debug.Stack()))
			x.fail(ownFault(http.StatusInternalServerError, codeInternal, fmt.Sprintf("the server panicked: %v", v)))
		}
	}()
	answer(x)
}

// note enters the record in the journal, where it can be seen from now on.
func (x *exchange) note() {
	if x.record.ID == 0 {
		x.server.journal.add(&x.record)
	}
}

// finish completes the record and tells it to everybody who wants to know.
func (x *exchange) finish() {
	x.note()
	d := &x.record.Delivery
	d.Duration = time.Since(x.record.Time)
	if d.Ended == EndedOpen {
		d.Ended = x.ended()
	}
	x.server.journal.update(&x.record)
	x.log()
	if observe := x.server.config.Observe; observe != nil {
		observe(x.record.clone())
	}
}

// ended says how an answer ended that was written whole, or broke off.
func (x *exchange) ended() Ended {
	switch {
	case errors.Is(context.Cause(x.ctx), errClosed):
		return EndedByShutdown
	case x.abort:
		return EndedByClient
	}
	return EndedComplete
}

func (x *exchange) log() {
	r := &x.record
	level := slog.LevelInfo
	if r.Problem != "" {
		level = slog.LevelWarn
	}
	attrs := []slog.Attr{slog.String("method", r.Method), slog.String("path", r.Path), slog.Int("status", r.Status)}
	if r.Scenario != "" {
		attrs = append(attrs, slog.String("scenario", r.Scenario), slog.Int("reply", r.Reply))
	}
	attrs = append(attrs, slog.Int("frames", r.Delivery.Frames), slog.Int64("bytes", r.Delivery.Bytes),
		slog.String("ended", string(r.Delivery.Ended)), slog.Duration("duration", r.Delivery.Duration))
	if r.Problem != "" {
		attrs = append(attrs, slog.String("problem", r.Problem))
	}
	x.server.config.Logger.LogAttrs(x.r.Context(), level, "request", attrs...)
}

// fail answers with an error. After the header there is no place for one: the
// answer breaks off.
func (x *exchange) fail(e *apiError) {
	x.record.Problem, x.record.Unmatched = e.reason(), e.unasked
	if x.begun {
		x.abort = true
		return
	}
	h := e.header.Clone()
	if h == nil {
		h = http.Header{}
	}
	h.Set("Content-Type", e.contentType())
	x.reply(e.status, h, e.body())
}

// reply answers with a whole body.
func (x *exchange) reply(status int, header http.Header, body []byte) {
	x.note()
	header.Set("Content-Length", strconv.Itoa(len(body)))
	x.writeHeader(status, header)
	if _, err := x.write(body); err != nil {
		x.abort = true
	}
}

// writeHeader writes the status and the header, once.
func (x *exchange) writeHeader(status int, header http.Header) {
	if x.begun {
		return
	}
	x.begun = true
	x.record.Status = status
	x.setHeader(header)
	x.w.WriteHeader(status)
}

// write writes a part of the body and counts it.
func (x *exchange) write(p []byte) (int, error) {
	n, err := x.w.Write(p)
	x.record.Delivery.Bytes += int64(n)
	x.transcribe(p[:n])
	return n, err
}

// flush hands what was written to the network.
func (x *exchange) flush() error {
	err := x.control.Flush()
	if errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	return err
}

func (x *exchange) transcribe(p []byte) {
	c := &x.server.config
	if room := c.TranscriptLimit - len(x.record.Transcript); c.KeepTranscripts && room > 0 {
		x.record.Transcript = append(x.record.Transcript, p[:min(room, len(p))]...)
	}
}
