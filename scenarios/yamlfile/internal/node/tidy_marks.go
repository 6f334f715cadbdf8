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
	for _, r := range text {
		if r > '\uffff' && !slices.Contains(there, string(r)) {
			other := unused()
			there, back = append(there, string(r), other), append(back, other, string(r))
		}
	}
	return strings.NewReplacer(there...), strings.NewReplacer(back...), marks{"#" + unused(), unused()}
}

// set puts a mark above each value of n that has a blank line above it, and in each folded text where its lines end.
func (m marks) set(n *yaml.Node, lines []string) {
	for i, child := range n.Content {
		m.set(child, lines)
		if child.Style&yaml.FoldedStyle != 0 {
			child.Value = m.folded(child.Value, lines[child.Line:])
		}
		if i == 0 && n.Kind != yaml.DocumentNode || n.Kind == yaml.MappingNode && i%2 == 1 || strings.Trim(string([]rune(lines[child.Line-1])[:child.Column-1]), " -") != "" {
			continue // nothing that a line begins with, or the first in its block
		}
		at := child.Line - 2
		for at >= 0 && strings.HasPrefix(strings.TrimLeft(lines[at], " -"), "#") {
			at--
		}
		if at >= 0 && strings.TrimSpace(lines[at]) == "" {
			child.HeadComment = Joined(m.blank, child.HeadComment)
		}
	}
}

// folded is a text with marks in place of the spaces at which the lines of its source end.
func (m marks) folded(text string, lines []string) string {
	var out strings.Builder
	for _, line := range lines {
		rest, ok := strings.CutPrefix(text, strings.TrimSpace(line))
		if !ok || indented().MatchString(text) {
			break
		}
		out.WriteString(text[:len(text)-len(rest)])
		if text, ok = strings.CutPrefix(rest, " "); ok {
			out.WriteString(m.fold)
			continue
		}
		text = strings.TrimLeft(rest, "\n")
		out.WriteString(rest[:len(rest)-len(text)])
	}
	return out.String() + text
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
