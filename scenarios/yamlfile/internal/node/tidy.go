package node

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

// Tidy returns the text of a file in the standard layout. Arrange sets the order of the
// keys in a document and the styles of its values.
//
// Keys and list items that have lines of their own are moved line by line, so that
// comments and texts stay as the author wrote them. What is in brackets is written by
// the YAML library; brackets with comments in them stay as they are.
//
// The error is a [diag.List] for a line that cannot be laid out.
func Tidy(file string, src []byte, arrange func(text string, root *yaml.Node)) ([]byte, error) {
	refuse := func(line int, hint string) error {
		return diag.List{{Pos: diag.Pos{File: file, Line: line, Col: 1}, Message: "fmt cannot lay this line out", Hint: hint}}
	}
	text := strings.TrimPrefix(string(src), diag.ByteOrderMark)
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	if at := strings.IndexAny(text, "\u0085\u2028\u2029"); at >= 0 {
		return nil, refuse(strings.Count(text[:at], "\n")+1, `a line break of Unicode stands in it; write "\N", "\L" or "\P" in double quotes`)
	}
	var out strings.Builder
	var above []string // above is the comments above the next value
	for _, doc := range cutDocuments([]byte(endMark().ReplaceAllString(text, "---$1"))) {
		body := ofVersion().ReplaceAllString(startMark().ReplaceAllString(string(doc.text), "   $1"), "")
		lines := strings.Split(strings.TrimSuffix(body, "\n"), "\n")
		first := slices.IndexFunc(lines, isContent)
		if at := slices.IndexFunc(lines[:max(first, 0)], isDirective); at >= 0 {
			return nil, refuse(doc.before+at+1, "leave out the directive, which scenario files do not need")
		}
		if first < 0 {
			above = append(above, lines...)
			continue
		}
		above = append(above, lines[:first]...)
		t := tidier{lines: lines, regions: map[*yaml.Node]region{}, blocks: map[*yaml.Node]block{}}
		laid, err := t.document(first, arrange)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if t.refused > 0 {
			return nil, refuse(doc.before+t.refused, "write the key and a colon, without a question mark")
		}
		if out.Len() > 0 {
			out.WriteString("---\n")
		}
		for _, line := range append(commentLines(above, 0, true), laid...) {
			out.WriteString(line + "\n")
		}
		above = nil
	}
	for _, line := range commentLines(above, 0, true) {
		out.WriteString(line + "\n")
	}
	return []byte(out.String()), nil
}

var (
	endMark   = Lazily(`(?m)^\.\.\.([ \t]|$)`)
	startMark = Lazily(`(?m)^---([ \t]|$)`)
	ofVersion = Lazily(`(?m)^%YAML .*$`)
	comment   = Lazily(`(?m)(?:^|[ \t]+)#`)
	keepsEnd  = Lazily(`[|>][1-9]?\+`)
	keyStart  = Lazily(`^( *[^ "':#]+:) +`)
)

func isContent(line string) bool {
	line = strings.TrimSpace(line)
	return line != "" && line[0] != '#' && line[0] != '%'
}

func isDirective(line string) bool { return strings.HasPrefix(line, "%") }

// commentLines returns comments and blank lines with an indentation, and one blank line
// in place of several. With atTop there is none at the top.
func commentLines(lines []string, indent int, atTop bool) []string {
	var list []string
	blank := atTop // blank says that the line before is blank
	for _, line := range lines {
		if line = strings.TrimSpace(line); line != "" {
			line = strings.Repeat(" ", indent) + line
		}
		if line != "" || !blank {
			list = append(list, line)
		}
		blank = line == ""
	}
	return list
}

// tidier lays out one document.
type tidier struct {
	lines   []string
	regions map[*yaml.Node]region // regions is the lines of each key and item that has lines of its own.
	blocks  map[*yaml.Node]block  // blocks is the collections of those.
	refused int                   // refused is the number of a line that cannot be laid out, or 0.
	keeps   bool                  // keeps says that blank lines may belong to the text above them.
}

// region is the lines of a key or an item: comments from from, itself from at, up to to.
// Col is the column, counted from 0, in which it begins.
type region struct{ from, at, to, col int }

// block is a collection of keys or items that have lines of their own: the line of the
// first, and the comments behind the last.
type block struct {
	first int
	tail  []string
}

// document returns the lines of the document whose value begins in the line first.
func (t *tidier) document(first int, arrange func(text string, root *yaml.Node)) ([]string, error) {
	text := strings.Join(t.lines, "\n")
	t.keeps = keepsEnd().MatchString(text)
	doc, err := nextDocument(yaml.NewDecoder(strings.NewReader(text)))
	if err != nil {
		return nil, err
	}
	root := doc.Content[0]
	clearComments(root)
	if isBlock(root) {
		t.place(root, first, len(t.lines))
	}
	if t.refused > 0 {
		return nil, nil
	}
	arrange(text, root)
	laid := t.lines[first:]
	if _, ok := t.blocks[root]; ok {
		laid = t.collection(root, 0)
	}
	for !t.keeps && laid[len(laid)-1] == "" {
		laid = laid[:len(laid)-1]
	}
	return laid, nil
}

// clearComments removes the comments in the nodes: the lines have them.
func clearComments(n *yaml.Node) {
	n.HeadComment, n.LineComment, n.FootComment = "", "", ""
	for _, child := range n.Content {
		clearComments(child)
	}
}

// isBlock reports whether a value is a collection whose members have lines of their own.
func isBlock(n *yaml.Node) bool { return n.Style&yaml.FlowStyle == 0 && len(n.Content) > 0 }

// place finds the regions of the members of a block, which is in the lines from from up
// to to.
func (t *tidier) place(n *yaml.Node, from, to int) {
	step := memberSize(n)
	var found []region
	for i := 0; i < len(n.Content); i += step {
		r := region{from: from, at: n.Content[i].Line - 1, col: n.Content[i].Column - 1}
		if n.Kind == yaml.SequenceNode {
			r = t.dash(n, n.Content[i], found)
			r.from = from
		}
		if at := min(r.at, len(t.lines)-1); at < r.at || strings.Trim(t.lines[at][:min(r.col, len(t.lines[at]))], " -") != "" {
			t.refused = at + 1
			return
		}
		if i > 0 {
			r.from = t.comments(r.at, r.col, found[len(found)-1].at+1)
			found[len(found)-1].to = r.from
		}
		found = append(found, r)
	}
	last := &found[len(found)-1]
	last.to = t.comments(to, last.col, last.at+1)
	t.blocks[n] = block{found[0].at, t.lines[last.to:to]}
	for i, r := range found {
		t.regions[n.Content[i*step]] = r
		value := n.Content[i*step+step-1]
		if !isBlock(value) {
			continue
		}
		inside := r.at + 1
		if first := value.Content[0]; n.Kind == yaml.SequenceNode && first.Line-1 == r.at {
			inside = r.at
		}
		t.place(value, inside, r.to)
	}
}

// memberSize is the number of nodes of a member: a key and its value, or an item.
func memberSize(n *yaml.Node) int {
	if n.Kind == yaml.MappingNode {
		return 2
	}
	return 1
}

// dash returns the place of the dash of an item in a list. Before is the items before it.
func (t *tidier) dash(list, item *yaml.Node, before []region) region {
	if len(before) > 0 {
		col := before[0].col
		for at := min(item.Line, len(t.lines)) - 1; at > before[len(before)-1].at; at-- {
			if line := t.lines[at]; strings.HasPrefix(line, strings.Repeat(" ", col)+"-") {
				return region{at: at, col: col}
			}
		}
		return region{at: item.Line - 1, col: item.Column - 1} // it will be refused
	}
	at, col := list.Line-1, list.Column-1
	if line := t.lines[at]; byteAt(line, col) < len(line) && line[byteAt(line, col)] == '-' {
		return region{at: at, col: col}
	}
	for at++; !isContent(t.lines[at]); at++ { // below an anchor
	}
	return region{at: at, col: indentOf(t.lines[at])}
}

// byteAt returns the offset in a line of a column, counted from 0.
func byteAt(line string, col int) int {
	at := 0
	for range col {
		_, size := utf8.DecodeRuneInString(line[at:])
		at += size
	}
	return at
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// comments returns the first of the lines of comments above a line that belong to what
// begins in that line and column. They are not above the line least.
func (t *tidier) comments(line, col, least int) int {
	for ; line > least; line-- {
		above := strings.TrimSpace(t.lines[line-1])
		if above == "" && t.keeps || above != "" && (above[0] != '#' || indentOf(t.lines[line-1]) > col) {
			break
		}
	}
	return line
}

// collection returns the lines of a block.
func (t *tidier) collection(n *yaml.Node, indent int) []string {
	var out []string
	for member := range slices.Chunk(n.Content, memberSize(n)) {
		r, written := t.regions[member[0]]
		if !written { // a key that arrange has added
			out = append(out, strings.Repeat(" ", indent)+member[0].Value+":")
			out = append(out, t.collection(member[1], indent+2)...)
			continue
		}
		out = append(out, commentLines(t.lines[r.from:r.at], indent, len(out) == 0)...)
		out = append(out, t.member(r, member[len(member)-1], indent)...)
	}
	return append(out, commentLines(t.blocks[n].tail, indent, false)...)
}

// member returns the lines of a key and its value, or of an item.
func (t *tidier) member(r region, value *yaml.Node, indent int) []string {
	first := strings.Repeat(" ", indent) + t.lines[r.at][r.col:]
	rest, by := t.lines[r.at+1:r.to], indent-r.col
	b, isBlock := t.blocks[value]
	switch {
	case isBlock && b.first == r.at:
		lines := t.collection(value, indent+2)
		lines[0] = strings.Repeat(" ", indent) + "- " + lines[0][indent+2:]
		return lines
	case isBlock:
		return append([]string{strings.TrimRight(first, " \t")}, t.collection(value, indent+2)...)
	case value.Line-1 == r.at:
		at := byteAt(t.lines[r.at], value.Column-1) - r.col + indent
		if len(value.Content) > 0 {
			if lines, ok := brackets(first, at, rest, value, indent); ok {
				return lines
			}
		} else if quoted := "'" + value.Value + "'"; isQuotable(value) && strings.HasPrefix(first[at:], quoted) {
			first = first[:at] + `"` + value.Value + `"` + first[at+len(quoted):]
		}
		if value.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 && len(rest) > 0 && !strings.ContainsAny(first[at:], "123456789") {
			rest, by = blockText(rest, indent)
		}
	}
	return append([]string{keyStart().ReplaceAllString(first, "$1 ")}, shifted(rest, by)...)
}

// blockText returns the lines of a text in a block, with the comments behind it at an
// indentation, and by how much to shift them.
func blockText(lines []string, indent int) (rest []string, by int) {
	inner := 0
	for _, line := range lines {
		if at := indentOf(line); inner == 0 && line[at:] != "" {
			inner = at
		} else if at < inner && line[at:] != "" {
			line = strings.Repeat(" ", inner-2) + line[at:]
		}
		rest = append(rest, line)
	}
	return rest, indent + 2 - inner
}

// shifted returns lines with more indentation or, if by is negative, with less.
func shifted(lines []string, by int) []string {
	list := make([]string, len(lines))
	for i, line := range lines {
		line = line[min(max(-by, 0), indentOf(line)):]
		if line != "" {
			line = strings.Repeat(" ", max(by, 0)) + line
		}
		list[i] = line
	}
	return list
}

// brackets returns the lines of a member whose value n is in brackets, which begin at an
// offset of its first line and end in that line or in the rest. It is not ok if there are
// comments in them.
func brackets(first string, at int, rest []string, n *yaml.Node, indent int) (lines []string, ok bool) {
	at += strings.IndexAny(first[at:], "[{") // behind an anchor
	text := strings.Join(append([]string{first[at:]}, rest...), "\n")
	var side string
	var below []string
	if i := comment().FindStringIndex(text); i != nil {
		if _, err := nextDocument(yaml.NewDecoder(strings.NewReader(text[:i[0]]))); err != nil {
			return nil, false
		}
		below = strings.Split(text[i[0]:], "\n")
		if text = text[:i[0]]; !strings.HasSuffix(text, "\n") {
			side, below = " "+strings.TrimSpace(below[0]), below[1:]
		}
	}
	if strings.Contains(strings.TrimSpace(text), "\n") {
		unfold(n)
	}
	written, err := encode(n)
	if err != nil {
		return nil, false
	}
	head, pad := strings.TrimRight(first[:at], " "), strings.Repeat(" ", indent)
	switch {
	case n.Style&yaml.FlowStyle != 0:
		lines = []string{first[:at] + written[0] + side}
	case head == pad+"-" && side == "":
		lines = shifted(written, indent+2)
		lines[0] = head + " " + written[0]
	default:
		lines = append([]string{head + side}, shifted(written, indent+2)...)
	}
	return append(lines, commentLines(below, indent+2, false)...), true
}

// unfold gives a collection in brackets a line for each of its values, and so do those in
// it that have several lines.
func unfold(n *yaml.Node) (several bool) {
	for _, child := range n.Content {
		if unfold(child) || child.Line != n.Line {
			several = true
		}
	}
	if several {
		n.Style &^= yaml.FlowStyle
	}
	return several
}

// encode returns the lines of a value, as the YAML library writes it.
func encode(n *yaml.Node) ([]string, error) {
	unify(n)
	n.Anchor = "" // stands before the brackets
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	err := enc.Encode(n)
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n"), err
}

// unify gives the scalars in n the usual spelling.
func unify(n *yaml.Node) {
	for i, child := range n.Content {
		unify(child)
		if n.Kind == yaml.MappingNode && i%2 == 0 && IsName(child.Value) && child.Kind == yaml.ScalarNode {
			child.Style = 0
		}
	}
	switch shape := ShapeOf(n); {
	case n.Kind != yaml.ScalarNode:
	case isQuotable(n), shape == Text && (strings.Contains(n.Value, "\n") || n.Style == 0 && strings.ContainsAny(n.Value, ":?,[]{}")):
		n.Style = yaml.DoubleQuotedStyle
	case shape == Null:
		n.Value = "null"
	case shape == Bool:
		n.Value = strings.ToLower(n.Value)
	}
}

// isQuotable reports whether a text in single quotes needs no escapes in double quotes.
func isQuotable(n *yaml.Node) bool {
	return n.Style == yaml.SingleQuotedStyle && !strings.ContainsAny(n.Value, "\"\\")
}
