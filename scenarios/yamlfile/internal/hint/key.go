package hint

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

// Trail is where a reader of a file is: the sections around a value.
type Trail struct {
	sections []section     // sections are the outermost first.
	Atlas    func() *Atlas // Atlas says where words stand; nil if hints are not needed.
}

// section is a section around a value, and the key under which the value stands.
type section struct{ name, key string }

// Enter goes into a section, and returns how to leave it.
func (t *Trail) Enter(name string) (leave func()) {
	t.sections = append(t.sections, section{name: name})
	return func() { t.sections = t.sections[:len(t.sections)-1] }
}

// At notes the key of the innermost section whose value is read next.
func (t *Trail) At(key string) { t.sections[len(t.sections)-1].key = key }

// Inside reports whether a section of that name stands around the value.
func (t *Trail) Inside(name string) bool {
	return slices.ContainsFunc(t.sections, func(s section) bool { return s.name == name })
}

// Under reports whether the value stands directly under one of these keys.
func (t *Trail) Under(keys ...string) bool {
	return len(t.sections) > 0 && slices.Contains(keys, t.sections[len(t.sections)-1].key)
}

// ForKey is what to do about a key that the innermost section does not know.
// Own are the keys that it knows.
func (t *Trail) ForKey(p node.Pair, own []string) string {
	if t.Atlas == nil {
		return ""
	}
	name := strings.ToLower(p.Name)
	for _, hint := range []func() string{
		func() string { return DidYouMean(t.OwnSynonyms(name, own)) },
		func() string { return t.aroundHere(p, synonyms[name]) },
		func() string { return t.elsewhere(p, 1, name) },
		func() string { return t.elsewhere(p, 2, synonyms[name]...) },
		func() string { return didYouMeanOne(diag.Nearest(name, own)) },
		func() string { return t.elsewhere(p, 4, name) },
		func() string { return t.elsewhere(p, 4, synonyms[name]...) },
		func() string { return t.requestMember(p, own) },
		func() string { return didYouMeanOne(diag.NearestLoosely(name, own)) },
	} {
		if h := hint(); h != "" {
			return h
		}
	}
	return "known keys: " + strings.Join(own, ", ")
}

// here is the name of the innermost section.
func (t *Trail) here() string { return t.sections[len(t.sections)-1].name }

// OwnSynonyms are the words of the innermost section that a word stands for.
func (t *Trail) OwnSynonyms(word string, own []string) []string {
	var list []string
	for _, target := range synonyms[word] {
		section, key, _ := splitTarget(target)
		if (section == "" || section == t.here()) && slices.Contains(own, key) {
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

func didYouMeanOne(word string) string {
	if word == "" {
		return ""
	}
	return DidYouMean([]string{word})
}

// DidYouMean proposes one of several words.
func DidYouMean(words []string) string {
	if len(words) == 0 {
		return ""
	}
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = fmt.Sprintf("%q", w)
	}
	return "did you mean " + OneOf(quoted) + "?"
}

// elsewhere says where words stand that the innermost section does not know: the
// nearest places, at most so many steps away. A step leads into a section below,
// or out of one.
func (t *Trail) elsewhere(p node.Pair, most int, words ...string) string {
	for cost := 1; cost <= most; cost++ {
		for out := 0; out <= min(cost, len(t.sections)-1); out++ {
			if hint, found := t.at(p, out, cost-out, words); found {
				return hint
			}
		}
	}
	return ""
}

// aroundHere says where those of the words stand that belong to a section with a
// name, if that section does not hang in the innermost one.
func (t *Trail) aroundHere(p node.Pair, words []string) string {
	hangsHere := func(section string) bool {
		return slices.ContainsFunc(t.Atlas().links, func(l link) bool { return l.parent == t.here() && l.child == section })
	}
	var there []string
	for _, w := range words {
		if section, _, _ := splitTarget(w); section != "" && !hangsHere(section) {
			there = append(there, w)
		}
	}
	return t.elsewhere(p, 2, there...)
}

// at says how the words are written so many sections further out and so many
// further in. The hint is "" when they stand in too many places there.
func (t *Trail) at(p node.Pair, out, in int, words []string) (hint string, found bool) {
	const mostShown = 3
	around := t.sections[len(t.sections)-1-out]
	var ways, inLists []string
	for _, target := range words {
		section, word, value := splitTarget(target)
		for _, route := range t.Atlas().routes(around.name, word, in) {
			home := around.name
			if in > 0 {
				home = route[in-1].child
			}
			way := t.written(p, home, word, value, route)
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
		hint += " in " + around.name + ", beside " + around.key
	case out > 0:
		hint += " in " + around.name
	}
	return hint, true
}

// written is a word with that value or else the one of p, and the keys that lead to it, as YAML.
func (t *Trail) written(p node.Pair, home, word, value string, route []link) string {
	if value == "" {
		value = valueFor(p.Value, t.Atlas().words[home][word])
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
	if text, ok := InLine(n, MostInLine); ok && place.takes(n) {
		return text
	}
	if place.example != "" {
		return place.example
	}
	return "…"
}

// requestMember says how a condition on a member of the request is written.
func (t *Trail) requestMember(p node.Pair, own []string) string {
	if !slices.Contains(requestMembers, p.Name) {
		return ""
	}
	place := p.Name
	value, ok := InLine(p.Value, MostInLine)
	switch {
	case !ok:
		value = "{ exists: true }"
	case place == "response_format" && node.ShapeOf(p.Value) == node.Text:
		place += ".type" // the member is an object, which a text never equals
	case node.ShapeOf(p.Value) == node.Mapping:
		value = "{ equals: " + value + " }"
	}
	condition := "body: { " + place + ": " + value + " }"
	if !slices.Contains(own, "body") || !slices.Contains(own, "model") {
		condition = "when: { " + condition + " }"
	}
	return p.Name + " is a member of the request: write " + condition
}

// ForLone says under which key of a section a value could stand that is written
// in place of the section.
func (t *Trail) ForLone(n *yaml.Node, keys []string) string {
	if t.Atlas == nil || len(t.sections) == 0 {
		return ""
	}
	around := t.sections[len(t.sections)-1]
	value, ok := InLine(n, MostInLine)
	if !ok {
		return ""
	}
	var ways []string
	for _, l := range t.Atlas().links {
		if l.parent != around.name || l.key != around.key || l.list {
			continue
		}
		for _, key := range keys {
			if place, ok := t.Atlas().words[l.child][key]; ok && place.takes(n) {
				ways = append(ways, around.key+": { "+key+": "+value+" }")
			}
		}
	}
	if len(ways) == 0 {
		return ""
	}
	return "write " + strings.Join(ways, " or ")
}
