package player

import (
	"bytes"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/server/internal/hole"
)

// Template is bytes with holes that are filled in from a stream's [Values].
type Template struct {
	head  *Head          // head is what the template begins with, or nil.
	data  []byte         // data is what follows the head, without the holes.
	holes []templateHole // holes are the holes in data.
	// runes is the length of the JSON text, head included and holes left out,
	// for the padding.
	runes int
	large bool // large says that it is too large to be put together before it is written.
}

// templateHole is where a hole is in a template.
type templateHole struct {
	at     int // at is a position in data.
	id     hole.ID
	repeat *Repeat // repeat is what is in the hole, if that is the same for all streams.
}

// Head is the beginning that the frames of a stream have in common. A stream
// fills its holes in once.
type Head struct {
	Template
	marked string // marked are the bytes with their holes, as NewTemplate was given them.
	// clock says that one of the holes is the time, so that each frame fills it
	// anew.
	clock bool
}

// Heads finds the heads that templates have in common. The zero value is ready
// to use.
type Heads struct {
	// Repeats are texts that are too large to be held, escaped for JSON strings.
	Repeats map[hole.ID]*Repeat
	// One says that there is one template only: it needs no head.
	One bool

	known []*Head
}

// NewTemplate takes bytes with holes (see package hole). JSON is the JSON text
// inside them, marked in the same way: its length decides how much padding it
// gets.
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

// maxHead is how long a head can be. A stream holds it once more, filled in: in an
// answer in one piece all the text may stand before the last hole of the envelope.
const maxHead = 4 << 10

// headLength is how much of marked leads up to the last hole of the envelope
// that comes before the first hole of another kind, and before maxHead.
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
	for _, b := range added.holes {
		added.clock = added.clock || b.id == hole.Clock
	}
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
		if r := h.Repeats[id]; r != nil {
			t.addRepeat(r, id)
		} else {
			t.holes = append(t.holes, templateHole{at: len(t.data), id: id})
		}
		marked = marked[at+hole.Len:]
	}
	t.data = append(t.data, marked...)
	return t
}

// addRepeat adds a repeated text as a JSON string.
func (t *Template) addRepeat(r *Repeat, id hole.ID) {
	t.data = append(t.data, '"')
	t.holes = append(t.holes, templateHole{at: len(t.data), id: id, repeat: r})
	t.data = append(t.data, '"')
	t.runes += r.runes + len(`""`)
	t.large = true
}

// Literal is a template without holes. The bytes are not copied.
func Literal(b []byte) Template { return Template{data: b, large: len(b) > blockSize} }

// Repeated is a template of nothing but repeated bytes.
func Repeated(r *Repeat) Template {
	return Template{holes: []templateHole{{repeat: r}}, large: true}
}

// Data is the bytes of a template without holes.
func (t *Template) Data() []byte { return t.data }

// WithoutLastLine is the template without its last line end: the blank line
// that closes an event.
func (t Template) WithoutLastLine() Template {
	n := len(t.data)
	switch {
	case bytes.HasSuffix(t.data, []byte("\r\n")):
		n -= 2
	case n > 0 && (t.data[n-1] == '\n' || t.data[n-1] == '\r'):
		n--
	}
	t.data = t.data[:n:n]
	return t
}

// HasHoles reports whether the bytes differ from stream to stream.
func (t *Template) HasHoles() bool { return t.head != nil || len(t.holes) > 0 }

// Bytes are all the bytes, holes filled in.
func (t *Template) Bytes(v *Values) []byte {
	size := len(t.data)
	for _, b := range t.holes {
		if b.repeat != nil {
			size += b.repeat.size()
		}
	}
	const others = 512 // about as many bytes as the head and the other holes take
	return t.Append(make([]byte, 0, size+others), v)
}

// Append adds the bytes, holes filled in, to dst.
func (t *Template) Append(dst []byte, v *Values) []byte {
	if t.head != nil {
		dst = append(dst, v.headOf(t.head)...)
	}
	from := 0
	for i := range t.holes {
		b := &t.holes[i]
		dst = append(dst, t.data[from:b.at]...)
		switch {
		case b.repeat != nil:
			dst = b.repeat.append(dst)
		case b.id == hole.Piece:
			dst = append(dst, v.piece.json...)
		default:
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
	}
	return append(dst, v.Get(id)...)
}

// Skip draws from the values what Append would draw, so that the frames that
// follow have the bytes that they would have after it.
func (t *Template) Skip(v *Values) {
	for _, b := range t.holes {
		if b.repeat == nil && b.id == hole.Padding {
			v.appendPadding(nil, t)
		}
	}
}
