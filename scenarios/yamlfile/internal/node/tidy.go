package node

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

// Tidy returns the text of a file in the standard layout, as the YAML library writes it.
// Arrange sets the order of the keys in a document and the styles of its values.
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
	before := "" // before is the comments above the next value
	for _, doc := range cutDocuments([]byte(endMark().ReplaceAllString(text, "---$1"))) {
		head, body := cutHead(startMark().ReplaceAllString(string(doc.text), "   $1"))
		head = ofVersion().ReplaceAllString(head, "")
		if at := strings.Index("\n"+head, "\n%"); at >= 0 {
			return nil, refuse(doc.before+strings.Count(head[:at], "\n")+1, "leave out the directive, which scenario files do not need")
		}
		before += head
		if body == "" {
			continue
		}
		laid, lost, err := tidyDocument(strings.Repeat("\n", strings.Count(head, "\n"))+body, arrange)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if lost > 0 {
			return nil, refuse(doc.before+lost, "write its comment above the key or the dash that it is about")
		}
		if out.Len() > 0 {
			out.WriteString("---\n")
		}
		out.WriteString(commentLines(before) + laid)
		before = ""
	}
	if rest := strings.TrimRight(commentLines(before), "\n"); rest != "" {
		out.WriteString(rest + "\n")
	}
	return []byte(out.String()), nil
}

var (
	endMark   = Lazily(`(?m)^\.\.\.([ \t]|$)`)
	startMark = Lazily(`(?m)^---([ \t]|$)`)
	ofVersion = Lazily(`(?m)^%YAML .*$`)
	blanks    = Lazily(`(?m)(^[ \t]*\n)+`)
	comment   = Lazily(`(?m)(?:^|[ \t])#.*$`)
)

// cutHead cuts a document before its first line that is neither blank nor a comment.
func cutHead(text string) (head, rest string) {
	for line := range strings.Lines(text) {
		if first := strings.TrimSpace(line); first != "" && first[0] != '#' && first[0] != '%' {
			break
		}
		head += line
	}
	return head, text[len(head):]
}

// commentLines returns lines of comments without indentation and blank lines above them.
func commentLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.TrimLeft(blanks().ReplaceAllString(strings.Join(lines, "\n"), "\n"), "\n")
}

// tidyDocument lays out a document, again and again until nothing changes. Lost is the
// number of a line whose comment the YAML library does not keep, or 0.
func tidyDocument(text string, arrange func(text string, root *yaml.Node)) (laid string, lost int, err error) {
	var written []commentAt
	for turn := range 5 {
		a, _, err := readAuthored(text, text, nil, func(*yaml.Node) {})
		if err != nil {
			return "", 0, err
		}
		if turn == 0 {
			written = a.comments()
		} else if line := lostComment(written, a.comments()); line > 0 {
			return "", line, nil
		}
		laid, err := a.layOut(arrange)
		if err != nil || laid == text {
			return laid, 0, err
		}
		text = laid
	}
	return "", 0, errors.New("it looks different each time it is laid out; please report the file")
}

// layOut returns the text of the document in the standard layout.
func (a *authored) layOut(arrange func(text string, root *yaml.Node)) (string, error) {
	brackets := a.outermost()
	clean := a.clean(brackets)
	a, doc, err := readAuthored(a.text, clean, brackets, func(root *yaml.Node) { arrange(clean, root) })
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(doc); err != nil {
		return "", err
	}
	return a.putBack(out.String()), nil
}

// lostComment returns the line of the first comment that is not left, or 0.
func lostComment(written, left []commentAt) int {
	for _, c := range written {
		at := slices.IndexFunc(left, func(l commentAt) bool { return l.text == c.text })
		if at < 0 {
			return c.line
		}
		left = slices.Delete(left, at, at+1)
	}
	return 0
}
