// Package hole marks places in JSON that are filled in later, when the request
// is known that the JSON is sent to. A hole stands where a JSON value stands; in
// bytes it is written as a NUL, which no JSON text holds, and the number of the
// hole. Surfaces and scripts write holes, the player fills them.
package hole

import (
	"bytes"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// ID is the number of a hole. What is to be filled in under a number is known to
// whoever made the hole, but for those that the player fills in itself.
type ID uint32

// The holes that the player fills in itself.
const (
	// Padding is a string as long as the rule of the surface wants for the text
	// around it.
	Padding ID = iota
	// Clock is the time at which the frame is sent, in seconds since 1970.
	Clock
	// Piece is the piece of the text that this frame of a run sends.
	Piece
	// Rest is further members at the end of an object, each behind its comma. Unlike the
	// others it stands behind a member, and the player does not fill it in itself.
	Rest
)

// The ranges of the other holes: those of the members that all frames of an
// answer share, and those of single frames.
const (
	Envelope ID = 8
	Script   ID = 64
)

// InEnvelope reports whether the hole has the same value in all frames that are
// sent at one time.
func (id ID) InEnvelope() bool { return id == Clock || id >= Envelope && id < Script }

// Len is how many bytes a hole takes before it is filled in. Each of them counts
// as one character, since none of them is UTF-8.
const Len = 1 + digits

// The digits of a number are written as bytes that can begin no UTF-8 sequence
// and end no line.
const (
	digits    = 4
	digitBits = 6
	digitMark = 0x80
)

// Max is the largest number that a hole can have.
const Max ID = 1<<(digits*digitBits) - 1

// Value is the hole as a JSON value.
func Value(id ID) ojson.Value {
	mark := make([]byte, Len)
	for i := range digits {
		mark[digits-i] = digitMark | byte(id>>(i*digitBits))&(1<<digitBits-1)
	}
	return ojson.Raw(string(mark))
}

// In is the hole that v is, if it is one.
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

// Next is the position of the first hole in marked, and its number; -1 if there
// is none.
func Next(marked []byte) (at int, id ID) {
	at = bytes.IndexByte(marked, 0)
	if at < 0 || at+Len > len(marked) {
		return -1, 0
	}
	return at, number(marked[at : at+Len])
}

// Fill is a copy of v with the holes filled in for which value has one.
func Fill(v ojson.Value, value func(ID) (ojson.Value, bool)) ojson.Value {
	v = v.Clone()
	return fillValue(v, value)
}

func fillValue(v ojson.Value, value func(ID) (ojson.Value, bool)) ojson.Value {
	if id, ok := In(v); ok {
		if filling, ok := value(id); ok {
			return filling
		}
		return v
	}
	for i, item := range v.Items() {
		v.Items()[i] = fillValue(item, value)
	}
	for i, m := range v.Members() {
		v.Members()[i].Value = fillValue(m.Value, value)
	}
	return v
}

// Open is a copy of v with a hole in place of each value inside it for which open
// holds. Nothing ever fills these holes: the copy is for looking at.
func Open(v ojson.Value, open func(ojson.Value) bool) ojson.Value {
	v = v.Clone()
	return openValue(v, open)
}

func openValue(v ojson.Value, open func(ojson.Value) bool) ojson.Value {
	if open(v) {
		return Value(Max)
	}
	for i, item := range v.Items() {
		v.Items()[i] = openValue(item, open)
	}
	for i, m := range v.Members() {
		v.Members()[i].Value = openValue(m.Value, open)
	}
	return v
}

// On reports whether a hole stands on the way of a path into v, or at its end, so
// that what is there is known only once the hole is filled in.
func On(v ojson.Value, p ojson.Path) bool {
	for i := range len(p) + 1 {
		if v.Find(p[:i]).Kind() == ojson.RawKind {
			return true
		}
	}
	return false
}
