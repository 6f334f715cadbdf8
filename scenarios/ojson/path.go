package ojson

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Path names a place inside a value: member names joined by dots, array positions in
// brackets, as in choices[0].delta.content. A negative position counts from the end. A
// name that contains a dot, a bracket or a slash, or that is a number or a lone $, is
// quoted: metadata["a.b"], logit_bias["50256"].
type Path []PathElement

// PathElement is one element of a [Path]: a member's name or, if IsIndex is true,
// an item's position.
type PathElement struct {
	Name    string
	Index   int
	IsIndex bool
}

// PathError is the error for a text that is not a [Path].
type PathError struct {
	Path    string
	Reason  string
	Instead string // Instead is the path that was probably meant; "" if that is not clear.
}

// Error names the path and its mistake.
func (e *PathError) Error() string {
	if e.Path == "" {
		return e.Reason
	}
	return fmt.Sprintf("path %q: %s", e.Path, e.Reason)
}

// ParsePath parses a path in the notation of [Path]. The error is a [*PathError]. An
// empty path is an error, and so are paths in the notations of JSONPath and JSON Pointer.
func ParsePath(s string) (Path, error) {
	if s == "" {
		return nil, &PathError{Reason: "an empty path"}
	}
	p, err := parsePath(s, checkName)
	if err != nil {
		return nil, &PathError{Path: s, Reason: err.Error(), Instead: otherNotation(s)}
	}
	return p, nil
}

// parsePath parses a path; check is called for each name that is not quoted.
func parsePath(s string, check func(name string, first bool) error) (Path, error) {
	var p Path
	for rest := s; rest != ""; {
		part, after, err := nextElement(rest, len(p) == 0, check)
		if err != nil {
			return nil, err
		}
		p, rest = append(p, part), after
	}
	return p, nil
}

// checkName is the error for a name that must be quoted.
func checkName(name string, first bool) error {
	switch {
	case first && name == "$":
		return errors.New("a path begins with the name of a member, not with $")
	case strings.Contains(name, "/"):
		return errors.New("names are joined by dots, not by slashes")
	case isNumber(name):
		return fmt.Errorf("a position stands in brackets, [%s], and a name that is a number in quotes, [%q]", name, name)
	}
	return nil
}

func isNumber(name string) bool {
	_, err := strconv.Atoi(name)
	return err == nil
}

// otherNotation translates a path from JSONPath, from JSON Pointer or from a notation
// with dots alone to that of [Path]; "" if the text is none of them.
func otherNotation(s string) string {
	s = strings.TrimPrefix(strings.TrimPrefix(s, "$"), ".")
	if strings.HasPrefix(s, "/") || !strings.ContainsAny(s, ".[") {
		s = strings.ReplaceAll(strings.Trim(s, "/"), "/", ".")
	}
	s = strings.NewReplacer("['", `["`, "']", `"]`).Replace(s)
	p, err := parsePath(s, func(string, bool) error { return nil })
	if err != nil {
		return ""
	}
	for i, part := range p {
		n, err := strconv.Atoi(part.Name)
		if err == nil && i > 0 && n < likelyName && !strings.Contains(s, strconv.Quote(part.Name)) {
			p[i] = PathElement{Index: n, IsIndex: true}
		}
	}
	return p.String()
}

// likelyName is the least number that is taken for a name instead of a position, such as
// the number of a token in logit_bias.
const likelyName = 1000

func nextElement(s string, first bool, check func(name string, first bool) error) (part PathElement, rest string, err error) {
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
	return PathElement{Name: s[:end]}, s[end:], check(s[:end], first)
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
		case part.Name == "" || part.Name == "$" || strings.ContainsAny(part.Name, ".[]/\"") || isNumber(part.Name):
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

// Find is the value at path p inside v; absent if there is none.
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
		v = v.list.items[i]
	}
	return v
}

// Put sets the value at path p inside v, as a copy: a later change inside of it does not
// change the value that was given. It adds members that are missing on the way, but no
// items. It reports whether the value was set.
func (v *Value) Put(p Path, value Value) bool { return v.edit(p, value.Clone(), true) }

// Remove removes the value at path p inside v. It reports whether there was one.
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
			v.setItems(append(v.list.items[:i:i], v.list.items[i+1:]...))
			return true
		}
		return v.list.items[i].edit(rest, value, create)
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
		i += len(v.Items())
	}
	return i, v.kind == ArrayKind && i >= 0 && i < len(v.Items())
}
