package node

import (
	"bytes"
	"errors"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// authored is the text of a document, and the parts of it that stay as the author wrote
// them though the YAML library would write them in another way: scalars, and collections
// in brackets with comments in them. In the nodes a word stands for each.
type authored struct {
	text     string
	starts   []int  // starts is the offsets of the lines.
	word     string // word does not occur in the text. With a number it stands for a part.
	parts    []part // parts is the parts that stay.
	taken    []span // taken is the texts in quotes and the blocks: # begins no comment there.
	flows    []int  // flows is the offsets of the collections in brackets.
	brackets []bracket
}

// bracket is a collection in brackets. It stays if it has a comment in it.
type bracket struct {
	span
	commented bool
}

// part is a part of the text that stays.
type part struct {
	lines []string // lines is its lines, without indentation.
	block bool     // block says that it is a block, whose header is the first line.
}

// span is a part of the text, as offsets.
type span struct{ from, to int }

var (
	inQuotes  = Lazily(`^(?s:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')`)
	blockMark = Lazily(`^[|>][-+0-9]*`)
	dashes    = Lazily(`^(?: |- )*`)
)

// readAuthored reads a document. Clean is the text without what the YAML library would
// not keep; it has the same lines and columns. Arrange may change the root.
func readAuthored(text, clean string, brackets []bracket, arrange func(root *yaml.Node)) (*authored, *yaml.Node, error) {
	a := &authored{text: text, starts: []int{0}, word: "v", brackets: brackets}
	for i := range len(text) {
		if text[i] == '\n' {
			a.starts = append(a.starts, i+1)
		}
	}
	for strings.Contains(text, a.word) {
		a.word += "v"
	}
	doc, err := nextDocument(yaml.NewDecoder(strings.NewReader(clean)))
	if err != nil {
		return nil, nil, err
	}
	arrange(doc.Content[0])
	_, err = a.keep(doc, -1)
	return a, doc, err
}

// offset returns the offset at which a value begins, behind its anchor and its tag.
func (a *authored) offset(n *yaml.Node) int {
	if n.Line < 1 || n.Line > len(a.starts) {
		return len(a.text)
	}
	at := a.starts[n.Line-1]
	for range n.Column - 1 {
		_, size := utf8.DecodeRuneInString(a.text[at:])
		at += size
	}
	for at < len(a.text) && (a.text[at] == '&' || a.text[at] == '!') {
		at += max(strings.IndexAny(a.text[at:], " \t\n"), 0)
		rest := strings.TrimLeft(a.text[at:], " \t\n")
		at = len(a.text) - len(rest)
	}
	return at
}

// keep keeps the parts of n that stay. A collection in brackets that the author wrote
// over several lines gets a line for each of its values. Indent is the indentation of
// the collection around n, or -1.
func (a *authored) keep(n *yaml.Node, indent int) (severalLines bool, err error) {
	switch n.Kind {
	case yaml.AliasNode:
		return false, nil
	case yaml.ScalarNode:
		return a.keepScalar(n, indent)
	case yaml.DocumentNode:
		_, err := a.keep(n.Content[0], indent)
		liftComment(n.Content[0], n, 0)
		return true, err
	}
	at := a.offset(n)
	if n.Style&yaml.FlowStyle != 0 {
		a.flows = append(a.flows, at)
	}
	if i, found := slices.BinarySearchFunc(a.brackets, at, func(b bracket, at int) int { return b.from - at }); found && a.brackets[i].commented {
		a.stay(n, part{lines: dedent(a.text[at:a.brackets[i].to])})
		return true, nil
	}
	for i, child := range n.Content {
		inside := n.Column - 1
		if n.Kind == yaml.MappingNode && (n.Anchor != "" || n.Style&yaml.TaggedStyle != 0) {
			inside = n.Content[i&^1].Column - 1 // the collection begins with its anchor or tag
		}
		if n.Kind == yaml.MappingNode && i%2 == 0 && IsName(child.Value) && child.Anchor == "" {
			child.Style = 0
			continue
		}
		several, err := a.keep(child, inside)
		if err != nil {
			return false, err
		}
		severalLines = severalLines || several || child.Line != n.Line
		liftComment(child, n, i)
	}
	if severalLines {
		n.Style &^= yaml.FlowStyle
	}
	return severalLines, nil
}

// liftComment moves the comment behind a collection that was in brackets and gets a line
// for each of its values: above it.
func liftComment(n, in *yaml.Node, i int) {
	if n.Kind&(yaml.MappingNode|yaml.SequenceNode) == 0 || n.Style&yaml.FlowStyle != 0 {
		return
	}
	above := n
	if in.Kind == yaml.MappingNode {
		above = in.Content[i-1]
	}
	above.HeadComment = strings.Trim(above.HeadComment+"\n"+n.LineComment, "\n")
	n.LineComment = ""
}

// dedent returns the lines of a text; those after the first without the indentation that
// all of them have.
func dedent(text string) []string {
	lines := strings.Split(text, "\n")
	least := math.MaxInt
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t")
		if i > 0 && lines[i] != "" {
			least = min(least, len(line)-len(strings.TrimLeft(line, " ")))
		}
	}
	for i, line := range lines[1:] {
		lines[i+1] = line[min(least, len(line)):]
	}
	return lines
}

// stay makes a word of n, for which putBack writes the part.
func (a *authored) stay(n *yaml.Node, p part) {
	n.Kind, n.Content, n.Value, n.Style = yaml.ScalarNode, nil, a.word+strconv.Itoa(len(a.parts))+"_", n.Style&yaml.TaggedStyle
	if n.Style == 0 {
		n.Tag = "!!str"
	}
	a.parts = append(a.parts, p)
}

var errScalar = errors.New("a value is not where it is said to be")

// keepScalar keeps the text of a scalar. A text without quotes over several lines is not
// kept: the YAML library writes it in one.
func (a *authored) keepScalar(n *yaml.Node, indent int) (severalLines bool, err error) {
	at := a.offset(n)
	var p part
	switch {
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		if p, err = a.block(at, indent); err != nil {
			return false, err
		}
	case n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		text := inQuotes().FindString(a.text[at:])
		if text == "" {
			return false, errScalar
		}
		a.taken = append(a.taken, span{at, at + len(text)})
		if n.Style&yaml.TaggedStyle == 0 && text[0] == '\'' && !strings.ContainsAny(text, "\"\\\n") {
			text = `"` + n.Value + `"`
		}
		p.lines = strings.Split(text, "\n")
		for i := range p.lines[1:] {
			p.lines[i+1] = strings.TrimLeft(p.lines[i+1], " \t")
		}
	case n.Value == "" || strings.Contains(n.Value, "\n") || !strings.HasPrefix(a.text[at:], n.Value):
		return n.Value != "", nil
	case ShapeOf(n) == Null:
		p.lines = []string{"null"}
	case ShapeOf(n) == Bool:
		p.lines = []string{strings.ToLower(n.Value)}
	default:
		p.lines = []string{n.Value}
	}
	a.stay(n, p)
	return len(p.lines) > 1, nil
}

// block returns the block scalar whose header (| or >) is at an offset. Indent is the
// indentation of the collection around it.
func (a *authored) block(at, indent int) (part, error) {
	header := blockMark().FindString(a.text[at:])
	next := at + strings.IndexByte(a.text[at:], '\n') + 1
	first, found := slices.BinarySearch(a.starts, next)
	if header == "" || !found {
		return part{}, errScalar
	}
	inner := 0
	if i := strings.IndexAny(header, "123456789"); i >= 0 {
		inner = max(indent, 0) + int(header[i]-'0')
		header = header[:i] + "2" + header[i+1:]
	}
	lines, last := []string{header}, 0
	for i := first; i < len(a.starts)-1; i++ {
		line := a.text[a.starts[i] : a.starts[i+1]-1]
		deep := len(line) - len(strings.TrimLeft(line, " "))
		if line[deep:] != "" {
			if deep <= indent || deep < inner {
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
	a.taken = append(a.taken, span{next, a.starts[min(first+len(lines)-1, len(a.starts)-1)]})
	return part{lines, true}, nil
}

// code returns the text with dots in place of what was taken, so that every # after a
// space begins a comment, and every bracket is one of a collection.
func (a *authored) code() string {
	code := []byte(a.text)
	for _, t := range a.taken {
		for at := t.from; at < t.to; at++ {
			code[at] = '.'
		}
	}
	return string(code)
}

// commentAt is a comment and its line.
type commentAt struct {
	text string
	line int
}

// comments returns the comments of the document.
func (a *authored) comments() []commentAt {
	var list []commentAt
	code := a.code()
	for _, at := range comment().FindAllStringIndex(code, -1) {
		line, found := slices.BinarySearch(a.starts, at[0])
		if found {
			line++
		}
		list = append(list, commentAt{strings.TrimSpace(code[at[0]:at[1]]), line})
	}
	return list
}

// outermost returns the collections in brackets that are in no other.
func (a *authored) outermost() []bracket {
	var list []bracket
	code := a.code()
	for _, from := range a.flows {
		if len(list) == 0 || from >= list[len(list)-1].to {
			list = append(list, bracketAt(code, from))
		}
	}
	return list
}

// bracketAt returns the collection that begins with the bracket at an offset.
func bracketAt(code string, from int) bracket {
	b, open := bracket{span: span{from, len(code)}}, 0
	for at := from; at < len(code); at++ {
		switch c := code[at]; {
		case c == '#' && strings.IndexByte(" \t\n", code[at-1]) >= 0:
			b.commented = true
			at += strings.IndexByte(code[at:], '\n')
		case c == '[' || c == '{':
			open++
		case c == ']' || c == '}':
			open--
		}
		if open == 0 {
			b.to = at + 1
			break
		}
	}
	return b
}

// blankLine is the comment that stands for a blank line.
const blankLine = "#~blank~"

// clean returns the text with a comment in place of each blank line, which the YAML
// library does not keep, and without the comments in brackets, which it moves.
func (a *authored) clean(brackets []bracket) string {
	text, code := []byte(a.text), []byte(a.code())
	for _, b := range brackets {
		for _, at := range comment().FindAllIndex(code[b.from:b.to], -1) {
			copy(text[b.from+at[0]:], bytes.Repeat([]byte{' '}, at[1]-at[0]))
		}
		copy(code[b.from:b.to], bytes.Repeat([]byte{'.'}, b.to-b.from))
	}
	lines := strings.Split(strings.TrimRight(string(text), " \t\n"), "\n")
	first := slices.IndexFunc(lines, func(line string) bool { return strings.TrimSpace(line) != "" })
	indent := 0 // indent is that of the line below
	for i, line := range slices.Backward(lines) {
		if rest := strings.TrimLeft(line, " \t"); rest != "" {
			indent = len(line) - len(rest)
		} else if i >= first && code[a.starts[i]] != '.' {
			lines[i] = strings.Repeat(" ", indent) + blankLine
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

// putBack writes the parts that stay in place of their words.
func (a *authored) putBack(text string) string {
	text = strings.Trim(blanks().ReplaceAllString(strings.ReplaceAll(text, blankLine, ""), "\n"), "\n") + "\n"
	word := regexp.MustCompile(a.word + "([0-9]+)_")
	var out strings.Builder
	for line := range strings.Lines(text) {
		code, side := line, ""
		if at := strings.Index(line, " #"); at >= 0 {
			code, side = line[:at], strings.TrimSuffix(line[at:], "\n")
		}
		indent := len(dashes().FindString(code))
		if strings.Contains(code, ": ") {
			indent += 2
		}
		var last part
		code = word.ReplaceAllStringFunc(code, func(w string) string {
			i, _ := strconv.Atoi(word.FindStringSubmatch(w)[1])
			last = a.parts[i]
			return last.lines[0]
		})
		lines := append([]string{strings.TrimSuffix(code, "\n")}, last.lines[min(1, len(last.lines)):]...)
		for i, l := range lines {
			if i > 0 && l != "" {
				l = strings.Repeat(" ", indent) + l
			}
			if i == 0 && last.block || i == len(lines)-1 && !last.block {
				l += side
			}
			out.WriteString(l + "\n")
		}
	}
	return out.String()
}
