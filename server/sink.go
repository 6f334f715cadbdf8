package server

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/holds"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/internal/socket"
)

// sink is the [player.Sink] that writes an answer to the client of an exchange. The header
// leaves with the first write.
type sink struct {
	x      *exchange
	status int
	header http.Header
	gate   holds.Gate // gate is where the answer waits at holds.
	whole  bool       // whole says that the answer is not streamed and ends in order.
	length [1]string  // length is the value of Content-Length.
	// orderly says that the body ends in order.
	orderly bool
	last    bool // last says that the next write is the last one.
}

// begin prepares the sink to write the answer a.
func (s *sink) begin(x *exchange, a *answer.Answer) {
	ending := &a.Program.Ending
	s.x, s.status, s.header = x, a.Status, a.Header
	s.whole = !a.Streams && !ending.Breaks() && !ending.Authored
	s.orderly = ending.Kind == player.EndOrderly
}

// writeHeader writes the header, once, and updates the journal entry, which then has the
// status while the body goes on.
func (s *sink) writeHeader() {
	if s.x.headerWritten {
		return
	}
	s.x.writeHeader(s.status, s.header)
	s.x.server.journal.Put(&s.x.entry)
}

// Write implements [player.Sink]: the header leaves with the first bytes.
func (s *sink) Write(p []byte) (int, error) {
	if s.last {
		return s.writeLast(p)
	}
	s.writeHeader()
	return s.x.send(p, true)
}

// writeLast makes the last write. It does not flush, so that the bytes leave together with
// the end of the body. A short stream in HTTP/2 is flushed: net/http would set its length.
func (s *sink) writeLast(p []byte) (int, error) {
	apart := s.x.r.ProtoMajor == 2 && !s.whole && !s.x.headerWritten
	if !s.x.headerWritten {
		s.sayLength(len(p))
	}
	s.writeHeader()
	s.x.last = lastWrite{from: s.x.conn.Written(), size: int64(len(p)), bytes: s.x.sent.Bytes.Load()}
	s.x.last.frames, s.x.last.step = int(s.x.sent.Frames.Load()), int(s.x.sent.Step.Load())
	if s.endsInChunk() {
		s.x.conn.Gather()
		defer s.x.conn.LetGo()
	}
	return s.x.send(p, apart)
}

// endsInChunk reports whether net/http will write the empty chunk that ends a body after
// the last write, on a connection that no other answer uses.
func (s *sink) endsInChunk() bool {
	if !s.orderly || !s.x.countsWire() || !s.x.r.ProtoAtLeast(1, 1) {
		return false
	}
	h := s.x.w.Header()
	encoding := h["Transfer-Encoding"]
	return h["Content-Length"] == nil && (len(encoding) == 0 || encoding[0] == "chunked")
}

// net/http sets the Content-Length of a body that fits into its buffer of 2 KiB. Other
// servers may do so for bodies of a few KB.
const (
	buffered  = 2 << 10 // buffered is the longest body whose length net/http sets.
	shortBody = 4 << 10 // shortBody is longer than the bodies whose length others set.
)

// sayLength gives the header of a whole body of n bytes a length, and keeps net/http from
// giving one to a short stream. Where net/http sets the length of a whole body itself,
// sayLength does not: a map with a 15th field takes twice the memory.
func (s *sink) sayLength(n int) {
	_, written := s.header["Content-Length"]
	_, encoded := s.header["Transfer-Encoding"]
	switch {
	case written || encoded || s.x.r.ProtoMajor != 1:
	case s.whole && n <= buffered && s.x.countsWire(): // net/http does
	case s.whole:
		s.length[0] = strconv.Itoa(n)
		s.x.w.Header()["Content-Length"] = s.length[:]
	case n < shortBody:
		s.x.w.Header()["Transfer-Encoding"] = chunked
	}
}

// chunked is the Transfer-Encoding of bodies without a length.
var chunked = []string{"chunked"}

// Progress implements [player.Watcher].
func (s *sink) Progress(frames, step int) {
	s.x.sent.Frames.Store(int64(frames))
	s.x.sent.Step.Store(int64(step))
}

// Due implements [player.DueSink].
func (s *sink) Due(at time.Time) { s.x.due = at }

// Closing implements [player.ClosingSink]. The answer counts as open no more, because a
// client that has read the last write may send its next request before the handler ends.
func (s *sink) Closing() {
	s.x.admission.End()
	s.last = true
}

// End implements [player.Sink].
func (s *sink) End(kind player.EndingKind) error {
	switch kind {
	case player.EndRefuse:
		s.x.abort = true
		return nil
	case player.EndRefuseReset:
		return s.resetConnection()
	}
	s.x.writeHeader(s.status, s.header)
	switch kind {
	case player.EndCut:
		err := s.x.flush() // the header must leave, if there was nothing else
		s.breakOff()
		return err
	case player.EndReset:
		if err := s.x.flush(); err != nil {
			return err
		}
		return s.resetConnection()
	}
	return nil
}

// resetConnection closes the connection with TCP's RST. Where there is no
// connection to be had, as in HTTP/2, the answer is broken off in that protocol's
// way.
func (s *sink) resetConnection() error {
	conn, _, err := s.x.control.Hijack()
	if errors.Is(err, http.ErrNotSupported) {
		s.breakOff()
		return nil
	}
	if err != nil {
		return err
	}
	return socket.CloseWithReset(conn)
}

// breakOff ends the body without its proper end. Clients of HTTP/2 drop bytes that they
// have not read when the stream is reset, so they get some time for that.
func (s *sink) breakOff() {
	if s.x.r.ProtoMajor == 2 && s.x.headerWritten {
		time.Sleep(socket.ResetDelay)
	}
	s.x.abort = true
}
