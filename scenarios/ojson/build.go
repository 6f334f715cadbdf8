package ojson

import (
	"encoding/json"
	"slices"
	"unicode/utf8"
)

// builder makes values of a text that is known to be JSON. What arrays and objects
// hold is collected in one place for all of them and then copied to where it
// just fits, so that a value takes no more memory than it needs.
type builder struct {
	text    []byte
	at      int
	items   []Value
	members []Member
	deep    bool // deep says that the text nests too deep.
}

// build is the value of a text that is JSON; not ok if it nests too deep.
func build(text []byte) (v Value, ok bool) {
	b := builder{text: text}
	v = b.value(0)
	return v, !b.deep
}

// space goes on to what is no white space.
func (b *builder) space() byte {
	for {
		switch c := b.text[b.at]; c {
		case ' ', '\t', '\n', '\r':
			b.at++
		default:
			return c
		}
	}
}

func (b *builder) value(depth int) Value {
	if depth > maxDepth {
		b.deep = true
		b.at = len(b.text)
		return Value{}
	}
	switch b.space() {
	case '[':
		return b.array(depth)
	case '{':
		return b.object(depth)
	case '"':
		return String(b.str())
	case 't':
		b.at += len("true")
		return Bool(true)
	case 'f':
		b.at += len("false")
		return Bool(false)
	case 'n':
		b.at += len("null")
		return Null()
	}
	return Number(b.number())
}

func (b *builder) array(depth int) Value {
	first := len(b.items)
	b.at++ // the bracket
	for b.space() != ']' {
		item := b.value(depth + 1)
		if b.deep {
			return Value{}
		}
		b.items = append(b.items, item)
		if b.space() == ',' {
			b.at++
		}
	}
	b.at++
	v := Array(slices.Clone(b.items[first:])...)
	clear(b.items[first:])
	b.items = b.items[:first]
	return v
}

func (b *builder) object(depth int) Value {
	first := len(b.members)
	b.at++ // the brace
	for b.space() != '}' {
		name := b.str()
		b.space()
		b.at++ // the colon
		value := b.value(depth + 1)
		if b.deep {
			return Value{}
		}
		b.members = append(b.members, Member{name, value})
		if b.space() == ',' {
			b.at++
		}
	}
	b.at++
	v := Value{kind: ObjectKind}
	v.setMembers(slices.Clone(b.members[first:]))
	clear(b.members[first:])
	b.members = b.members[:first]
	return v
}

// str is the text of a string. Those that hold escapes or what is no UTF-8 are
// left to Go's own decoding.
func (b *builder) str() string {
	start, plain := b.at, true
	for b.at++; b.text[b.at] != '"'; b.at++ {
		if b.text[b.at] == '\\' {
			plain = false
			b.at++
		}
	}
	b.at++
	if inside := b.text[start+1 : b.at-1]; plain && utf8.Valid(inside) {
		return string(inside)
	}
	var text string
	_ = json.Unmarshal(b.text[start:b.at], &text) // it is a string
	return text
}

// digits are the shortest numbers, which need no memory.
const digits = "0123456789"

func (b *builder) number() string {
	start := b.at
	for b.at < len(b.text) {
		switch c := b.text[b.at]; {
		case c >= '0' && c <= '9', c == '-', c == '+', c == '.', c == 'e', c == 'E':
			b.at++
			continue
		}
		break
	}
	if b.at-start == 1 {
		digit := b.text[start] - '0'
		return digits[digit : digit+1]
	}
	return string(b.text[start:b.at])
}
