package node

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

// Tidy returns the text of a file as the YAML library writes it, with the author's comments,
// blank lines and the lines of folded texts. Arrange sets the order of the keys in the
// documents and the styles of their values.
func Tidy(src []byte, arrange func(text string, docs []*yaml.Node)) ([]byte, error) {
	text := strings.TrimPrefix(string(src), diag.ByteOrderMark)
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	hide, show, marks := standIns(text)
	text = hide.Replace(text)
	docs, err := documentsOf(text)
	if err != nil {
		return nil, err
	}
	above, lines := make([]string, len(docs)), diag.SplitLines([]byte(text))
	for i, doc := range docs {
		marks.set(doc, lines)
		above[i] = takeComment(doc)
	}
	arrange(text, docs)
	var out bytes.Buffer
	for i, doc := range docs {
		marks.unify(doc)
		if i > 0 {
			out.WriteString("---\n")
		}
		if root := doc.Content[0]; len(root.Content) > 0 {
			root.Content[0].HeadComment = Joined(above[i], root.Content[0].HeadComment)
		}
		below := doc.FootComment
		doc.FootComment = "" // the library would write a blank line above it
		enc := yaml.NewEncoder(&out)
		enc.SetIndent(2)
		if err := enc.Encode(doc); err != nil {
			return nil, err
		}
		if below != "" {
			out.WriteString(below + "\n")
		}
	}
	return []byte(show.Replace(marks.resolve(out.String()))), nil
}

// takeComment returns the comment above the first value of a document, and removes it there.
func takeComment(doc *yaml.Node) string {
	root := doc.Content[0]
	above := Joined(doc.HeadComment, root.HeadComment)
	doc.HeadComment, root.HeadComment = "", ""
	if len(root.Content) > 0 {
		above, root.Content[0].HeadComment = Joined(above, root.Content[0].HeadComment), ""
	}
	return above
}

// Joined returns two comments as one.
func Joined(a, b string) string { return strings.Trim(a+"\n"+b, "\n") }

// documentsOf returns the documents of a text that have a value, with their comments.
func documentsOf(text string) (list []*yaml.Node, err error) {
	documents := yaml.NewDecoder(strings.NewReader(text))
	for {
		doc, err := nextDocument(documents)
		switch {
		case errors.Is(err, io.EOF):
			return list, nil
		case err != nil:
			return nil, err
		case ShapeOf(doc.Content[0]) != Nothing:
			list = append(list, doc)
		}
	}
}

// unify gives the values in n the usual spelling, and a line of its own to each value of a
// collection in brackets over several lines. Several says that n is one.
func (m marks) unify(n *yaml.Node) (several bool) {
	inBrackets := n.Style&yaml.FlowStyle != 0
	for i, child := range n.Content {
		if m.unify(child) || child.Line != n.Line {
			several = true
		}
		for i == 0 && strings.HasPrefix(child.HeadComment, m.blank) { // no blank line begins a block
			child.HeadComment = strings.TrimPrefix(strings.TrimPrefix(child.HeadComment, m.blank), "\n")
		}
		isKey := n.Kind == yaml.MappingNode && i%2 == 0
		switch {
		case child.Kind != yaml.ScalarNode && child.Style&yaml.FlowStyle != 0:
		case n.Kind == yaml.MappingNode && child.Kind != yaml.ScalarNode:
			// The library would write a comment that was behind brackets too late.
			key := n.Content[i-1]
			key.LineComment, child.LineComment = Joined(key.LineComment, child.LineComment), ""
		case child.Kind != yaml.ScalarNode:
			child.HeadComment, child.LineComment = Joined(child.HeadComment, child.LineComment), ""
		case isKey && IsName(child.Value):
			child.Style = 0
		case child.Style == yaml.SingleQuotedStyle && !strings.ContainsAny(child.Value, "\"\\"),
			inBrackets && ShapeOf(child) == Text && (strings.Contains(child.Value, "\n") || child.Style == 0 && strings.ContainsAny(child.Value, ":?,[]{}")):
			child.Style = yaml.DoubleQuotedStyle
		case child.Style&yaml.FoldedStyle != 0 && indented().MatchString(child.Value), child.Style&yaml.LiteralStyle != 0 && child.Value != "" && indented().MatchString(child.Value[:1]):
			// The library would write another text.
			child.Style, child.Value = yaml.DoubleQuotedStyle, strings.ReplaceAll(child.Value, m.fold, " ")
		case ShapeOf(child) == Null:
			child.Value = "null"
		case ShapeOf(child) == Bool:
			child.Value = strings.ToLower(child.Value)
		}
	}
	if several {
		n.Style &^= yaml.FlowStyle
	}
	return several
}
