package scenarios_test

import (
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

// applied are the texts that one may write who has read what is wrong with a text, the likeliest first. For each
// problem the program does what the hint says, at the place that it names: it writes the YAML that is in the hint in
// place of the key or the value, or in a mapping around it, or it leaves out, or renames.
func applied(text string, problems diag.List) (list []string) {
	choices := [][]edit{nil} // choices are edits for the problems so far
	for _, p := range problems[:min(len(problems), 3)] {
		var more [][]edit
		for _, e := range edits(p) {
			for _, c := range choices {
				more = append(more, append(slices.Clone(c), e))
			}
		}
		if more != nil {
			choices = more[:min(len(more), 60)]
		}
	}
	for _, c := range choices {
		if next, ok := edited(text, c); ok && next != text && !slices.Contains(list, next) {
			list = append(list, next)
		}
	}
	return list
}

// edit changes a document, or reports that it cannot.
type edit func(root *yaml.Node) bool

func edited(text string, edits []edit) (string, bool) {
	decoder := yaml.NewDecoder(strings.NewReader(text))
	var out strings.Builder
	encoder := yaml.NewEncoder(&out)
	did := len(edits) > 0
	for {
		var doc yaml.Node
		if err := decoder.Decode(&doc); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return asText(text, edits)
		}
		for _, e := range edits {
			did = e(&doc) && did
		}
		if encoder.Encode(&doc) != nil {
			return "", false
		}
	}
	return out.String(), did
}

// asText is edited for what is no YAML: an edit of the text alone changes it.
func asText(text string, edits []edit) (string, bool) {
	doc := &yaml.Node{Kind: yaml.ScalarNode, Value: text, Tag: "text"}
	for _, e := range edits {
		if !e(doc) {
			return "", false
		}
	}
	return doc.Value, len(edits) > 0
}

var (
	didYouMean   = regexp.MustCompile(`did you mean "([^"]+)"\?`)
	writeScalar  = regexp.MustCompile(`(?:write|as) ([^\s{\["']\S*?)(?:[,;]| or | if |$)`)
	writeValue   = regexp.MustCompile(`(?:write|or) ([{\["'])`)
	snippetStart = regexp.MustCompile(`(?:^|[ (])((?:- )?["']?[a-z_]+["']?: )`)
	wrongName    = regexp.MustCompile(`(?:templates know no \.|unknown template function ")(\w+)`)
)

// edits are the ways to do what the hint of a problem says.
func edits(p diag.Problem) (list []edit) {
	if m := didYouMean.FindStringSubmatch(p.Hint); m != nil {
		list = append(list, at(p, func(here place) { here.node().Value = m[1] }))
	}
	if m := wrongName.FindStringSubmatch(p.Message); m != nil {
		if to := writeScalar.FindStringSubmatch(p.Hint); to != nil {
			from := regexp.MustCompile(`\.?\b` + m[1] + `\b`)
			list = append(list, at(p, func(here place) { here.value().Value = from.ReplaceAllString(here.value().Value, to[1]) }))
		}
		return list
	}
	for _, s := range snippets(p.Hint) {
		list = append(list, insertions(p, s)...)
	}
	for _, m := range writeValue.FindAllStringSubmatchIndex(p.Hint, -1) {
		if text := snippet("x: " + p.Hint[m[2]:])[3:]; parsed(text) != nil {
			list = append(list, at(p, func(here place) { *here.value() = *parsed(text) }))
		}
	}
	if m := writeScalar.FindStringSubmatch(p.Hint); m != nil && !strings.HasSuffix(m[1], ":") {
		list = append(list, at(p, func(here place) { *here.value() = *parsed(m[1]) }))
	}
	if strings.Contains(p.Hint, "leave it out") || strings.Contains(p.Hint, "leave one of them out") {
		list = append(list, at(p, func(here place) { here.remove() }))
	}
	return list
}

// snippets are the pieces of YAML in a hint: mappings, and steps with a dash.
func snippets(hint string) (list []string) {
	end := 0
	for _, m := range snippetStart.FindAllStringSubmatchIndex(hint, -1) {
		if m[2] < end {
			continue // inside the one before
		}
		text := snippet(hint[m[2]:])
		if parsed(text) == nil {
			continue
		}
		end = m[2] + len(text)
		list = append(list, text)
	}
	return list
}

// snippet is the piece of YAML at the beginning of a text: a key and a value in brackets or quotes, or a plain one up
// to a comma, a semicolon, or a word that goes on.
func snippet(text string) string {
	colon := strings.Index(text, ": ") + 2
	value := text[colon:]
	depth, quote := 0, byte(0)
	for i := 0; i < len(value); i++ {
		c := value[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
		if depth > 0 || quote != 0 {
			continue
		}
		rest := value[i+1:]
		if rest == "" || strings.HasPrefix(rest, ")") || regexp.MustCompile(`^[,;]|^ (in|or|for|beside|to|at|if|and|before|behind|on|is|above) `).MatchString(rest) {
			return text[:colon+i+1]
		}
	}
	return text
}

func parsed(text string) *yaml.Node {
	var doc yaml.Node
	if yaml.Unmarshal([]byte(text), &doc) != nil || len(doc.Content) == 0 {
		return nil
	}
	clear := func(n *yaml.Node) { n.Line, n.Column = 0, 0 }
	visit(doc.Content[0], clear)
	return doc.Content[0]
}

func visit(n *yaml.Node, do func(*yaml.Node)) {
	do(n)
	for _, child := range n.Content {
		visit(child, do)
	}
}

// place is where a problem is: the nodes from the root to the one at its position, of which the last is a key of a
// mapping, its value, or an item of a list.
type place struct{ path []*yaml.Node }

func (p place) node() *yaml.Node { return p.path[len(p.path)-1] }

// up is the mapping or list that has the node, and its index there.
func (p place) up() (n *yaml.Node, i int) {
	if len(p.path) < 2 {
		return nil, 0
	}
	n = p.path[len(p.path)-2]
	return n, slices.Index(n.Content, p.node())
}

// value is the value of the key at the place, or the node itself.
func (p place) value() *yaml.Node {
	if n, i := p.up(); n != nil && n.Kind == yaml.MappingNode && i%2 == 0 {
		return n.Content[i+1]
	}
	return p.node()
}

func (p place) remove() {
	n, i := p.up()
	switch {
	case n == nil:
	case n.Kind == yaml.MappingNode:
		n.Content = slices.Delete(n.Content, i-i%2, i-i%2+2)
	default:
		n.Content = slices.Delete(n.Content, i, i+1)
	}
}

// around are the mappings around the place, the nearest first.
func (p place) around() (list []*yaml.Node) {
	for _, n := range slices.Backward(p.path[:len(p.path)-1]) {
		if n.Kind == yaml.MappingNode {
			list = append(list, n)
		}
	}
	return list
}

// at makes an edit at the place of a problem.
func at(p diag.Problem, do func(place)) edit {
	return func(root *yaml.Node) bool {
		if root.Tag == "text" {
			return false
		}
		path := find(root, p.Line, p.Col)
		if path == nil {
			return false
		}
		do(place{path})
		return true
	}
}

// find returns the way to the innermost node that begins at a position, or at its line where that has no column.
func find(n *yaml.Node, line, col int) []*yaml.Node {
	for _, child := range n.Content {
		if path := find(child, line, col); path != nil {
			if n.Kind == yaml.DocumentNode {
				return path
			}
			return append([]*yaml.Node{n}, path...)
		}
	}
	if n.Line == line && n.Column == col && n.Kind != yaml.DocumentNode {
		return []*yaml.Node{n}
	}
	return nil
}

// insertions are the places where a piece of YAML may belong: in place of the key, as its value, in a mapping around
// it, or as a step before it.
func insertions(p diag.Problem, text string) (list []edit) {
	fresh := func() *yaml.Node { return parsed(text) }
	key, _, _ := strings.Cut(text, ":")
	list = append(list, func(root *yaml.Node) bool {
		if root.Tag != "text" {
			return false
		}
		root.Value = regexp.MustCompile(`\b`+regexp.QuoteMeta(key)+`: [^,}\n]*[^,}\n ]`).ReplaceAllLiteralString(root.Value, text)
		return true
	})
	if fresh().Kind == yaml.SequenceNode {
		return append(list, at(p, func(here place) {
			for i := len(here.path) - 2; i >= 0; i-- {
				if n := here.path[i]; n.Kind == yaml.SequenceNode {
					k := slices.Index(n.Content, here.path[i+1])
					n.Content = slices.Insert(n.Content, k, fresh().Content...)
					return
				}
			}
		}))
	}
	if fresh().Kind != yaml.MappingNode {
		return list
	}
	list = append(list, at(p, func(here place) { // in place of the key, or of the item
		n, i := here.up()
		switch {
		case n == nil:
			merge(here.node(), fresh())
		case n.Kind == yaml.MappingNode:
			i -= i % 2
			n.Content = slices.Delete(n.Content, i, i+2)
			merge(n, fresh())
		default:
			n.Content[i] = fresh()
		}
	}), at(p, func(here place) { *here.value() = *fresh() }))
	for _, keep := range []bool{false, true} {
		for up := range 4 {
			list = append(list, at(p, func(here place) {
				around := here.around()
				if up >= len(around) || up == 0 && !keep {
					return
				}
				if !keep {
					here.remove()
				}
				merge(around[up], fresh())
			}))
		}
	}
	return list
}

// merge adds the members of a mapping to another one.
func merge(into, from *yaml.Node) {
	if into.Kind != yaml.MappingNode {
		return
	}
	for pair := range slices.Chunk(from.Content, 2) {
		there := -1
		for i := 0; i < len(into.Content); i += 2 {
			if into.Content[i].Value == pair[0].Value {
				there = i
			}
		}
		switch {
		case there < 0:
			into.Content = append(into.Content, pair...)
		case into.Content[there+1].Kind == yaml.MappingNode && pair[1].Kind == yaml.MappingNode:
			merge(into.Content[there+1], pair[1])
		default:
			into.Content[there+1] = pair[1]
		}
	}
}
