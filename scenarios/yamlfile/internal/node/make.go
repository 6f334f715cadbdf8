package node

import (
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Plain is a scalar without quotes.
func Plain(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: s} }

// Quoted is a scalar that is a text, whatever it looks like.
func Quoted(s string) *yaml.Node {
	if !utf8.ValidString(s) {
		return spell(s)
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Value: s, Style: yaml.DoubleQuotedStyle}
}

// NewMapping is a mapping without members; style is flow for one line.
func NewMapping(style yaml.Style) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Style: style}
}

// InOneLine lays out n, which may hold anything, so that it is written in a single
// line.
func InOneLine(n *yaml.Node) {
	switch n.Kind {
	case yaml.ScalarNode:
		if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 || strings.ContainsRune(n.Value, '\n') {
			n.Style = yaml.DoubleQuotedStyle
		}
	default:
		n.Style = yaml.FlowStyle
	}
	for _, child := range n.Content {
		InOneLine(child)
	}
}

// Add adds a key and its value to a mapping.
func Add(mapping *yaml.Node, name string, value *yaml.Node) {
	key := Plain(name)
	if ShapeOf(key) != Text || !isIdentifier(name) {
		key = Quoted(name)
	}
	mapping.Content = append(mapping.Content, key, value)
}

func isIdentifier(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
		return !letter && r != '_' && r != '-'
	}) < 0
}

// IsName reports whether every reader of YAML takes s for a text, without quotes
// around it.
func IsName(s string) bool {
	switch strings.ToLower(s) {
	case "true", "false", "yes", "no", "on", "off", "y", "n", "null":
		return false
	}
	return isIdentifier(s) && s[0] >= 'A'
}

// FromJSON is a JSON value in one line, or nil for what YAML has no value for.
func FromJSON(v ojson.Value) *yaml.Node {
	switch v.Kind() {
	case ojson.StringKind:
		return Quoted(v.Text())
	case ojson.ArrayKind:
		n := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
		for _, item := range v.Items() {
			value := FromJSON(item)
			if value == nil {
				return nil
			}
			n.Content = append(n.Content, value)
		}
		return n
	case ojson.ObjectKind:
		n := NewMapping(yaml.FlowStyle)
		for _, member := range v.Members() {
			value := FromJSON(member.Value)
			if value == nil {
				return nil
			}
			Add(n, member.Name, value)
		}
		return n
	case ojson.NullKind, ojson.BoolKind, ojson.NumberKind:
		return Plain(v.String())
	}
	return nil
}
