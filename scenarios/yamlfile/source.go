package yamlfile

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

// Bounds of what [Parse] takes. They are far beyond what people write, and keep
// a hostile file from using up memory.
const (
	maxFileBytes = 4 << 20
	maxNodes     = 1_000_000 // values in a file, aliases written out
	maxDepth     = 200
)

// checkBytes reports what the YAML library would refuse without saying where:
// too much text, text that is not UTF-8, control characters.
func (d *decoder) checkBytes(src []byte) bool {
	if len(src) > maxFileBytes {
		d.at(1, 1, 0, "for long texts write content: {repeat: ..., bytes: ...}", "the file is larger than %d MiB", maxFileBytes>>20)
		return false
	}
	line, col := 1, 1
	for rest := bytes.TrimPrefix(src, []byte(diag.ByteOrderMark)); len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		switch {
		case r == utf8.RuneError && size == 1:
			d.at(line, col, 1, "save the file as UTF-8", "the byte %#02x is not UTF-8", rest[0])
			return false
		case isControl(r):
			d.at(line, col, 1, fmt.Sprintf(`write it as "\u%04x" in double quotes`, r), "the control character U+%04X cannot stand in YAML", r)
			return false
		case r == '\r' && len(rest) > 1 && rest[1] == '\n':
			// the line ends at the line feed
		case diag.IsLineBreak(r):
			line, col = line+1, 0
		}
		col++
		rest = rest[size:]
	}
	return true
}

// isControl reports whether YAML forbids r.
func isControl(r rune) bool {
	switch {
	case r == '\t' || diag.IsLineBreak(r):
		return false
	case r < ' ', r >= 0x7f && r <= 0x9f, r == '\ufeff', r == '\ufffe', r == '\uffff':
		return true
	}
	return false
}

// at adds a problem at a place that has no node.
func (d *decoder) at(line, col, width int, hint, format string, args ...any) {
	d.diags = append(d.diags, diag.Problem{
		Pos:     diag.Pos{File: d.file, Line: line, Col: col},
		Width:   width,
		Message: fmt.Sprintf(format, args...),
		Hint:    hint,
	})
}

var (
	syntaxLine    = regexp.MustCompile(`^yaml: line ([0-9]+): `)
	unknownAnchor = regexp.MustCompile(`unknown anchor '(.*)' referenced`)
)

// syntaxError reports what the YAML library says about a file that is not YAML.
// Of the place it tells at best the line, and that not always exactly.
func (d *decoder) syntaxError(err error, src []byte) {
	lines := diag.SplitLines(src)
	if m := unknownAnchor.FindStringSubmatch(err.Error()); m != nil {
		line, col := findAlias(lines, m[1])
		d.at(line, col, len(m[1])+1, "an anchor is set with &"+m[1]+", before it is used", "unknown anchor %q", m[1])
		return
	}
	line := 1
	if m := syntaxLine.FindStringSubmatch(err.Error()); m != nil {
		line, _ = strconv.Atoi(m[1])
	}
	line = max(1, min(line, len(lines)))
	message := syntaxLine.ReplaceAllString(err.Error(), "")
	if n, col := tabIndent(lines, line); n > 0 {
		d.at(n, col, 1, "use spaces to indent, not tabs", "not YAML: %s", strings.TrimPrefix(message, "yaml: "))
		return
	}
	d.at(line, 0, 0, syntaxHint(message), "not YAML, near this line: %s", strings.TrimPrefix(message, "yaml: "))
}

// findAlias is where an alias of that name stands.
func findAlias(lines []string, name string) (line, col int) {
	alias := regexp.MustCompile(`(^|[\s\[{,])\*` + regexp.QuoteMeta(name) + `([\s\]},]|$)`)
	for i, text := range lines {
		if at := alias.FindStringIndex(text); at != nil {
			star := at[0] + strings.IndexByte(text[at[0]:], '*')
			return i + 1, utf8.RuneCountInString(text[:star]) + 1
		}
	}
	return 1, 0
}

// tabIndent is the place of a tab that indents the line or one of its
// neighbours.
func tabIndent(lines []string, near int) (line, col int) {
	for n := max(near-1, 1); n <= min(near+1, len(lines)); n++ {
		text := lines[n-1]
		if indent := text[:len(text)-len(strings.TrimLeft(text, " \t"))]; strings.Contains(indent, "\t") {
			return n, strings.IndexByte(indent, '\t') + 1
		}
	}
	return 0, 0
}

// syntaxHint is what most often causes a message of the YAML library.
func syntaxHint(message string) string {
	switch {
	case strings.Contains(message, "mapping values are not allowed"):
		return `a text with ": " in it needs quotes around it`
	case strings.Contains(message, "cannot start any token"):
		return "a text that starts with a special character needs quotes around it"
	case strings.Contains(message, "expected key"):
		return "check the indentation"
	case strings.Contains(message, "end of stream"), strings.Contains(message, "',' or"):
		return "a quote or bracket is not closed"
	case strings.Contains(message, "escape character"):
		return `in double quotes a backslash is written \\`
	}
	return ""
}

// expand replaces aliases by what they stand for, so that nothing after it meets
// one. It refuses what would grow without bound: aliases that hold themselves,
// too many values, too deep nesting.
func (d *decoder) expand(root *yaml.Node) bool {
	e := expander{decoder: d, open: map[*yaml.Node]bool{}}
	return e.walk(root, 0)
}

type expander struct {
	*decoder
	open map[*yaml.Node]bool // anchors that the walk is inside of
}

func (e *expander) walk(n *yaml.Node, depth int) bool {
	e.nodes++
	switch {
	case e.nodes > maxNodes:
		e.report(n, "", "the file has more than %d values, aliases written out", maxNodes)
		return false
	case depth > maxDepth:
		e.report(n, "", "nested deeper than %d levels", maxDepth)
		return false
	case n.Style&yaml.TaggedStyle != 0 && n.ShortTag() != "!!str":
		e.report(n, "leave it out", "the tag %s is not supported", n.ShortTag())
	}
	if n.Anchor != "" {
		e.open[n] = true
		defer delete(e.open, n)
	}
	for i, child := range n.Content {
		if child.Kind == yaml.AliasNode {
			if e.open[child.Alias] {
				e.report(child, "", "the alias *%s holds itself", child.Value)
				return false
			}
			child = child.Alias
			n.Content[i] = child
		}
		if !e.walk(child, depth+1) {
			return false
		}
	}
	return true
}
