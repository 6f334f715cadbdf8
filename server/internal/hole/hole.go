// Package hole marks places in JSON whose value is known later, when a request is
// there. A hole stands where a JSON value can stand. In bytes it is a NUL, which JSON
// never contains, followed by the number of the hole. Surfaces and scripts write holes,
// the player fills them.
package hole

import (
	"bytes"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// ID is the number of a hole. Only whoever made the hole knows what fills it, except
// for the holes that the player fills itself.
type ID uint32

// The holes that the player knows.
const (
	// Padding is a string whose length follows the surface's rule for the text around
	// it.
	Padding ID = iota
	// Clock is the time at which the frame is sent, in seconds since 1970.
	Clock
	// Piece is the piece of the text that this frame of a series sends.
	Piece
	// Due is the time at which the frame is due, in seconds since 1970: that of the answer and the
	// pauses up to the frame, so that it is the same each time.
	Due
)

// The first numbers of the other holes: those of members that all frames of an answer
// share, and those of single frames.
const (
	Envelope ID = 8
	Script   ID = 64
)

// InEnvelope reports whether the hole has the same value in all frames that are sent at
// the same time.
func (id ID) InEnvelope() bool { return id == Clock || id >= Envelope && id < Script }

// Len is the length of a hole in bytes. Each byte counts as one character, since none
// is valid UTF-8.
const Len = 1 + digits

// The digits of a number are bytes that neither begin a UTF-8 sequence nor end a line.
const (
	digits    = 4
	digitBits = 6
	digitMark = 0x80
)

// Max is the largest ID.
const Max ID = 1<<(digits*digitBits) - 1

// Value is a hole as a JSON value.
func Value(id ID) ojson.Value {
	mark := make([]byte, Len)
	for i := range digits {
		mark[digits-i] = digitMark | byte(id>>(i*digitBits))&(1<<digitBits-1)
	}
	return ojson.Raw(string(mark))
}

// In returns the hole that v is; ok is false if v is something else.
func In(v ojson.Value) (id ID, ok bool) {
	if v.Kind() != ojson.RawKind || len(v.Text()) != Len || v.Text()[0] != 0 {
		return 0, false
	}
	return number(v.Text()), true
}

func number[T string | []byte](mark T) ID {
	var id ID
	for i := 1; i < Len; i++ {
		id = id<<digitBits | ID(mark[i]&(1<<digitBits-1))
	}
	return id
}

// Next finds the first hole in marked: its position and its number. The position is -1
// if there is none.
func Next(marked []byte) (at int, id ID) {
	at = bytes.IndexByte(marked, 0)
	if at < 0 || at+Len > len(marked) {
		return -1, 0
	}
	return at, number(marked[at : at+Len])
}

// Fill returns a copy of v in which the holes are replaced that the function value
// knows.
func Fill(v ojson.Value, value func(ID) (ojson.Value, bool)) ojson.Value {
	return v.Replaced(func(v ojson.Value) (ojson.Value, bool) {
		id, ok := In(v)
		if !ok {
			return v, false
		}
		return value(id)
	})
}

// Open returns a copy of v with a hole in place of each value for which open returns
// true. The copy is only for looking at: nothing fills its holes.
func Open(v ojson.Value, open func(ojson.Value) bool) ojson.Value {
	return v.Replaced(func(v ojson.Value) (ojson.Value, bool) { return Value(Max), open(v) })
}

// On reports whether a path into v meets a hole, so that the value there is unknown
// until the hole is filled. There is nothing inside members that all frames share.
func On(v ojson.Value, p ojson.Path) bool {
	for i := range len(p) + 1 {
		if at := v.Find(p[:i]); at.Kind() == ojson.RawKind {
			id, ok := In(at)
			return i == len(p) || !ok || !id.InEnvelope()
		}
	}
	return false
}

// Pieces are JSON texts that fill the same hole in turn, stored one after the other.
// The zero value is empty.
type Pieces struct {
	json []byte
	ends []uint32 // ends are the offsets in json at which the texts end.
}

// NewPieces returns empty Pieces with capacity for a number of texts, and for their bytes in total.
func NewPieces(texts, bytes int) Pieces {
	return Pieces{json: make([]byte, 0, bytes), ends: make([]uint32, 0, texts)}
}

// Add appends a text as a JSON string.
func (p *Pieces) Add(style ojson.Style, text string) {
	p.AddJSON(func(dst []byte) []byte { return style.AppendString(dst, text) })
}

// AddJSON appends the JSON text that write appends to its argument.
func (p *Pieces) AddJSON(write func([]byte) []byte) {
	p.json = write(p.json)
	p.ends = append(p.ends, uint32(len(p.json))) //nolint:gosec // texts have 16 MiB at most
}

// Len is the number of texts.
func (p Pieces) Len() int { return len(p.ends) }

// At is the text at index i.
func (p Pieces) At(i int) []byte {
	from := uint32(0)
	if i > 0 {
		from = p.ends[i-1]
	}
	return p.json[from:p.ends[i]:p.ends[i]]
}
