package scenarios

import (
	"strconv"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"gopkg.in/yaml.v3"
)

// mapping builds a YAML mapping. Values that are nil are left out.
type mapping struct{ yaml.Node }

func newMapping(style yaml.Style) *mapping {
	return &mapping{yaml.Node{Kind: yaml.MappingNode, Style: style}}
}

func (m *mapping) add(name string, value *yaml.Node) {
	if value == nil {
		return
	}
	key := wordNode(name)
	if shapeOf(key) != shapeText || !isIdentifier(name) {
		key = quotedNode(name)
	}
	m.Content = append(m.Content, key, value)
}

// orNil is the mapping, or nil when nothing is in it.
func (m *mapping) orNil() *yaml.Node {
	if len(m.Content) == 0 {
		return nil
	}
	return &m.Node
}

func isIdentifier(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
		return !letter && r != '_' && r != '-'
	}) < 0
}

func sequence(style yaml.Style, items []*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Style: style, Content: items}
}

// listNode is a list in one line, or nil when it is empty.
func listNode[T any](items []T, one func(T) *yaml.Node) *yaml.Node {
	if len(items) == 0 {
		return nil
	}
	nodes := make([]*yaml.Node, len(items))
	for i, item := range items {
		nodes[i] = one(item)
	}
	return sequence(yaml.FlowStyle, nodes)
}

// pointed is the node of what p points at, or nil.
func pointed[T any](p *T, one func(T) *yaml.Node) *yaml.Node {
	if p == nil {
		return nil
	}
	return one(*p)
}

// wordNode is a scalar without quotes.
func wordNode(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: s} }

// nameNode is a text, without quotes where every reader of YAML takes it for one.
func nameNode(s string) *yaml.Node {
	switch strings.ToLower(s) {
	case "true", "false", "yes", "no", "on", "off", "y", "n", "null":
		return quotedNode(s)
	}
	if !isIdentifier(s) || s[0] < 'A' {
		return quotedNode(s)
	}
	return wordNode(s)
}

// wordOrNil is a scalar without quotes, or nil when it is empty.
func wordOrNil(s string) *yaml.Node {
	if s == "" {
		return nil
	}
	return wordNode(s)
}

func quotedNode(s string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Value: s, Style: yaml.DoubleQuotedStyle}
}

func quotedOrNil(s string) *yaml.Node {
	if s == "" {
		return nil
	}
	return quotedNode(s)
}

func intNode(n int) *yaml.Node       { return wordNode(strconv.Itoa(n)) }
func int64Node(n int64) *yaml.Node   { return wordNode(strconv.FormatInt(n, 10)) }
func boolNode(b bool) *yaml.Node     { return wordNode(strconv.FormatBool(b)) }
func floatNode(f float64) *yaml.Node { return wordNode(formatFloat(f)) }
func nullNode() *yaml.Node           { return wordNode("null") }

func durationNode(d time.Duration) *yaml.Node { return wordNode(d.String()) }

// unlessZero is the node of a value that is written only if it is not zero.
func unlessZero[T comparable](v T, one func(T) *yaml.Node) *yaml.Node {
	var zero T
	if v == zero {
		return nil
	}
	return one(v)
}

func onlyTrue(b bool) *yaml.Node { return unlessZero(b, boolNode) }

// textNode is a text as it is written in a file. A text that is no template
// whatever it holds is written so that it comes out of one.
func textNode(t Text) *yaml.Node {
	if t.Repeat != "" {
		m := newMapping(yaml.FlowStyle)
		m.add("repeat", quotedNode(t.Repeat))
		m.add("bytes", int64Node(t.Bytes))
		return &m.Node
	}
	if t.literal {
		return quotedNode(escapeActions(t.Source))
	}
	return quotedNode(t.Source)
}

// escapeActions is a template that comes out as text.
func escapeActions(text string) string { return strings.ReplaceAll(text, "{{", `{{ "{{" }}`) }

func optNode(o Opt[Text]) *yaml.Node {
	switch {
	case !o.Present:
		return nil
	case o.Null:
		return nullNode()
	}
	return textNode(o.Value)
}

// optName is the node of a text that is mostly a single word.
func optName(o Opt[Text]) *yaml.Node {
	if o.Present && !o.Null && o.Value.Repeat == "" {
		return nameNode(textNode(o.Value).Value)
	}
	return optNode(o)
}

func optIntNode(o Opt[int64]) *yaml.Node {
	switch {
	case !o.Present:
		return nil
	case o.Null:
		return nullNode()
	}
	return int64Node(o.Value)
}

// jsonNode is a JSON value in one line, or nil for the Absent value.
func jsonNode(v ojson.Value) *yaml.Node {
	switch v.Kind() {
	case ojson.Absent:
		return nil
	case ojson.StringKind:
		return quotedNode(v.Text())
	case ojson.ArrayKind:
		items := make([]*yaml.Node, len(v.Items()))
		for i, item := range v.Items() {
			items[i] = jsonNode(item)
		}
		return sequence(yaml.FlowStyle, items)
	case ojson.ObjectKind:
		m := newMapping(yaml.FlowStyle)
		for _, member := range v.Members() {
			m.add(member.Name, jsonNode(member.Value))
		}
		return &m.Node
	}
	return wordNode(v.String())
}

func pathNode(p Path) *yaml.Node { return quotedNode(p.String()) }
