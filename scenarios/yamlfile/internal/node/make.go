package node

import (
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Plain returns a scalar that is written without quotes.
func Plain(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: s} }

// Quoted returns a scalar that is read as a text, even if it looks like a number.
func Quoted(s string) *yaml.Node {
	if !utf8.ValidString(s) {
		return spell(s)
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Value: s, Style: yaml.DoubleQuotedStyle}
}

// NewMapping returns an empty mapping. With [yaml.FlowStyle] it is written in one line.
func NewMapping(style yaml.Style) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Style: style}
}

// InOneLine changes the styles in n so that it is written in one line.
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

// IsName reports whether every reader of YAML reads s without quotes as a text.
func IsName(s string) bool {
	switch strings.ToLower(s) {
	case "true", "false", "yes", "no", "on", "off", "y", "n", "null":
		return false
	}
	return isIdentifier(s) && s[0] >= 'A'
}

// FromJSON returns a JSON value as YAML in one line, or nil if YAML cannot express it.
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
