package ojson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxDepth bounds nesting, so that hostile input cannot exhaust the stack.
const maxDepth = 1000

// Parse parses one JSON text. Numbers keep their spelling, and objects the order of their
// members, with all members of the same name. Bytes that are not UTF-8, and halves of
// surrogate pairs, become U+FFFD as in encoding/json. The error says at which byte the
// text is not JSON, continues after its value, or nests deeper than 1000 levels.
func Parse(data []byte) (Value, error) { return parseWith(data, false) }

// ParseHalves is [Parse] for a text that is read in pieces: it keeps halves of surrogate pairs as [Unquote]
// does.
func ParseHalves(data []byte) (Value, error) { return parseWith(data, true) }

func parseWith(data []byte, halves bool) (Value, error) {
	s := scanners.Get().(*scanner)
	defer s.release()
	s.text, s.halves = data, halves
	valid := s.value(0)
	s.space()
	if !valid || s.at < len(data) {
		return Value{}, mistake(data)
	}
	b := builder{scanner: s, items: make([]Value, s.items), members: make([]Member, s.members), lists: make([]list, s.lists)}
	b.texts.Grow(s.length)
	return b.value(), nil
}

// mistake returns what is wrong with a text that the scanner refused.
func mistake(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	err := nextValue(dec)
	if err == nil {
		err = errors.New("text after the JSON value")
	}
	return fmt.Errorf("at byte %d: %w", dec.InputOffset(), err)
}

// nextValue reads the tokens of the next value.
func nextValue(dec *json.Decoder) error {
	for depth := 0; ; {
		switch token, err := dec.Token(); {
		case errors.Is(err, io.EOF):
			return io.ErrUnexpectedEOF
		case err != nil:
			return err
		case token == json.Delim('{') || token == json.Delim('['):
			depth++
		case token == json.Delim('}') || token == json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
		if depth > maxDepth && dec.More() {
			return fmt.Errorf("nested deeper than %d", maxDepth)
		}
	}
}

// A builder makes values from the notes of a scanner. It allocates one slice for all
// items, one for all members, one for all lists and one string for all texts, so that
// values take little memory and the garbage collector has little to scan. Each value
// keeps all of them alive: see [Value.Detached].
type builder struct {
	*scanner
	next    int // next is the position of the next note.
	items   []Value
	members []Member
	lists   []list
	texts   strings.Builder
}

// value makes the value of the next note, with those in it.
func (b *builder) value() Value {
	n := &b.notes[b.next]
	switch n.kind {
	case ArrayKind, ObjectKind:
		b.next++
		v := Value{kind: n.kind}
		if n.n == 0 {
			return v
		}
		v.list = &take(&b.lists, 1)[0]
		if n.kind == ArrayKind {
			v.list.items = take(&b.items, n.n)
		} else {
			v.list.members = take(&b.members, n.n)
		}
		for i := range v.list.items {
			v.list.items[i] = b.value()
		}
		for i := range v.list.members {
			v.list.members[i] = Member{b.text(), b.value()}
		}
		return v
	case BoolKind:
		b.next++
		return Bool(b.scanner.text[n.from] == 't')
	}
	return Value{kind: n.kind, text: b.text()}
}

// take removes the first n elements from left and returns them.
func take[T any](left *[]T, n int) []T {
	taken := (*left)[:n:n]
	*left = (*left)[n:]
	return taken
}

// text is the text of the next note, in the string of all texts.
func (b *builder) text() string {
	n := &b.notes[b.next]
	b.next++
	if n.n == 0 {
		return ""
	}
	from := b.scanner.text
	if n.escaped {
		from = b.unescaped
	}
	start := b.texts.Len()
	b.texts.Write(from[n.from : n.from+n.n])
	return b.texts.String()[start:]
}
