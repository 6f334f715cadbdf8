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

// sink takes what a player plays to an HTTP client. The header leaves with the
// first write.
type sink struct {
	x      *exchange
	status int
	header http.Header
	gate   holds.Gate // gate shows others how far the stream is.
	whole  bool       // whole says that the body is one piece and ends in order.
	length [1]string  // length is the value of Content-Length.
	// orderly says that the body ends in order.
	orderly bool
	last    bool // last says that nothing comes after the next write.
}

// begin makes the sink ready for an answer.
func (s *sink) begin(x *exchange, a *answer.Answer) {
	ending := &a.Program.Ending
	s.x, s.status, s.header = x, a.Status, a.Header
	s.whole = !a.Streams && !ending.Breaks() && !ending.Authored
	s.orderly = ending.Kind == player.EndOrderly
}

// writeHeader writes the header, once, and lets the journal show it while the
// body goes on.
func (s *sink) writeHeader() {
	if s.x.headerWritten {
		return
	}
	s.x.writeHeader(s.status, s.header)
	s.x.server.journal.Update(&s.x.entry)
}

// Write implements [player.Sink]: the header leaves with the first bytes.
func (s *sink) Write(p []byte) (int, error) {
	if s.last {
		return s.writeLast(p)
	}
	s.writeHeader()
	return s.x.send(p, true)
}

// writeLast writes what nothing comes after. It leaves together with the end of the body,
// unless net/http would then say in HTTP/2 how long a stream is.
func (s *sink) writeLast(p []byte) (int, error) {
	apart := s.x.r.ProtoMajor == 2 && !s.whole && !s.x.headerWritten
	if !s.x.headerWritten {
		s.sayLength(len(p))
	}
	s.writeHeader()
	s.x.last = lastWrite{from: s.x.conn.Written(), size: int64(len(p)), bytes: s.x.sent.Bytes()}
	s.x.last.frames, s.x.last.step = s.x.sent.Progress()
	if s.endsInChunk() {
		s.x.conn.Gather()
		defer s.x.conn.LetGo()
	}
	return s.x.send(p, apart)
}

// endsInChunk reports whether net/http is going to write something after what is written
// now, on a connection that the answer has for itself: the empty chunk that ends a body.
func (s *sink) endsInChunk() bool {
	if !s.orderly || !s.x.countsWire() || !s.x.r.ProtoAtLeast(1, 1) {
		return false
	}
	h := s.x.w.Header()
	encoding := h["Transfer-Encoding"]
	return h["Content-Length"] == nil && (len(encoding) == 0 || encoding[0] == "chunked")
}

// net/http says by itself how long a body is that fits into its buffer of 2 KiB. Others
// may do so, too, if they do it for bodies of a few KB.
const (
	buffered  = 2 << 10 // buffered is the longest body for which net/http does so.
	shortBody = 4 << 10 // shortBody is longer than those for which others do.
)

// sayLength says how long a body is of which all is there, unless net/http does: a whole
// one has a length, a stream has none. The field is number 15, and a map of 15 takes twice
// the memory of one of 14.
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
func (s *sink) Progress(frames, step int) { s.x.sent.StoreProgress(frames, step) }

// Due implements [player.DueSink].
func (s *sink) Due(at time.Time) { s.x.due = at }

// Closing implements [player.ClosingSink]: a client that has read all may ask again
// before this exchange is over, and then this answer is open no more. The last write
// leaves together with the end of the body.
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

// breakOff ends the answer without the body's proper end. Clients of HTTP/2 drop
// what came together with the end of their stream, so it comes a little later.
func (s *sink) breakOff() {
	if s.x.r.ProtoMajor == 2 && s.x.headerWritten {
		time.Sleep(socket.ResetDelay)
	}
	s.x.abort = true
}
