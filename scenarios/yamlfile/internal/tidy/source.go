package tidy

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// source is the text of a document and the places of its scalars in it.
type source struct {
	text    string
	starts  []int // starts is the offsets of the lines.
	scalars map[*yaml.Node]scalar
	taken   []span // taken is the parts of the text that are scalars, sorted.
}

// scalar is the text of a scalar.
type scalar struct {
	lines []string // lines is its lines; those of a block without its indentation.
	block bool     // block says that it is a block, whose header is the first line.
}

// span is a part of the text, as offsets.
type span struct{ from, to int }

// offset returns the offset of a line and a column, which both count from 1.
func (s *source) offset(line, column int) int {
	if line < 1 || line > len(s.starts) {
		return len(s.text)
	}
	at := s.starts[line-1]
	for range column - 1 {
		_, size := utf8.DecodeRuneInString(s.text[at:])
		at += size
	}
	return at
}

func newSource(text string, root *yaml.Node) (*source, error) {
	s := &source{text: text, starts: []int{0}, scalars: map[*yaml.Node]scalar{}}
	for i := range len(text) {
		if text[i] == '\n' {
			s.starts = append(s.starts, i+1)
		}
	}
	if err := s.find(root, -1); err != nil {
		return nil, err
	}
	slices.SortFunc(s.taken, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	return s, nil
}

// find finds the scalars in n in the text. Indent is the indentation of the collection
// around n, or -1 for the root.
func (s *source) find(n *yaml.Node, indent int) error {
	if n.Kind == yaml.ScalarNode {
		return s.findScalar(n, indent)
	}
	for i, child := range n.Content {
		inside := n.Column - 1
		if n.Kind == yaml.MappingNode && properties(n) != "" {
			inside = n.Content[i&^1].Column - 1 // the collection begins with its anchor or tag
		}
		if err := s.find(child, inside); err != nil {
			return err
		}
	}
	return nil
}

func (s *source) findScalar(n *yaml.Node, indent int) error {
	at := s.pastProperties(s.offset(n.Line, n.Column))
	var end int
	switch {
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return s.findBlock(n, at, indent)
	case n.Style&yaml.DoubleQuotedStyle != 0:
		end = endOfQuoted(s.text, at, true)
	case n.Style&yaml.SingleQuotedStyle != 0:
		end = endOfQuoted(s.text, at, false)
	default:
		end = endOfPlain(s.text, at, n.Value)
	}
	if end < 0 {
		return errScalar
	}
	lines := strings.Split(s.text[at:end], "\n")
	for i := range lines[1:] {
		lines[i+1] = strings.TrimLeft(lines[i+1], " \t")
	}
	s.scalars[n] = scalar{lines: lines}
	s.taken = append(s.taken, span{at, end})
	return nil
}

// pastProperties returns the offset behind the anchor and the tag that begin at an
// offset.
func (s *source) pastProperties(at int) int {
	for at < len(s.text) && (s.text[at] == '&' || s.text[at] == '!') {
		for at < len(s.text) && !isSpace(s.text[at]) {
			at++
		}
		for at < len(s.text) && isSpace(s.text[at]) {
			at++
		}
	}
	return at
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

// endOfQuoted returns the end of the text in quotes that begins at an offset; -1 if none
// begins there.
func endOfQuoted(text string, at int, double bool) int {
	quote := byte('\'')
	if double {
		quote = '"'
	}
	if at >= len(text) || text[at] != quote {
		return -1
	}
	for i := at + 1; i < len(text); i++ {
		switch {
		case double && text[i] == '\\':
			i++
		case text[i] != quote:
		case !double && i+1 < len(text) && text[i+1] == quote:
			i++
		default:
			return i + 1
		}
	}
	return -1
}

// endOfPlain returns the end of the text without quotes that has the given value and
// begins at an offset; -1 if it is not there.
func endOfPlain(text string, at int, value string) int {
	for _, r := range value {
		if unicode.IsSpace(r) && r < utf8.RuneSelf {
			continue
		}
		for at < len(text) && isSpace(text[at]) {
			at++
		}
		if !strings.HasPrefix(text[at:], string(r)) {
			return -1
		}
		at += utf8.RuneLen(r)
	}
	return at
}

// findBlock finds a block scalar, whose header (| or >) is at an offset.
func (s *source) findBlock(n *yaml.Node, at, indent int) error {
	end := at
	for end < len(s.text) && strings.IndexByte("|>+-0123456789", s.text[end]) >= 0 {
		end++
	}
	header := s.text[at:end]
	next := end + strings.IndexByte(s.text[end:], '\n') + 1
	if header == "" || next == end {
		return errScalar
	}
	inner := 0
	if i := strings.IndexAny(header, "123456789"); i >= 0 {
		inner = max(indent, 0) + int(header[i]-'0')
		header = header[:i] + "2" + header[i+1:]
	}
	lines, last := []string{header}, 0
	for i := slices.Index(s.starts, next); i >= 0 && i < len(s.starts)-1; i++ {
		line := s.text[s.starts[i] : s.starts[i+1]-1]
		deep := len(line) - len(strings.TrimLeft(line, " "))
		if line[deep:] != "" {
			if deep <= indent {
				break
			}
			if inner == 0 {
				inner = deep
			}
			last = len(lines)
		}
		lines = append(lines, line[min(max(inner, indent+1), deep):])
	}
	if !strings.Contains(header, "+") {
		lines = lines[:last+1]
	}
	s.scalars[n] = scalar{lines: lines, block: true}
	first := slices.Index(s.starts, next)
	s.taken = append(s.taken, span{at, end}, span{next, s.starts[min(first+len(lines)-1, len(s.starts)-1)]})
	return nil
}
