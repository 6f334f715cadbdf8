package ojson

import "strings"

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

// build makes the values.
func (s *scanner) build() Value {
	b := builder{
		scanner: s, items: make([]Value, s.items), members: make([]Member, s.members), lists: make([]list, s.lists),
	}
	b.texts.Grow(s.length)
	return b.value()
}

func (b *builder) value() Value {
	n := &b.notes[b.next]
	switch n.kind {
	case ArrayKind, ObjectKind:
		b.next++
		v := Value{kind: n.kind}
		if n.n > 0 {
			v.list = b.list(n)
		}
		return v
	case BoolKind:
		b.next++
		return Bool(b.scanner.text[n.from] == 't')
	}
	return Value{kind: n.kind, text: b.text()}
}

// list makes the items of an array or the members of an object.
func (b *builder) list(n *note) *list {
	l := &take(&b.lists, 1)[0]
	if n.kind == ArrayKind {
		l.items = take(&b.items, n.n)
	} else {
		l.members = take(&b.members, n.n)
	}
	for i := range l.items {
		l.items[i] = b.value()
	}
	for i := range l.members {
		l.members[i] = Member{b.text(), b.value()}
	}
	return l
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
