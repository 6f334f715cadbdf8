// Package tidy formats the text of YAML documents and keeps their comments and blank
// lines. It knows no word of the scenario language: a [Style] tells the order of keys.
package tidy

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

// Style says how the mappings and lists of a document are written.
type Style interface {
	// Order returns the indexes of a mapping's pairs, from 0, in the order in which they
	// are written.
	Order(n *yaml.Node) []int
	// InLines reports whether a value that is not empty is never written in one line.
	InLines(n *yaml.Node) bool
}

// Line is the error for a line that cannot be formatted.
type Line struct {
	Number int
	Reason string
}

// Error implements error.
func (l *Line) Error() string { return fmt.Sprintf("line %d: %s", l.Number, l.Reason) }

// Document is the text of one document of a file, and the comments before it.
type Document struct {
	Text  string
	Root  *yaml.Node // Root is its value; nil if there are only comments.
	First int        // First is the number of its first line in the file.
}

// Documents splits a file at the lines with three dashes or dots. The error is a [*Line]
// if the file has a line that cannot be formatted.
func Documents(src []byte) ([]Document, error) {
	text := strings.TrimPrefix(string(src), diag.ByteOrderMark)
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	if at := strings.IndexAny(text, "\u0085\u2028\u2029"); at >= 0 {
		return nil, &Line{strings.Count(text[:at], "\n") + 1, `a line break of Unicode stands in it; write "\N", "\L" or "\P" in double quotes`}
	}
	var list []Document
	var lines []string
	first := 1
	end := func(next int) error {
		d := Document{Text: strings.Join(lines, "\n") + "\n", First: first}
		lines, first = nil, next
		err := d.parse()
		list = append(list, d)
		return err
	}
	all := strings.Split(text, "\n")
	for i, line := range all {
		mark, rest := cutMark(line)
		switch {
		case mark:
			if err := end(i + 1); err != nil {
				return nil, err
			}
			line = "   " + rest
		case strings.HasPrefix(line, "%YAML ") && onlyComments(lines):
			line = ""
		case strings.HasPrefix(line, "%") && onlyComments(lines):
			return nil, &Line{i + 1, "leave out the directive, which scenario files do not need"}
		}
		lines = append(lines, line)
	}
	return list, end(0)
}

// cutMark cuts the three dashes or dots off a line that separates documents.
func cutMark(line string) (ok bool, rest string) {
	for _, mark := range []string{"---", "..."} {
		if rest, ok := strings.CutPrefix(line, mark); ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
			return true, rest
		}
	}
	return false, line
}

// onlyComments reports whether lines are only comments and blank lines.
func onlyComments(lines []string) bool {
	return !slices.ContainsFunc(lines, func(line string) bool {
		line = strings.TrimSpace(line)
		return line != "" && line[0] != '#'
	})
}

func (d *Document) parse() error {
	var root yaml.Node
	switch err := yaml.NewDecoder(bytes.NewReader([]byte(d.Text))).Decode(&root); {
	case err != nil && strings.TrimSpace(d.Text) != "" && err.Error() != "EOF":
		return fmt.Errorf("the document at line %d: %w", d.First, err)
	case len(root.Content) == 1 && !isNothing(root.Content[0]):
		d.Root = root.Content[0]
	}
	return nil
}

// isNothing reports whether n is the node of a missing value.
func isNothing(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Value == "" && n.Style == 0 && n.Anchor == ""
}

// Print writes documents, one after the other. Style returns the style of document i.
func Print(docs []Document, style func(i int) Style) ([]byte, error) {
	var out bytes.Buffer
	var before []string // before is comments that no document has got yet.
	for i, d := range docs {
		if d.Root == nil {
			before = append(before, commentsOf(d.Text)...)
			continue
		}
		p := printer{style: style(i), out: &out}
		if err := p.read(d); err != nil {
			return nil, err
		}
		if out.Len() > 0 {
			out.WriteString("---\n")
		}
		p.head = trim(append(before, p.head...))
		p.document()
		before = nil
	}
	for _, line := range trim(before) {
		out.WriteString(line + "\n")
	}
	return out.Bytes(), nil
}

// Comments returns the comments of documents, sorted.
func Comments(docs []Document) ([]string, error) {
	var list []string
	for _, d := range docs {
		root := d.Root
		if root == nil {
			root = new(yaml.Node)
		}
		src, err := newSource(d.Text, root)
		if err != nil {
			return nil, err
		}
		for _, c := range src.comments() {
			if c.text != "" {
				list = append(list, c.text)
			}
		}
	}
	slices.Sort(list)
	return list, nil
}

// commentsOf returns the lines of a text that consists only of comments.
func commentsOf(text string) []string {
	var lines []string
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		lines = append(lines, strings.TrimSpace(line))
	}
	return lines
}

// trim returns lines of comments without blank lines at their ends, and with at most one
// blank line in a row.
func trim(lines []string) []string {
	lines = slices.CompactFunc(slices.Clone(lines), func(a, b string) bool { return a == "" && b == "" })
	for len(lines) > 0 && lines[0] == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

var errScalar = errors.New("a value is not where it is said to be")
