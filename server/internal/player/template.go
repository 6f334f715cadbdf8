package player

import (
	"bytes"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/server/internal/hole"
)

// Template is bytes with holes, which the [Values] of a stream fill.
type Template struct {
	head  *Head          // head has the first bytes of the template; nil if data has all.
	data  []byte         // data has the bytes after the head, without the holes.
	holes []templateHole // holes are the holes in data.
	// runes is the length of the JSON text in characters, with the head and without the
	// holes. The length of padding is computed from it.
	runes int
	large bool // large says that the bytes are more than a block: see appendInBlocks.
}

type templateHole struct {
	at int // at is a position in data.
	id hole.ID
}

// Head has the first bytes of all frames of a stream, such as the envelope. A stream fills
// its holes once.
type Head struct {
	Template
	marked string // marked has the bytes with their marked holes, as NewTemplate got them.
	// clock says that one of the holes is the current time, so that each frame fills the
	// holes anew.
	clock bool
}

// Heads makes templates, and lets those that begin alike share a Head. The zero value is
// ready to use.
type Heads struct {
	// One says that only one template is made, which therefore needs no head.
	One bool

	known []*Head
}

// NewTemplate makes a template of bytes with marked holes (see package hole). JSON is the
// JSON text inside these bytes, marked in the same way: the length of its padding is
// computed from its length.
func (h *Heads) NewTemplate(marked, json []byte) Template {
	n := 0
	if !h.One {
		n = headLength(marked)
	}
	t := h.template(marked[n:])
	t.runes += utf8.RuneCount(json) - hole.Len*len(t.holes)
	if n > 0 {
		t.head = h.head(string(marked[:n]))
		t.runes -= hole.Len * len(t.head.holes)
	}
	return t
}

// maxHead is the largest size of a head in bytes. Each stream holds a copy with filled
// holes, and in an answer that is not streamed, all the text may stand before the last hole
// of the envelope.
const maxHead = 4 << 10

// headLength is how many bytes of marked belong to the head: those up to the last hole of
// the envelope before the first hole of another kind, and at most maxHead.
func headLength(marked []byte) int {
	n := 0
	for {
		at, id := hole.Next(marked[n:])
		if at < 0 || !id.InEnvelope() || n+at+hole.Len > maxHead {
			return n
		}
		n += at + hole.Len
	}
}

func (h *Heads) head(marked string) *Head {
	for _, known := range h.known {
		if known.marked == marked {
			return known
		}
	}
	added := &Head{Template: h.template([]byte(marked)), marked: marked}
	added.clock = slices.ContainsFunc(added.holes, func(b templateHole) bool { return b.id == hole.Clock })
	h.known = append(h.known, added)
	return added
}

func (h *Heads) template(marked []byte) Template {
	t := Template{data: make([]byte, 0, len(marked)), large: len(marked) > blockSize}
	for {
		at, id := hole.Next(marked)
		if at < 0 {
			break
		}
		t.data = append(t.data, marked[:at]...)
		t.holes = append(t.holes, templateHole{at: len(t.data), id: id})
		marked = marked[at+hole.Len:]
	}
	t.data = append(t.data, marked...)
	return t
}

// Literal is a template without holes. The bytes are not copied.
func Literal(b []byte) Template { return Template{data: b, large: len(b) > blockSize} }

// Data is the bytes of a template without holes.
func (t *Template) Data() []byte { return t.data }

// WithoutLastLine returns the template without its last line end: the blank line that ends
// an event.
func (t Template) WithoutLastLine() Template {
	t.data = slices.Clip(bytes.TrimSuffix(bytes.TrimSuffix(t.data, []byte("\n")), []byte("\r")))
	return t
}

// HasHoles reports whether the template has holes.
func (t *Template) HasHoles() bool { return t.head != nil || len(t.holes) > 0 }

// Bytes returns all bytes, with the holes filled.
func (t *Template) Bytes(v *Values) []byte {
	const others = 512 // about the size of the head and of what fills the holes
	return t.Append(make([]byte, 0, len(t.data)+others), v)
}

// Append appends the bytes to dst, with the holes filled.
func (t *Template) Append(dst []byte, v *Values) []byte {
	if t.head != nil {
		dst = append(dst, v.headOf(t.head)...)
	}
	from := 0
	for i := range t.holes {
		b := &t.holes[i]
		dst = append(dst, t.data[from:b.at]...)
		if b.id == hole.Piece {
			dst = append(dst, v.piece.json...)
		} else {
			dst = t.appendHole(dst, b.id, v)
		}
		from = b.at
	}
	return append(dst, t.data[from:]...)
}

func (t *Template) appendHole(dst []byte, id hole.ID, v *Values) []byte {
	switch id {
	case hole.Padding:
		return v.appendPadding(dst, t)
	case hole.Clock:
		return v.appendClock(dst)
	case hole.Due:
		return strconv.AppendInt(dst, v.began+int64(v.due/time.Second), 10)
	}
	return append(dst, v.Get(id)...)
}

// appendInBlocks is [Template.Append] for a template that is larger than a block. Whenever
// dst has grown to a block, it is written and emptied. The bytes that it returns are not
// written yet.
func (t *Template) appendInBlocks(dst []byte, v *Values, write func([]byte) error) ([]byte, error) {
	s := blockWriter{dst: dst, write: write}
	if t.head != nil {
		s.dst = append(s.dst, v.headOf(t.head)...)
	}
	from := 0
	for _, b := range t.holes {
		s.add(t.data[from:b.at])
		s.dst = t.appendHole(s.dst, b.id, v)
		from = b.at
	}
	s.add(t.data[from:])
	return s.dst, s.err
}

// blockWriter is the state of [Template.appendInBlocks].
type blockWriter struct {
	dst   []byte
	write func([]byte) error
	err   error // err is that of the first write that failed; nothing is added after it.
}

// add appends p. A full block is written when there is more to append, so that the last
// bytes stay for the caller.
func (s *blockWriter) add(p []byte) {
	for len(p) > 0 && s.err == nil {
		if len(s.dst) >= blockSize {
			s.err = s.write(s.dst)
			s.dst = s.dst[:0]
		}
		n := min(len(p), max(0, blockSize-len(s.dst)))
		s.dst = append(s.dst, p[:n]...)
		p = p[n:]
	}
}
