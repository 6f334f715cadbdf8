package ojson

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Path names a place inside a value: member names joined by dots, array
// positions in brackets, as in choices[0].delta.content. A negative position
// counts from the end. A name that holds a dot or a bracket is quoted:
// metadata["a.b"].
type Path []PathElement

// PathElement is one element of a [Path]: a member's name or, if IsIndex is true,
// an item's position.
type PathElement struct {
	Name    string
	Index   int
	IsIndex bool
}

// ParsePath reads a path in the notation of [Path]. The error says what is wrong
// with it; an empty path is an error, too.
func ParsePath(s string) (Path, error) {
	if s == "" {
		return nil, errors.New("an empty path")
	}
	var p Path
	for rest := s; rest != ""; {
		part, after, err := nextElement(rest, len(p) == 0)
		if err != nil {
			return nil, fmt.Errorf("path %q: %w", s, err)
		}
		p, rest = append(p, part), after
	}
	return p, nil
}

func nextElement(s string, first bool) (part PathElement, rest string, err error) {
	if s[0] == '[' {
		return bracketElement(s)
	}
	if !first {
		if s[0] != '.' {
			return PathElement{}, "", fmt.Errorf("expected a dot or a bracket before %q", s)
		}
		s = s[1:]
	}
	end := strings.IndexAny(s, ".[")
	if end < 0 {
		end = len(s)
	}
	if end == 0 {
		return PathElement{}, "", errors.New("a name is missing")
	}
	return PathElement{Name: s[:end]}, s[end:], nil
}

func bracketElement(s string) (part PathElement, rest string, err error) {
	if strings.HasPrefix(s, `["`) {
		quoted, err := strconv.QuotedPrefix(s[1:])
		if err != nil || !strings.HasPrefix(s[1+len(quoted):], "]") {
			return PathElement{}, "", fmt.Errorf("%q is not closed", s)
		}
		name, _ := strconv.Unquote(quoted)
		return PathElement{Name: name}, s[len(quoted)+2:], nil
	}
	end := strings.IndexByte(s, ']')
	if end < 0 {
		return PathElement{}, "", fmt.Errorf("%q is not closed", s)
	}
	n, err := strconv.Atoi(s[1:end])
	if err != nil {
		return PathElement{}, "", fmt.Errorf("%q is no position", s[:end+1])
	}
	return PathElement{Index: n, IsIndex: true}, s[end+1:], nil
}

// String is the path in the notation that [ParsePath] reads.
func (p Path) String() string {
	var b strings.Builder
	for i, part := range p {
		switch {
		case part.IsIndex:
			fmt.Fprintf(&b, "[%d]", part.Index)
		case part.Name == "" || strings.ContainsAny(part.Name, ".[]\""):
			fmt.Fprintf(&b, "[%q]", part.Name)
		default:
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(part.Name)
		}
	}
	return b.String()
}

// Find is the value at path p inside v, or the Absent value.
func (v Value) Find(p Path) Value {
	for _, part := range p {
		if !part.IsIndex {
			v = v.Get(part.Name)
			continue
		}
		i, ok := v.position(part.Index)
		if !ok {
			return Value{}
		}
		v = v.items[i]
	}
	return v
}

// Put places value at path p inside v. Members that are missing on the way are
// made; positions are not. It reports whether there was a place for the value.
func (v *Value) Put(p Path, value Value) bool { return v.edit(p, value, true) }

// Remove takes away what stands at path p inside v. It reports whether something
// did.
func (v *Value) Remove(p Path) bool { return v.edit(p, Value{}, false) }

func (v *Value) edit(p Path, value Value, create bool) bool {
	if len(p) == 0 {
		*v = value
		return true
	}
	part, rest := p[0], p[1:]
	if part.IsIndex {
		i, ok := v.position(part.Index)
		if !ok {
			return false
		}
		if len(rest) == 0 && value.IsAbsent() {
			v.items = append(v.items[:i:i], v.items[i+1:]...)
			return true
		}
		return v.items[i].edit(rest, value, create)
	}
	if v.kind != ObjectKind {
		return false
	}
	member := v.Get(part.Name)
	if member.IsAbsent() && !create {
		return false
	}
	if member.IsAbsent() && len(rest) > 0 {
		member = Object()
	}
	if !member.edit(rest, value, create) {
		return false
	}
	v.Set(part.Name, member)
	return true
}

func (v Value) position(i int) (int, bool) {
	if i < 0 {
		i += len(v.items)
	}
	return i, v.kind == ArrayKind && i >= 0 && i < len(v.items)
}
