// Package node reads YAML files into nodes with positions, reports what is wrong with
// the YAML, and makes nodes to write. It knows no word of the scenario language.
package node

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Reader reads the values of one file. It collects problems and goes on, so
// that an author sees all of them at once.
type Reader struct {
	File     string // File is the name of the file in positions.
	Problems diag.List

	nodes int // nodes is the number of values so far, where the value of an alias counts each time.
}

// Pos returns the position of n.
func (r *Reader) Pos(n *yaml.Node) diag.Pos {
	return diag.Pos{File: r.File, Line: n.Line, Col: n.Column}
}

// Report adds a problem at n.
func (r *Reader) Report(n *yaml.Node, hint, format string, args ...any) {
	r.reportAt(n.Line, n.Column, underline(n), hint, format, args...)
}

// reportAt adds a problem at a place that has no node.
func (r *Reader) reportAt(line, col, width int, hint, format string, args ...any) {
	r.Problems = append(r.Problems, diag.Problem{
		Pos:     diag.Pos{File: r.File, Line: line, Col: col},
		Width:   width,
		Message: fmt.Sprintf(format, args...),
		Hint:    hint,
	})
}

// underline returns how many characters of n's line to underline.
func underline(n *yaml.Node) int {
	if n.Kind != yaml.ScalarNode || n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return 1
	}
	width := utf8.RuneCountInString(n.Value)
	if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
		width += 2
	}
	return max(width, 1)
}

// Pair is a key and its value in a mapping.
type Pair struct {
	Name       string
	Key, Value *yaml.Node
}

// Members returns the members of a mapping, valid or not; none of another value.
func Members(n *yaml.Node) (pairs []Pair) {
	if n != nil && n.Kind == yaml.MappingNode {
		for m := range slices.Chunk(n.Content, 2) {
			pairs = append(pairs, Pair{m[0].Value, m[0], m[1]})
		}
	}
	return pairs
}

// Member returns the member of a mapping that has the name; the zero Pair if there is none.
func Member(n *yaml.Node, name string) Pair {
	for _, p := range Members(n) {
		if p.Name == name {
			return p
		}
	}
	return Pair{}
}

// Pairs returns the members of a mapping, and whether all its keys are valid. Keys that
// are no texts, duplicate keys and merge keys are reported and left out.
func (r *Reader) Pairs(n *yaml.Node) (list []Pair, complete bool) {
	complete = true
	first := make(map[string]*yaml.Node, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch earlier := first[key.Value]; {
		case key.Kind != yaml.ScalarNode:
			r.Report(key, TemplateHint(n), "a key must be a text, found %s", InWords(key))
		case key.ShortTag() == "!!merge":
			r.Report(key, "write the members out, or use extends", "merge keys are not supported")
		case strings.Contains(key.Value, "{{") && strings.Contains(key.Value, "}}"):
			r.Report(key, "templates work only in values; where JSON can be written as a text, as in arguments and data, the text can have them anywhere", "{{ }} is not rendered in a key")
		case earlier != nil:
			r.Report(key, "leave one of them out", "key %q is already set at line %d", Abbreviate(key.Value), earlier.Line)
		default:
			first[key.Value] = key
			list = append(list, Pair{key.Value, key, value})
			continue
		}
		complete = false
	}
	return list, complete
}

// JSON returns n as JSON, with the same order of members and the same spelling of
// numbers. It reports values that some readers of YAML read as a boolean or a number and
// others do not.
func (r *Reader) JSON(n *yaml.Node) (v ojson.Value, complete bool) {
	switch ShapeOf(n) {
	case Null:
		return ojson.Null(), true
	case Bool:
		b := n.Value[0] == 't' || n.Value[0] == 'T'
		return ojson.Bool(b), true
	case List:
		return r.jsonArray(n)
	case Mapping:
		return r.jsonObject(n)
	case Nothing:
		r.Report(n, "write null if that is meant", "there is no value")
		return ojson.Value{}, false
	case Number:
		if IsOddNumber(n) {
			r.Report(n, PlainNumber(n.Value)+", or put it in quotes", "%s is not a JSON number", Abbreviate(n.Value))
			return ojson.Value{}, false
		}
		return ojson.Number(n.Value), true
	}
	if b, ok := OldBoolean(n); ok {
		r.Report(n, "write "+strconv.FormatBool(b)+`, or "`+n.Value+`" in quotes`, "%s is a boolean to some readers of YAML and a text to others", n.Value)
		return ojson.Value{}, false
	}
	return ojson.String(n.Value), true
}

func (r *Reader) jsonArray(n *yaml.Node) (v ojson.Value, complete bool) {
	v, complete = ojson.Array(), true
	for _, item := range n.Content {
		one, ok := r.JSON(item)
		complete = complete && ok
		v.Push(one)
	}
	return v, complete
}

func (r *Reader) jsonObject(n *yaml.Node) (v ojson.Value, complete bool) {
	pairs, complete := r.Pairs(n)
	members := make([]ojson.Member, 0, len(pairs))
	for _, p := range pairs {
		one, ok := r.JSON(p.Value)
		complete = complete && ok
		members = append(members, ojson.M(p.Name, one))
	}
	return ojson.Object(members...), complete
}

var (
	syntaxLine = Lazily(`^yaml: line ([0-9]+): `)
	// questionInLine is a text in brackets that ends in a question mark.
	questionInLine = Lazily(`[{,] *(\w+): *([^"'\[\]{},#|>]*\?) *[,}\]]`)
	// placeInLine is a place with a position, such as content[0], in brackets.
	placeInLine   = Lazily(`[{\[,:] *([A-Za-z_][\w.]*(?:\[-?\d+\](?:\.\w+)*)+)`)
	unknownAnchor = Lazily(`unknown anchor '(.*)' referenced`)
)

// syntaxError reports an error of the YAML library. The error names at best a line, and
// that line is not always exact.
func (r *Reader) syntaxError(err error, doc document) {
	lines := diag.SplitLines(doc.text)
	if m := unknownAnchor().FindStringSubmatch(err.Error()); m != nil {
		line, col := findAlias(lines, m[1])
		r.reportAt(doc.before+line, col, len(m[1])+1, "an anchor is set with &"+m[1]+", before it is used", "unknown anchor %q", m[1])
		return
	}
	line := 1
	if m := syntaxLine().FindStringSubmatch(err.Error()); m != nil {
		line, _ = strconv.Atoi(m[1])
	}
	line = max(1, min(line, len(lines)))
	message := syntaxLine().ReplaceAllString(err.Error(), "")
	if n, col := tabIndent(lines, line); n > 0 {
		r.reportAt(doc.before+n, col, 1, "use spaces to indent, not tabs", "not YAML: %s", strings.TrimPrefix(message, "yaml: "))
		return
	}
	for i, text := range lines {
		if at := questionInLine().FindStringSubmatchIndex(text); at != nil {
			key, asked := text[at[2]:at[3]], text[at[4]:at[5]]
			r.reportAt(doc.before+i+1, utf8.RuneCountInString(text[:at[4]])+1, utf8.RuneCountInString(asked), "write "+key+": "+strconv.Quote(asked)+", with quotes", "not YAML: a ? before a comma or a bracket begins a key")
			return
		}
		if at := placeInLine().FindStringSubmatchIndex(text); at != nil && strings.Contains(message, "',' or") {
			place := text[at[2]:at[3]]
			r.reportAt(doc.before+i+1, utf8.RuneCountInString(text[:at[2]])+1, utf8.RuneCountInString(place), "write "+strconv.Quote(place)+", with quotes", "not YAML: between brackets a text has none")
			return
		}
	}
	r.reportAt(doc.before+line, 0, 0, syntaxHint(message), "not YAML, near this line: %s", strings.TrimPrefix(message, "yaml: "))
}

func findAlias(lines []string, name string) (line, col int) {
	alias := regexp.MustCompile(`(^|[\s\[{,])\*` + regexp.QuoteMeta(name) + `([\s\]},]|$)`)
	for i, text := range lines {
		if at := alias.FindStringIndex(text); at != nil {
			star := at[0] + strings.IndexByte(text[at[0]:], '*')
			return i + 1, utf8.RuneCountInString(text[:star]) + 1
		}
	}
	return 1, 0
}

// tabIndent returns the position of a tab in the indentation of the line or of one of
// its neighbours.
func tabIndent(lines []string, near int) (line, col int) {
	for n := max(near-1, 1); n <= min(near+1, len(lines)); n++ {
		text := lines[n-1]
		if indent := text[:len(text)-len(strings.TrimLeft(text, " \t"))]; strings.Contains(indent, "\t") {
			return n, strings.IndexByte(indent, '\t') + 1
		}
	}
	return 0, 0
}

// syntaxHint returns the most frequent cause of a message of the YAML library.
func syntaxHint(message string) string {
	switch {
	case strings.Contains(message, "mapping values are not allowed"):
		return `check the indentation; a text with ": " in it needs quotes around it`
	case strings.Contains(message, "cannot start any token"):
		return "a text that starts with a special character needs quotes around it"
	case strings.Contains(message, "expected key"):
		return "check the indentation"
	case strings.Contains(message, "',' or"):
		return "a quote or bracket is not closed, or a text with [ ] { } in it needs quotes around it"
	case strings.Contains(message, "end of stream"):
		return "a quote or bracket is not closed"
	case strings.Contains(message, "incompatible YAML document"):
		return "leave the line %YAML out"
	case strings.Contains(message, "escape character"):
		return `in double quotes a backslash is written \\`
	}
	return ""
}
