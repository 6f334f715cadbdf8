package node

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// marks stand for what the YAML library does not keep: a comment for a blank line, and a
// character for the end of a line in a folded text.
type marks struct{ blank, fold string }

// standIns returns replacers that put other characters in place of those that the YAML
// library would write as escapes, such as emoji, and back; and marks that the text does not
// have.
func standIns(text string) (hide, show *strings.Replacer, m marks) {
	var there, back []string
	next := '\ue000' // the first character for private use
	unused := func() string {
		for strings.ContainsRune(text, next) {
			next++
		}
		next++
		return string(next - 1)
	}
	known := map[rune]bool{}
	for _, r := range text {
		if r > '\uffff' && !known[r] {
			known[r] = true
			other := unused()
			there, back = append(there, string(r), other), append(back, other, string(r))
		}
	}
	return strings.NewReplacer(there...), strings.NewReplacer(back...), marks{"#" + unused(), unused()}
}

// set returns the text with marks for all blank lines that are not part of a value, and for
// the ends of the lines in folded texts.
func (m marks) set(text string, docs []*yaml.Node) string {
	lines := strings.Split(text, "\n")
	var nodes []*yaml.Node
	var add func(n *yaml.Node)
	add = func(n *yaml.Node) {
		nodes = append(nodes, n)
		for _, child := range n.Content {
			add(child)
		}
	}
	for _, doc := range docs {
		add(doc)
	}
	of := make([]*yaml.Node, len(lines)) // the value that has a line
	for i, n := range nodes {
		end := len(lines)
		if i+1 < len(nodes) {
			next := nodes[i+1]
			end = next.Line - 1
			if before := []rune(lines[end])[:next.Column-1]; strings.Trim(string(before), " -[{") != "" {
				end++ // a value in brackets can end where the next begins
			}
		}
		for at := lastLine(n, lines[:max(end, n.Line)]); at >= n.Line; at-- {
			of[at] = n
		}
	}
	indent, ends := "", true // ends says that the document has no line below
	for at := len(lines) - 2; at >= 0; at-- {
		line, next := lines[at], lines[at+1]
		switch {
		case strings.TrimSpace(line) == "" && of[at] == nil && !ends:
			lines[at] = indent + m.blank
		case strings.TrimSpace(line) == "":
		case strings.HasPrefix(line, "---") || strings.HasPrefix(line, "..."):
			ends = true
		case of[at] != nil && of[at] == of[at+1] && of[at].Style&yaml.FoldedStyle != 0 && indentOf(next) == indentOf(line) && next[indentOf(next):] != "":
			lines[at] = line + m.fold + next[indentOf(next):]
			lines, of = slices.Delete(lines, at+1, at+2), slices.Delete(of, at+1, at+2)
		default:
			indent, ends = line[:indentOf(line)], false
		}
	}
	return strings.Join(lines, "\n")
}

// lastLine returns the index of the last line of a value. Lines is those up to the next value.
func lastLine(n *yaml.Node, lines []string) int {
	last, inner := n.Line-1, -1 // inner is the indentation of the text of a block
	for at := n.Line; at < len(lines); at++ {
		line := lines[at]
		switch text := strings.TrimLeft(line, "- "); { // without the dashes of items
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "---") || strings.HasPrefix(line, "..."):
		case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0:
			if text != "" && text[0] != '#' {
				last = at
			}
		case inner < 0 || indentOf(line) >= inner:
			if last = at; inner < 0 {
				inner = indentOf(line)
			}
		}
	}
	return last
}

// indented matches a text with an indented line, or with nothing in its first one.
var indented = Lazily(`(?m)^[ \t]|\A\n`)

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// resolve returns the text with what the marks stand for. There is no blank line at the top
// and at the end, and one in place of several.
func (m marks) resolve(text string) string {
	var out strings.Builder
	blank := false
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == m.blank {
			blank = out.Len() > 0
			continue
		}
		if blank && strings.TrimSpace(line) != "" {
			out.WriteString("\n")
		}
		out.WriteString(strings.ReplaceAll(line, m.fold, "\n"+line[:indentOf(line)]))
		blank = false
	}
	return out.String()
}
