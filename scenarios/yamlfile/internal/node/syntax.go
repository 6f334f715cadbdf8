package node

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

var (
	syntaxLine    = Lazily(`^yaml: line ([0-9]+): `)
	unknownAnchor = Lazily(`unknown anchor '(.*)' referenced`)
)

// syntaxError reports an error of the YAML library. The error names at best a line, and
// that line is not always exact.
func (r *Reader) syntaxError(err error, doc document) {
	lines := diag.SplitLines(doc.text)
	if m := unknownAnchor().FindStringSubmatch(err.Error()); m != nil {
		line, col := findAlias(lines, m[1])
		r.reportAt(doc.before+line, col, len(m[1])+1, "an anchor is set with &"+m[1]+", before it is used", "unknown anchor %q", m[1])
		return
	}
	line := 1
	if m := syntaxLine().FindStringSubmatch(err.Error()); m != nil {
		line, _ = strconv.Atoi(m[1])
	}
	line = max(1, min(line, len(lines)))
	message := syntaxLine().ReplaceAllString(err.Error(), "")
	if n, col := tabIndent(lines, line); n > 0 {
		r.reportAt(doc.before+n, col, 1, "use spaces to indent, not tabs", "not YAML: %s", strings.TrimPrefix(message, "yaml: "))
		return
	}
	r.reportAt(doc.before+line, 0, 0, syntaxHint(message), "not YAML, near this line: %s", strings.TrimPrefix(message, "yaml: "))
}

// findAlias returns the position of the first alias of that name.
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

// tabIndent returns the position of a tab in the indentation of the line or of one of
// its neighbours.
func tabIndent(lines []string, near int) (line, col int) {
	for n := max(near-1, 1); n <= min(near+1, len(lines)); n++ {
		text := lines[n-1]
		if indent := text[:len(text)-len(strings.TrimLeft(text, " \t"))]; strings.Contains(indent, "\t") {
			return n, strings.IndexByte(indent, '\t') + 1
		}
	}
	return 0, 0
}

// syntaxHint returns the most frequent cause of a message of the YAML library.
func syntaxHint(message string) string {
	switch {
	case strings.Contains(message, "mapping values are not allowed"):
		return `check the indentation; a text with ": " in it needs quotes around it`
	case strings.Contains(message, "cannot start any token"):
		return "a text that starts with a special character needs quotes around it"
	case strings.Contains(message, "expected key"):
		return "check the indentation"
	case strings.Contains(message, "',' or"):
		return "a quote or bracket is not closed, or a text with [ ] { } in it needs quotes around it"
	case strings.Contains(message, "end of stream"):
		return "a quote or bracket is not closed"
	case strings.Contains(message, "incompatible YAML document"):
		return "leave the line %YAML out"
	case strings.Contains(message, "escape character"):
		return `in double quotes a backslash is written \\`
	}
	return ""
}
