package player

import (
	"bytes"
	"math/rand/v2"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// Template is bytes with holes that are filled in from a stream's [Values].
type Template struct {
	head  *Head  // what it begins with, or nil
	data  []byte // what follows, without the holes
	holes []hole
	runes int  // of the JSON text, head included and holes left out, for the length of the obfuscation
	large bool // too large to be put together before it is written
}

type hole struct {
	at     int // position in data
	n      uint8
	repeat *Repeat // what is in it, if that is the same for all streams
}

// Head is the beginning that the chunks of a stream have in common. A stream
// fills its holes in once.
type Head struct {
	Template
	marked string // as NewTemplate was given it
}

// Heads finds the heads that templates have in common. The zero value is ready
// to use.
type Heads struct {
	Fills []*Repeat // the texts in the holes from scenarios.HoleFill on, escaped for JSON

	known []*Head
}

// NewTemplate takes bytes in which each hole stands as a NUL and the number of
// the hole (see ojson.Hole). JSON is the JSON text inside them, marked in the
// same way: its length decides how much obfuscation it gets.
func (h *Heads) NewTemplate(marked, json []byte) Template {
	n := headLength(marked)
	t := h.template(marked[n:])
	t.runes += utf8.RuneCount(json) - 2*len(t.holes)
	if n > 0 {
		t.head = h.head(string(marked[:n]))
		t.runes -= 2 * len(t.head.holes)
	}
	return t
}

// headLength is how much of marked leads up to the last hole of the envelope
// that comes before the first hole of another kind.
func headLength(marked []byte) int {
	n := 0
	for i := 0; i+1 < len(marked); i++ {
		if marked[i] != 0 {
			continue
		}
		if hole := marked[i+1]; hole == script.HoleObfuscation || hole >= script.HoleDrawn {
			break
		}
		i++
		n = i + 1
	}
	return n
}

func (h *Heads) head(marked string) *Head {
	for _, known := range h.known {
		if known.marked == marked {
			return known
		}
	}
	added := &Head{Template: h.template([]byte(marked)), marked: marked}
	h.known = append(h.known, added)
	return added
}

func (h *Heads) template(marked []byte) Template {
	t := Template{data: make([]byte, 0, len(marked)), large: len(marked) > block}
	for {
		i := bytes.IndexByte(marked, 0)
		if i < 0 || i+1 >= len(marked) {
			break
		}
		t.data = append(t.data, marked[:i]...)
		if n := marked[i+1]; n >= script.HoleFill {
			t.quote(h.Fills[n-script.HoleFill], n)
		} else {
			t.holes = append(t.holes, hole{at: len(t.data), n: n})
		}
		marked = marked[i+2:]
	}
	t.data = append(t.data, marked...)
	return t
}

// quote adds a repeated text as a JSON string.
func (t *Template) quote(r *Repeat, n uint8) {
	t.data = append(t.data, '"')
	t.holes = append(t.holes, hole{at: len(t.data), n: n, repeat: r})
	t.data = append(t.data, '"')
	t.runes += r.runes + len(`""`)
	t.large = true
}

// Literal is a template without holes. The bytes are not copied.
func Literal(b []byte) Template { return Template{data: b, large: len(b) > block} }

// Repeated is a template of nothing but repeated bytes.
func Repeated(r *Repeat) Template {
	return Template{holes: []hole{{n: script.HoleFill, repeat: r}}, large: true}
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
	for _, h := range t.holes {
		if h.repeat != nil {
			size += h.repeat.size()
		}
	}
	const others = 512 // is about what the head and the other holes take
	return t.Append(make([]byte, 0, size+others), v)
}

// Append adds the bytes, holes filled in, to dst.
func (t *Template) Append(dst []byte, v *Values) []byte {
	if t.head != nil {
		dst = v.appendHead(dst, t.head)
	}
	from := 0
	for _, h := range t.holes {
		dst = append(dst, t.data[from:h.at]...)
		dst = t.appendHole(dst, h, v)
		from = h.at
	}
	return append(dst, t.data[from:]...)
}

func (t *Template) appendHole(dst []byte, h hole, v *Values) []byte {
	switch {
	case h.repeat != nil:
		return h.repeat.append(dst)
	case h.n == script.HoleObfuscation:
		return v.appendObfuscation(dst, t)
	}
	return v.appendHole(dst, h.n)
}

// Skip draws from the values what Append would draw, so that the frames that
// follow have the bytes that they would have after it.
func (t *Template) Skip(v *Values) {
	for _, h := range t.holes {
		if h.repeat == nil && h.n == script.HoleObfuscation {
			v.appendObfuscation(nil, t)
		}
	}
}

// Values are what fills the holes of one stream. They are used by one goroutine
// at a time.
type Values struct {
	fill       []filling // by the number of the hole
	obfuscator *rand.Rand
	perChunk   bool
	began      time.Time // when the clock of perChunk showed clock
	clock      int64     // in seconds

	head  *Head  // the last one that was filled in
	bytes []byte // what it is then
}

type filling struct {
	json  []byte
	runes int
}

// NewValues makes values whose obfuscation is drawn from r.
func NewValues(r *rand.Rand) *Values { return &Values{obfuscator: r} }

// Set fills hole n with a JSON text.
func (v *Values) Set(n uint8, json []byte) {
	if missing := int(n) + 1 - len(v.fill); missing > 0 {
		v.fill = append(v.fill, make([]filling, missing)...)
	}
	v.fill[n] = filling{json, utf8.RuneCount(json)}
}

// Fill is the JSON text in hole n, nil if it has none of its own.
func (v *Values) Fill(n uint8) []byte { return v.at(n).json }

// CreatedPerChunk makes every frame bear the time at which it is sent, on a
// clock that shows so many seconds now.
func (v *Values) CreatedPerChunk(now int64) { v.perChunk, v.began, v.clock = true, time.Now(), now }

func (v *Values) appendHead(dst []byte, h *Head) []byte {
	if v.head != h || v.perChunk {
		v.head = h
		v.bytes = h.Append(v.bytes[:0], v)
	}
	return append(dst, v.bytes...)
}

func (v *Values) appendHole(dst []byte, n uint8) []byte {
	if n == script.HoleCreated && v.perChunk {
		return strconv.AppendInt(dst, v.clock+int64(time.Since(v.began)/time.Second), 10)
	}
	return append(dst, v.at(n).json...)
}

func (v *Values) at(n uint8) filling {
	if int(n) >= len(v.fill) {
		return filling{}
	}
	return v.fill[n]
}

const (
	obfuscationAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	obfuscationBlock    = 16
)

// appendObfuscation adds a JSON string of random letters and digits, as many as
// make the chunk's JSON text one character longer than a multiple of 16: the
// rule that all recorded chunks of the real service follow.
func (v *Values) appendObfuscation(dst []byte, t *Template) []byte {
	length := t.runes + v.runes(t.holes) + len(`""`)
	if t.head != nil {
		length += v.runes(t.head.holes)
	}
	dst = append(dst, '"')
	for pad := (1 - length) & (obfuscationBlock - 1); pad > 0; {
		bits := v.obfuscator.Uint64()
		for range min(pad, 8) {
			dst = append(dst, obfuscationAlphabet[(bits&0xff)*uint64(len(obfuscationAlphabet))>>8])
			bits >>= 8
			pad--
		}
	}
	return append(dst, '"')
}

// runes is the length of what fills the holes, in characters.
func (v *Values) runes(holes []hole) int {
	n := 0
	for _, h := range holes {
		n += v.at(h.n).runes
	}
	return n
}
