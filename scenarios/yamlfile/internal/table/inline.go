package table

import (
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

// MostInLine is the largest number of characters of an author's value in a hint.
const MostInLine = 60

// InLine returns a value in YAML's flow style, if that has at most so many characters.
func InLine(n *yaml.Node, most int) (text string, ok bool) {
	const mostBytes = 4096
	if node.ShapeOf(n) == node.Nothing || sizeOf(n, mostBytes) > mostBytes {
		return "", false
	}
	out, err := yaml.Marshal(flowing(n))
	text = strings.TrimSuffix(string(out), "\n")
	return text, err == nil && utf8.RuneCountInString(text) <= most && !strings.Contains(text, "\n")
}

// sizeOf returns about how many bytes n takes when it is written. It stops counting
// above most.
func sizeOf(n *yaml.Node, most int) int {
	size := len(n.Value) + 1
	for _, child := range n.Content {
		if size > most {
			break
		}
		size += sizeOf(child, most-size)
	}
	return size
}

// flowing returns a copy of n in flow style, without comments and anchors.
func flowing(n *yaml.Node) *yaml.Node {
	c := &yaml.Node{Kind: n.Kind, Tag: n.Tag, Value: n.Value, Style: n.Style &^ (yaml.LiteralStyle | yaml.FoldedStyle)}
	switch {
	case n.Kind != yaml.ScalarNode:
		c.Style = yaml.FlowStyle
	case c.Style != n.Style, node.IsPlain(n) && strings.ContainsAny(n.Value, ",[]{}"):
		c.Style = yaml.DoubleQuotedStyle
	}
	for _, child := range n.Content {
		c.Content = append(c.Content, flowing(child))
	}
	return c
}

// OneOf returns words as a choice: a, b or c. A comma in braces, as in {id, content}, is
// part of a word.
func OneOf(words []string) string {
	all := strings.Join(words, ", ")
	braces := 0
	for i := len(all) - 1; i >= 0; i-- {
		switch all[i] {
		case '}':
			braces++
		case '{':
			braces--
		case ',':
			if braces == 0 {
				return all[:i] + " or" + all[i+1:]
			}
		}
	}
	return all
}
