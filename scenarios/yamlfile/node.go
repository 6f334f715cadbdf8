package yamlfile

import (
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// shape is a set of kinds of YAML values, as an author sees them. YAML's own
// implicit types are not used: what looks like a number in one version of YAML
// is a text, or another number, in the next.
type shape uint8

const (
	shapeNothing shape = 1 << iota // key:
	shapeNull
	shapeBool
	shapeNumber
	shapeText
	shapeList
	shapeMapping
)

// shapeOf says what n is.
func shapeOf(n *yaml.Node) shape {
	switch n.Kind {
	case yaml.SequenceNode:
		return shapeList
	case yaml.MappingNode:
		return shapeMapping
	}
	if !isPlain(n) {
		return shapeText
	}
	switch n.Value {
	case "":
		return shapeNothing
	case "null", "Null", "NULL", "~":
		return shapeNull
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return shapeBool
	}
	if jsonNumber.MatchString(n.Value) || oddNumber.MatchString(n.Value) {
		return shapeNumber
	}
	return shapeText
}

// plainNode is a scalar without quotes.
func plainNode(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: s} }

// quotedNode is a scalar that is a text, whatever it looks like.
func quotedNode(s string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Value: s, Style: yaml.DoubleQuotedStyle}
}

func mappingNode(style yaml.Style) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Style: style}
}

// addMember adds a key and its value to a mapping.
func addMember(mapping *yaml.Node, name string, value *yaml.Node) {
	key := plainNode(name)
	if shapeOf(key) != shapeText || !isIdentifier(name) {
		key = quotedNode(name)
	}
	mapping.Content = append(mapping.Content, key, value)
}

func isIdentifier(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
		return !letter && r != '_' && r != '-'
	}) < 0
}

// isName reports whether every reader of YAML takes s for a text, without quotes
// around it.
func isName(s string) bool {
	switch strings.ToLower(s) {
	case "true", "false", "yes", "no", "on", "off", "y", "n", "null":
		return false
	}
	return isIdentifier(s) && s[0] >= 'A'
}

// isPlain reports whether a scalar is written without quotes, block indicator
// or the tag of a text.
func isPlain(n *yaml.Node) bool {
	const quoted = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	return n.Style&quoted == 0 && n.Tag != "!!str" || n.Style == 0
}

var (
	jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)
	// oddNumber is what some reader of YAML takes for a number but JSON does not.
	oddNumber = regexp.MustCompile(`^[-+]?(0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|[0-9][0-9_]*(\.[0-9_]*)?([eE][-+]?[0-9]+)?|\.[0-9][0-9_]*([eE][-+]?[0-9]+)?|\.(inf|Inf|INF|nan|NaN|NAN))$`)
)

// isOddNumber reports whether n is a number that JSON would not write so, such
// as 010, which is eight to some readers and ten to others.
func isOddNumber(n *yaml.Node) bool {
	return shapeOf(n) == shapeNumber && !jsonNumber.MatchString(n.Value)
}

// oldBoolean is the boolean that YAML 1.1 saw in a bare word such as no.
func oldBoolean(n *yaml.Node) (value, ok bool) {
	if shapeOf(n) != shapeText || !isPlain(n) {
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

// inWords is n as a message names it.
func inWords(n *yaml.Node) string {
	switch shapeOf(n) {
	case shapeNothing:
		return "nothing"
	case shapeNull:
		return "null"
	case shapeBool:
		return n.Value
	case shapeNumber:
		return "the number " + shortened(n.Value)
	case shapeList:
		return "a list"
	case shapeMapping:
		return "a mapping"
	}
	return "the text " + strconv.Quote(shortened(n.Value))
}

// shortened is a text cut to a length that fits a message.
func shortened(s string) string {
	const most = 40
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
