package player

import (
	"math/rand/v2"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/server/internal/hole"
)

// Sizes of the arrays inside Values. They are large enough for most answers, so that most
// answers allocate nothing here: numbers of holes of the envelope and of the script, bytes
// of the texts that fill them, and bytes of the head.
const (
	fewOfEnvelope = 16
	fewOfScript   = 4
	textSize      = 256
	headSize      = 256
)

// Values has the JSON texts that fill the holes of one stream. The zero value has none. Only one
// goroutine may use it at a time.
type Values struct {
	envelope   []span        // envelope has the fillings of the holes below hole.Script; the hole's id is the index.
	script     []span        // script has the fillings of the other holes; the hole's id less hole.Script is the index.
	text       []byte        // text has the JSON texts of all fillings.
	series     []hole.Pieces // series has the pieces that the frames of each series send.
	padding    Padding       // padding makes the padding of frames; nil leaves them without.
	chance     rand.Source   // chance is what padding draws from.
	piece      Filling       // piece fills hole.Piece of the frame that is being written.
	clockBegan time.Time     // clockBegan is when the clock showed clockStart.
	clockStart int64         // clockStart is in seconds since 1970.
	clockAhead time.Duration // clockAhead is the time from now until the frame that is being made is due.
	began      int64         // began is when the answer began, in seconds since 1970.
	due        time.Duration // due is when the frame that is being written is due.

	head      *Head  // head is the head that was filled last.
	headBytes []byte // headBytes has the bytes of head with its holes filled.
	headRunes int    // headRunes is the length of the texts in the holes of head, in characters.

	// envelopeRoom, scriptRoom, textRoom and headRoom are the initial backing arrays of the
	// slices envelope, script, text and headBytes.
	envelopeRoom [fewOfEnvelope]span
	scriptRoom   [fewOfScript]span
	textRoom     [textSize]byte
	headRoom     [headSize]byte
}

// span is a filling: its place in Values.text, and its length in characters. Series is not 0 for that of
// a series: its place in Values.series, counted from 1.
type span struct{ from, to, runes, series uint32 }

// Filling is a JSON text that fills [hole.Piece]: one of a series.
type Filling struct {
	json []byte
	at   int // at is the index of the text in its series.
}

// NewFilling makes a filling of the text at index i.
func NewFilling(of hole.Pieces, i int) Filling { return Filling{of.At(i), i} }

// JSON is the text of the filling.
func (f Filling) JSON() []byte { return f.json }

// Padding appends to dst the characters of the JSON string that pads a JSON text. Length is
// the length of that text in characters, including the quotes of the padding. Random
// characters are drawn from a source.
type Padding func(dst []byte, length int, from rand.Source) []byte

// Pad sets the padding and the source that it draws from; nil pads nothing.
func (v *Values) Pad(padding Padding, from rand.Source) { v.padding, v.chance = padding, from }

// Set fills a hole with a JSON text, which is copied.
func (v *Values) Set(id hole.ID, json []byte) {
	v.Fill(id, func(dst []byte) []byte { return append(dst, json...) })
}

// SetInt fills a hole with a number.
func (v *Values) SetInt(id hole.ID, n int64) {
	v.Fill(id, func(dst []byte) []byte { return strconv.AppendInt(dst, n, 10) })
}

// Fill fills a hole with the JSON text that write appends to its argument.
func (v *Values) Fill(id hole.ID, write func([]byte) []byte) {
	if v.text == nil {
		v.text = v.textRoom[:0]
	}
	from := len(v.text)
	v.text = write(v.text)
	filling := v.text[from:]
	*v.place(id) = span{from: uint32(from), to: uint32(len(v.text)), runes: uint32(utf8.RuneCount(filling))} //nolint:gosec // answers have 256 MiB at most
}

// place returns where the span of a hole is stored. The next call may move it.
func (v *Values) place(id hole.ID) *span {
	if v.envelope == nil {
		v.envelope, v.script = v.envelopeRoom[:0], v.scriptRoom[:0]
	}
	list := &v.envelope
	if id >= hole.Script {
		list, id = &v.script, id-hole.Script
	}
	if missing := int(id) + 1 - len(*list); missing > 0 {
		*list = append(*list, make([]span, missing)...)
	}
	return &(*list)[id]
}

// Get returns the JSON text that fills a hole; it is empty if nothing does. A hole with a series has the
// text that belongs to the current piece.
func (v *Values) Get(id hole.ID) []byte {
	if id == hole.Piece {
		return v.piece.json
	}
	at := v.at(id)
	if at.series == 0 {
		return v.text[at.from:at.to]
	}
	if pieces := &v.series[at.series-1]; v.piece.at < pieces.Len() {
		return pieces.At(v.piece.at)
	}
	return nil
}

// Of makes a piece the current one, and returns v.
func (v *Values) Of(piece Filling) *Values {
	v.piece = piece
	return v
}

// AppendInside appends to a JSON string, inside of its quotes, the text that fills a hole: that of all
// pieces if the hole has a series.
func (v *Values) AppendInside(dst []byte, id hole.ID) []byte {
	pieces := v.Series(id)
	if pieces.Len() == 0 {
		return append(dst, unquoted(v.Get(id))...)
	}
	for i := range pieces.Len() {
		dst = append(dst, unquoted(pieces.At(i))...)
	}
	return dst
}

// unquoted returns a JSON string without its quotes. A series without pieces has none.
func unquoted(json []byte) []byte {
	if len(json) == 0 {
		return nil
	}
	return json[1 : len(json)-1]
}

func (v *Values) at(id hole.ID) span {
	list := v.envelope
	if id >= hole.Script {
		list, id = v.script, id-hole.Script
	}
	if int(id) < len(list) {
		return list[id]
	}
	return span{}
}

// SetSeries sets the pieces that the frames of a series send, one JSON text for each frame.
func (v *Values) SetSeries(id hole.ID, pieces hole.Pieces) {
	v.series = append(v.series, pieces)
	*v.place(id) = span{series: uint32(len(v.series))} //nolint:gosec // hole.Max is less
}

// Series returns the pieces that the frames of a series send.
func (v *Values) Series(id hole.ID) (pieces hole.Pieces) {
	if at := v.at(id); at.series > 0 {
		pieces = v.series[at.series-1]
	}
	return pieces
}

// SetClock starts the clock that fills [hole.Clock], at a time in seconds since 1970.
func (v *Values) SetClock(now int64) {
	v.clockBegan, v.clockStart = time.Now(), now
	v.SetInt(hole.Clock, now) // padding needs the length of the filling
}

func (v *Values) appendClock(dst []byte) []byte {
	return strconv.AppendInt(dst, v.clockStart+int64((time.Since(v.clockBegan)+v.clockAhead)/time.Second), 10)
}

// SetBegan sets the time of the answer for [hole.Due], in seconds since 1970.
func (v *Values) SetBegan(at int64) {
	v.began = at
	v.SetInt(hole.Due, at) // for what is filled before it has a frame
}

// headOf returns the bytes of a head with its holes filled.
func (v *Values) headOf(h *Head) []byte {
	if v.head != h || h.clock {
		if v.headBytes == nil {
			v.headBytes = v.headRoom[:0]
		}
		v.headBytes = h.Append(v.headBytes[:0], v)
		v.head, v.headRunes = h, v.runes(h.holes)
	}
	return v.headBytes
}

// appendPadding appends the padding of a template's JSON text, as a JSON string.
func (v *Values) appendPadding(dst []byte, t *Template) []byte {
	length := t.runes + v.runes(t.holes) + len(`""`)
	switch {
	case t.head == nil:
	case t.head == v.head:
		length += v.headRunes
	default:
		length += v.runes(t.head.holes)
	}
	dst = append(dst, '"')
	if v.padding != nil {
		dst = v.padding(dst, length, v.chance)
	}
	return append(dst, '"')
}

// runes is the length of the texts that fill the holes, in characters. Padding is not
// counted.
func (v *Values) runes(holes []templateHole) int {
	n := 0
	for i := range holes {
		switch id := holes[i].id; id {
		case hole.Padding:
		case hole.Piece:
			n += utf8.RuneCount(v.piece.json)
		default:
			n += int(v.at(id).runes)
		}
	}
	return n
}
