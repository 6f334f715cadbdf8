// Package sse reads and writes server-sent events as the WHATWG HTML standard defines them
// (section 9.2, "Server-sent events"). It writes them also in other ways, legal and illegal, in
// which servers do.
package sse

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"strings"
)

// Event is one block of a stream. Fields that are nil are not written. Line ends in
// Event, ID and Retry are written as spaces.
type Event struct {
	Comment *string // Comment becomes a comment line for each of its lines.
	Event   *string
	ID      *string
	Retry   *string
	Data    []byte // Data becomes a data line for each of its lines; nil writes none.
}

// Framing says how events are written. The zero Framing is the usual one: lines end in line
// feeds, and one space follows the colon.
type Framing struct {
	Newline string     // Newline ends each line; "" is a line feed, Mixed draws each one from Rand.
	Blank   string     // Blank ends the blank line, as Newline ends the others; "" is Newline.
	NoSpace bool       // NoSpace leaves out the space after a field's colon.
	Rand    *rand.Rand // Rand is what Mixed draws from.
}

// The line ends that the standard allows, and Mixed, which draws one of them for each line.
const (
	LF    = "\n"
	CRLF  = "\r\n"
	CR    = "\r"
	Mixed = "mixed"
)

// Texts of several lines would end the event, and a client can choose them. Comments and
// data become one field for each line; the other fields become one line. These may not
// contain NUL either.
var (
	lineFeeds = strings.NewReplacer(CRLF, LF, CR, LF)
	oneLine   = strings.NewReplacer(CRLF, " ", CR, " ", LF, " ", "\x00", "\ufffd")
)

// Append adds the event and the blank line that ends it to dst.
func (f Framing) Append(dst []byte, e *Event) []byte {
	if e.Comment != nil {
		for line := range strings.SplitSeq(lineFeeds.Replace(*e.Comment), "\n") {
			dst = f.line(dst, "", line)
		}
	}
	for _, field := range []struct {
		name  string
		value *string
	}{{"event", e.Event}, {"id", e.ID}, {"retry", e.Retry}} {
		if field.value != nil {
			dst = f.line(dst, field.name, oneLine.Replace(*field.value))
		}
	}
	if e.Data != nil {
		data := e.Data
		if bytes.IndexByte(data, '\r') >= 0 {
			data = []byte(lineFeeds.Replace(string(data)))
		}
		for line := range bytes.SplitSeq(data, []byte("\n")) {
			dst = append(f.open(dst, "data", len(line)), line...)
			dst = f.newline(dst, f.Newline)
		}
	}
	return f.newline(dst, cmp.Or(f.Blank, f.Newline))
}

func (f Framing) line(dst []byte, name, value string) []byte {
	dst = append(f.open(dst, name, len(value)), value...)
	return f.newline(dst, f.Newline)
}

// open writes a field's name and colon. An empty value gets no space, so that a
// comment without text is a bare colon.
func (f Framing) open(dst []byte, name string, length int) []byte {
	dst = append(append(dst, name...), ':')
	if !f.NoSpace && length > 0 {
		dst = append(dst, ' ')
	}
	return dst
}

func (f Framing) newline(dst []byte, end string) []byte {
	switch end {
	case "":
		return append(dst, LF...)
	case Mixed:
		ends := [...]string{LF, CRLF, CR}
		if n := len(dst); n > 0 && dst[n-1] == '\r' {
			ends[0] = CRLF // a line feed would make one line end of the two
		}
		return append(dst, ends[f.Rand.IntN(len(ends))]...)
	}
	return append(dst, end...)
}
