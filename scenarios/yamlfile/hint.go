package yamlfile

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

// enclosing is a section around a value, and the key under which the value
// stands.
type enclosing struct{ section, key string }

// keyHint is what to do about a key that the innermost section does not know.
// Own are the keys that it knows.
func (d *decoder) keyHint(p node.Pair, own []string) string {
	if d.places == nil {
		return ""
	}
	name := strings.ToLower(p.Name)
	for _, hint := range []func() string{
		func() string { return meant(d.ownSynonyms(name, own)) },
		func() string { return d.aroundHere(p, synonyms[name]) },
		func() string { return d.elsewhere(p, 1, name) },
		func() string { return d.elsewhere(p, 2, synonyms[name]...) },
		func() string { return didYouMean(diag.Nearest(name, own)) },
		func() string { return d.elsewhere(p, 4, name) },
		func() string { return d.elsewhere(p, 4, synonyms[name]...) },
		func() string { return d.requestMember(p, own) },
		func() string { return didYouMean(diag.NearestLoosely(name, own)) },
	} {
		if h := hint(); h != "" {
			return h
		}
	}
	return "known keys: " + strings.Join(own, ", ")
}

// here is the name of the innermost section.
func (d *decoder) here() string { return d.inside[len(d.inside)-1].section }

// ownSynonyms are the words of the innermost section that a word stands for.
func (d *decoder) ownSynonyms(word string, own []string) []string {
	var list []string
	for _, target := range synonyms[word] {
		section, key, _ := splitTarget(target)
		if (section == "" || section == d.here()) && slices.Contains(own, key) {
			list = append(list, key)
		}
	}
	return list
}

// splitTarget takes a target of the synonyms apart: envelope.layout=azure.
func splitTarget(target string) (section, word, value string) {
	target, value, _ = strings.Cut(target, "=")
	section, word, found := strings.Cut(target, ".")
	if !found {
		return "", section, value
	}
	return section, word, value
}

func didYouMean(word string) string {
	if word == "" {
		return ""
	}
	return meant([]string{word})
}

// meant proposes one of several words.
func meant(words []string) string {
	if len(words) == 0 {
		return ""
	}
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = fmt.Sprintf("%q", w)
	}
	return "did you mean " + alternatives(quoted) + "?"
}

// elsewhere says where words stand that the innermost section does not know: the
// nearest places, at most so many steps away. A step leads into a section below,
// or out of one.
func (d *decoder) elsewhere(p node.Pair, most int, words ...string) string {
	for cost := 1; cost <= most; cost++ {
		for out := 0; out <= min(cost, len(d.inside)-1); out++ {
			if hint, found := d.at(p, out, cost-out, words); found {
				return hint
			}
		}
	}
	return ""
}

// aroundHere says where those of the words stand that belong to a section with a
// name, if that section does not hang in the innermost one.
func (d *decoder) aroundHere(p node.Pair, words []string) string {
	hangsHere := func(section string) bool {
		return slices.ContainsFunc(d.places().links, func(l link) bool { return l.parent == d.here() && l.child == section })
	}
	var there []string
	for _, w := range words {
		if section, _, _ := splitTarget(w); section != "" && !hangsHere(section) {
			there = append(there, w)
		}
	}
	return d.elsewhere(p, 2, there...)
}

// at says how the words are written so many sections further out and so many
// further in. The hint is "" when they stand in too many places there.
func (d *decoder) at(p node.Pair, out, in int, words []string) (hint string, found bool) {
	const mostShown = 3
	around := d.inside[len(d.inside)-1-out]
	var ways, inLists []string
	for _, target := range words {
		section, word, value := splitTarget(target)
		for _, route := range d.places().routes(around.section, word, in) {
			home := around.section
			if in > 0 {
				home = route[in-1].child
			}
			way := d.written(p, home, word, value, route)
			switch {
			case section != "" && section != home, slices.Contains(ways, way), slices.Contains(inLists, way):
			case slices.ContainsFunc(route, func(l link) bool { return l.list }):
				inLists = append(inLists, way)
			default:
				ways = append(ways, way)
			}
		}
	}
	ways = append(ways, inLists...)
	if len(ways) == 0 || len(ways) > mostShown {
		return "", len(ways) > 0
	}
	hint = "write " + strings.Join(ways, " or ")
	switch {
	case out > 0 && in == 0:
		hint += " in " + around.section + ", beside " + around.key
	case out > 0:
		hint += " in " + around.section
	}
	return hint, true
}

// written is a word with that value or else the one of p, and the keys that lead to it, as YAML.
func (d *decoder) written(p node.Pair, home, word, value string, route []link) string {
	if value == "" {
		value = valueFor(p.Value, d.places().words[home][word])
	}
	text := word + ": " + value
	for _, l := range slices.Backward(route) {
		text = "{ " + text + " }"
		if l.list {
			text = "[" + text + "]"
		}
		text = l.key + ": " + text
	}
	return text
}

// valueFor is the author's value as it can stand in a hint, or another when the
// place does not take it.
func valueFor(n *yaml.Node, place wordPlace) string {
	if text, ok := inOneLine(n, mostInLine); ok && place.takes(n) {
		return text
	}
	if place.example != "" {
		return place.example
	}
	return "…"
}

// mostInLine is how many characters of an author's value a hint repeats.
const mostInLine = 60

// inOneLine is a value in YAML's flow style, if it has at most so many characters.
func inOneLine(n *yaml.Node, most int) (text string, ok bool) {
	const mostBytes = 4096
	if node.ShapeOf(n) == node.Nothing || sizeOf(n, mostBytes) > mostBytes {
		return "", false
	}
	out, err := yaml.Marshal(flowing(n))
	text = strings.TrimSuffix(string(out), "\n")
	return text, err == nil && utf8.RuneCountInString(text) <= most && !strings.Contains(text, "\n")
}

// sizeOf is about how long n is when it is written, counted until it is more
// than most.
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

// flowing is a copy of n in flow style, without comments and anchors.
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

// requestMember says how a condition on a member of the request is written.
func (d *decoder) requestMember(p node.Pair, own []string) string {
	if !slices.Contains(requestMembers, p.Name) {
		return ""
	}
	value, ok := inOneLine(p.Value, mostInLine)
	switch {
	case !ok:
		value = "{ exists: true }"
	case node.ShapeOf(p.Value) == node.Mapping:
		value = "{ equals: " + value + " }"
	}
	condition := "body: { " + p.Name + ": " + value + " }"
	if !slices.Contains(own, "body") || !slices.Contains(own, "model") {
		condition = "when: { " + condition + " }"
	}
	return p.Name + " is a member of the request: write " + condition
}

// loneHint says under which key of a section a value could stand that is written
// in place of the section.
func (d *decoder) loneHint(n *yaml.Node, keys []string) string {
	if d.places == nil || len(d.inside) == 0 {
		return ""
	}
	around := d.inside[len(d.inside)-1]
	value, ok := inOneLine(n, mostInLine)
	if !ok {
		return ""
	}
	var ways []string
	for _, l := range d.places().links {
		if l.parent != around.section || l.key != around.key || l.list {
			continue
		}
		for _, key := range keys {
			if place, ok := d.places().words[l.child][key]; ok && place.takes(n) {
				ways = append(ways, around.key+": { "+key+": "+value+" }")
			}
		}
	}
	if len(ways) == 0 {
		return ""
	}
	return "write " + strings.Join(ways, " or ")
}
