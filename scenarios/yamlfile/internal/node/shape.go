package node

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Shape is a set of kinds of YAML values. They are not YAML's own types, which differ
// from version to version: what is a number in one is a text, or another number, in the
// next.
type Shape uint8

// The kinds of YAML values.
const (
	Nothing Shape = 1 << iota // Nothing is a key without a value.
	Null
	Bool
	Number
	Text
	List
	Mapping
)

// Sets of kinds.
const (
	Scalar = Null | Bool | Number | Text
	Any    = Scalar | List | Mapping
)

// ShapeOf returns the kind of n.
func ShapeOf(n *yaml.Node) Shape {
	switch n.Kind {
	case yaml.SequenceNode:
		return List
	case yaml.MappingNode:
		return Mapping
	}
	if !IsPlain(n) {
		return Text
	}
	switch n.Value {
	case "":
		return Nothing
	case "null", "Null", "NULL", "~":
		return Null
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return Bool
	}
	if looksLikeNumber(n.Value) {
		return Number
	}
	return Text
}

// looksLikeNumber reports whether some reader of YAML reads a text as a number.
func looksLikeNumber(text string) bool {
	return strings.IndexByte("+-.0123456789", text[0]) >= 0 && (jsonNumber().MatchString(text) || oddNumber().MatchString(text))
}

// IsPlain reports whether a scalar is written without quotes, block indicator
// or the tag of a text.
func IsPlain(n *yaml.Node) bool {
	const quoted = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	return n.Style&quoted == 0 && n.Tag != "!!str" || n.Style == 0
}

var (
	jsonNumber = Lazily(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)
	// oddNumber matches what some reader of YAML reads as a number, but JSON does not.
	oddNumber = Lazily(`^[-+]?(0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|[0-9][0-9_]*(\.[0-9_]*)?([eE][-+]?[0-9]+)?|\.[0-9][0-9_]*([eE][-+]?[0-9]+)?|\.(inf|Inf|INF|nan|NaN|NAN))$`)
)

// Lazily returns a function that compiles the expression at its first use: most files and
// programs need few of the expressions.
func Lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// IsOddNumber reports whether n is a number that is not valid in JSON, such as 010,
// which is eight to some readers of YAML and ten to others.
func IsOddNumber(n *yaml.Node) bool {
	return ShapeOf(n) == Number && !jsonNumber().MatchString(n.Value)
}

// PlainNumber returns a hint how to write a number that readers of YAML disagree about.
func PlainNumber(spelling string) string {
	digits := strings.TrimLeft(strings.TrimPrefix(strings.ReplaceAll(spelling, "_", ""), "+"), "0")
	if _, err := strconv.ParseFloat(digits, 64); err != nil || strings.HasPrefix(digits, ".") {
		return "write it as a plain decimal number"
	}
	if strings.HasPrefix(spelling, "0") {
		return fmt.Sprintf("a leading zero means octal to some readers; write %s", digits)
	}
	return "write " + digits
}

// OldBoolean returns the boolean that n was in YAML 1.1, where no and on were booleans.
func OldBoolean(n *yaml.Node) (value, ok bool) {
	if ShapeOf(n) != Text || !IsPlain(n) {
		return false, false
	}
	switch strings.ToLower(n.Value) {
	case "yes", "on":
		return true, true
	case "no", "off":
		return false, true
	}
	return false, false
}

// InWords returns n as messages show it.
func InWords(n *yaml.Node) string {
	switch ShapeOf(n) {
	case Nothing:
		return "nothing"
	case Null:
		return "null"
	case Bool:
		return n.Value
	case Number:
		return "the number " + Abbreviate(n.Value)
	case List:
		return "a list"
	case Mapping:
		return "a mapping"
	}
	return "the text " + strconv.Quote(Abbreviate(n.Value))
}

// Abbreviate cuts a value to 40 characters, for messages that repeat it in the middle of
// a sentence. [diag.Shorten] cuts to 80.
func Abbreviate(s string) string {
	const most = 40
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

// TemplateHint returns a hint if n is {{ }} without quotes, which YAML reads as a
// mapping; else "".
func TemplateHint(n *yaml.Node) string {
	if n.Style&yaml.FlowStyle != 0 && len(n.Content) > 0 && n.Content[0].Kind == yaml.MappingNode {
		return "a text that starts with {{ needs quotes around it"
	}
	return ""
}

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
