package yamlfile

import (
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// mapping builds a YAML mapping. Values that are nil are left out.
type mapping struct{ yaml.Node }

func NewMapping(style yaml.Style) *mapping {
	return &mapping{yaml.Node{Kind: yaml.MappingNode, Style: style}}
}

func (m *mapping) Add(name string, value *yaml.Node) {
	if value == nil {
		return
	}
	key := WordNode(name)
	if shapeOf(key) != shapeText || !isIdentifier(name) {
		key = QuotedNode(name)
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

func Sequence(style yaml.Style, items []*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Style: style, Content: items}
}

// listNode is a list in one line, or nil when it is empty.
func ListNode[T any](items []T, one func(T) *yaml.Node) *yaml.Node {
	if len(items) == 0 {
		return nil
	}
	nodes := make([]*yaml.Node, len(items))
	for i, item := range items {
		nodes[i] = one(item)
	}
	return Sequence(yaml.FlowStyle, nodes)
}

// pointed is the node of what p points at, or nil.
func Pointed[T any](p *T, one func(T) *yaml.Node) *yaml.Node {
	if p == nil {
		return nil
	}
	return one(*p)
}

// wordNode is a scalar without quotes.
func WordNode(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: s} }

// nameNode is a text, without quotes where every reader of YAML takes it for one.
func NameNode(s string) *yaml.Node {
	switch strings.ToLower(s) {
	case "true", "false", "yes", "no", "on", "off", "y", "n", "null":
		return QuotedNode(s)
	}
	if !isIdentifier(s) || s[0] < 'A' {
		return QuotedNode(s)
	}
	return WordNode(s)
}

// wordOrNil is a scalar without quotes, or nil when it is empty.
func wordOrNil(s string) *yaml.Node {
	if s == "" {
		return nil
	}
	return WordNode(s)
}

func QuotedNode(s string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Value: s, Style: yaml.DoubleQuotedStyle}
}

func QuotedOrNil(s string) *yaml.Node {
	if s == "" {
		return nil
	}
	return QuotedNode(s)
}

func intNode(n int) *yaml.Node       { return WordNode(strconv.Itoa(n)) }
func Int64Node(n int64) *yaml.Node   { return WordNode(strconv.FormatInt(n, 10)) }
func BoolNode(b bool) *yaml.Node     { return WordNode(strconv.FormatBool(b)) }
func floatNode(f float64) *yaml.Node { return WordNode(formatFloat(f)) }
func nullNode() *yaml.Node           { return WordNode("null") }

func durationNode(d time.Duration) *yaml.Node { return WordNode(d.String()) }

// unlessZero is the node of a value that is written only if it is not zero.
func unlessZero[T comparable](v T, one func(T) *yaml.Node) *yaml.Node {
	var zero T
	if v == zero {
		return nil
	}
	return one(v)
}

func onlyTrue(b bool) *yaml.Node { return unlessZero(b, BoolNode) }

// textNode is a text as it is written in a file. A text that is no template
// whatever it holds is written so that it comes out of one.
func textNode(t scenarios.Text) *yaml.Node {
	if t.Repeat != "" {
		m := NewMapping(yaml.FlowStyle)
		m.Add("repeat", QuotedNode(t.Repeat))
		m.Add("bytes", Int64Node(t.Bytes))
		return &m.Node
	}
	if t.Literal {
		return QuotedNode(scenarios.EscapeActions(t.Source))
	}
	return QuotedNode(t.Source)
}

func optNode(o scenarios.Opt[scenarios.Text]) *yaml.Node {
	switch {
	case !o.Present:
		return nil
	case o.Null:
		return nullNode()
	}
	return textNode(o.Value)
}

// optName is the node of a text that is mostly a single word.
func optName(o scenarios.Opt[scenarios.Text]) *yaml.Node {
	if o.Present && !o.Null && o.Value.Repeat == "" {
		return NameNode(textNode(o.Value).Value)
	}
	return optNode(o)
}

func optIntNode(o scenarios.Opt[int64]) *yaml.Node {
	switch {
	case !o.Present:
		return nil
	case o.Null:
		return nullNode()
	}
	return Int64Node(o.Value)
}

// jsonNode is a JSON value in one line, or nil for the Absent value.
func jsonNode(v ojson.Value) *yaml.Node {
	switch v.Kind() {
	case ojson.Absent:
		return nil
	case ojson.StringKind:
		return QuotedNode(v.Text())
	case ojson.ArrayKind:
		items := make([]*yaml.Node, len(v.Items()))
		for i, item := range v.Items() {
			items[i] = jsonNode(item)
		}
		return Sequence(yaml.FlowStyle, items)
	case ojson.ObjectKind:
		m := NewMapping(yaml.FlowStyle)
		for _, member := range v.Members() {
			m.Add(member.Name, jsonNode(member.Value))
		}
		return &m.Node
	}
	return WordNode(v.String())
}

func pathNode(p scenarios.Path) *yaml.Node { return QuotedNode(p.String()) }
