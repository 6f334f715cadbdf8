package server

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/internal/socket"
)

// This file makes an exchange the [player.Sink] of its answer. The header leaves with the first
// write.

// Write implements [player.Sink].
func (x *exchange) Write(p []byte, w *player.Write) (int, error) {
	if w.Last {
		return x.writeLast(p, w)
	}
	x.writeHeader(x.made.Status, x.made.Header)
	return x.send(p, w, true)
}

// writeLast makes the last write. It does not flush, so that the bytes leave together with
// the end of the body. In Write itself it would make the stack of each waiting stream larger.
// The answer counts as open no more, because a client that has read the last write may send
// its next request before the handler ends.
func (x *exchange) writeLast(p []byte, w *player.Write) (int, error) {
	x.admission.End()
	a, ending, flush := x.made, &x.made.Program.Ending, false
	if !x.headerWritten {
		flush = x.sayLength(!a.Streams && !ending.Breaks() && !ending.Authored, len(p))
	}
	x.writeHeader(a.Status, a.Header)
	x.last = lastWrite{from: x.conn.Written(), size: int64(len(p)), bytes: x.sent.Bytes.Load(), frames: int(x.sent.Frames.Load()), step: int(x.sent.Step.Load())}
	if ending.Kind == player.EndOrderly && x.endsInChunk() {
		x.conn.Gather()
		defer x.conn.LetGo()
	}
	return x.send(p, w, flush)
}

// net/http says the length of a body that fits into its buffer of 2 KiB, behind all other header
// fields. Other servers may do so for bodies of a few KB.
const (
	buffered  = 2 << 10 // buffered is the longest body whose length net/http says.
	shortBody = 4 << 10 // shortBody is longer than the bodies whose length others say.
)

// sayLength gives the header of a body of n bytes that is written at once a length if it is
// whole, and keeps the server from giving one to a short stream. It reports whether the write
// must be flushed for that, as in HTTP/2.
func (x *exchange) sayLength(whole bool, n int) (flush bool) {
	h := x.made.Header
	switch {
	case x.r.ProtoMajor == 2:
		return !whole
	case h["Content-Length"] != nil || h["Transfer-Encoding"] != nil || x.r.ProtoMajor != 1:
	case whole && n <= buffered && x.countsWire(): // net/http does
	case whole:
		x.w.Header().Set("Content-Length", strconv.Itoa(n))
	case n < shortBody:
		x.w.Header()["Transfer-Encoding"] = chunked
	}
	return false
}

// endsInChunk reports whether net/http will write the empty chunk that ends a body after
// the last write, on a connection that no other answer uses.
func (x *exchange) endsInChunk() bool {
	if !x.countsWire() || !x.r.ProtoAtLeast(1, 1) {
		return false
	}
	h := x.w.Header()
	encoding := h["Transfer-Encoding"]
	return h["Content-Length"] == nil && (len(encoding) == 0 || encoding[0] == "chunked")
}

// End implements [player.Sink].
func (x *exchange) End(kind player.EndingKind) error {
	x.admission.End() // before the client can see the end
	switch kind {
	case player.EndRefuse:
		x.abort = true
		return nil
	case player.EndRefuseReset:
		return x.resetConnection()
	}
	x.writeHeader(x.made.Status, x.made.Header)
	switch kind {
	case player.EndCut:
		err := x.flush() // the header must leave, if there was nothing else
		x.breakOff()
		return err
	case player.EndReset:
		if err := x.flush(); err != nil {
			return err
		}
		return x.resetConnection()
	}
	return nil
}

// resetConnection closes the connection with TCP's RST. Where there is no
// connection to be had, as in HTTP/2, the answer is broken off in that protocol's
// way.
func (x *exchange) resetConnection() error {
	conn, _, err := x.control.Hijack()
	if errors.Is(err, http.ErrNotSupported) {
		x.breakOff()
		return nil
	}
	if err != nil {
		return err
	}
	return socket.CloseWithReset(conn)
}

// breakOff ends the body without its proper end. Clients of HTTP/2 drop bytes that they
// have not read when the stream is reset, so they get some time for that.
func (x *exchange) breakOff() {
	if x.r.ProtoMajor == 2 && x.headerWritten {
		time.Sleep(socket.ResetDelay)
	}
	x.abort = true
}
