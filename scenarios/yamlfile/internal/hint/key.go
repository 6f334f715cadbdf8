package hint

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

// Trail is the sections around the value that is being read.
type Trail struct {
	sections []section     // sections has the outermost section first.
	Atlas    func() *Atlas // Atlas returns the places of all words; nil if hints are not needed.
}

// section is a section around a value, and the key in it whose value is being read.
type section struct{ name, key string }

// Enter enters a section, and returns a function that leaves it.
func (t *Trail) Enter(name string) (leave func()) {
	t.sections = append(t.sections, section{name: name})
	return func() { t.sections = t.sections[:len(t.sections)-1] }
}

// At sets the key of the innermost section whose value is read next.
func (t *Trail) At(key string) { t.sections[len(t.sections)-1].key = key }

// Inside reports whether one of the sections around the value has that name.
func (t *Trail) Inside(name string) bool {
	return slices.ContainsFunc(t.sections, func(s section) bool { return s.name == name })
}

// Under reports whether the value is that of one of these keys.
func (t *Trail) Under(keys ...string) bool {
	return len(t.sections) > 0 && slices.Contains(keys, t.sections[len(t.sections)-1].key)
}

// ForKey returns the hint for a key that the innermost section does not know. Own is
// the keys that it knows.
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

// here returns the name of the innermost section.
func (t *Trail) here() string { return t.sections[len(t.sections)-1].name }

// OwnSynonyms returns the keys of the innermost section for which a word is a synonym.
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

// splitTarget splits a target in synonyms into its parts: envelope.layout=azure.
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

// DidYouMean returns a hint that proposes one of several words, or "" without words.
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

// elsewhere returns a hint with the nearest places of words that the innermost section
// does not know, at most so many steps away. A step goes into a section below, or out of
// a section.
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

// aroundHere is elsewhere for those targets in words that name a section, unless that
// section is directly below the innermost one.
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

// at returns a hint how to write the words after going out of so many sections and into
// so many others. Found says that there are such places; the hint is "" if there are too
// many.
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

// written returns a word with the value, or with that of p if value is "", and the keys
// of the route to it, as YAML.
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

// valueFor returns the author's value for a hint, or an example if it is not valid at
// the place.
func valueFor(n *yaml.Node, place wordPlace) string {
	if text, ok := InLine(n, MostInLine); ok && place.takes(n) {
		return text
	}
	if place.example != "" {
		return place.example
	}
	return "…"
}

// requestMember returns a hint how to write a condition on a member of the request.
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
		place += ".type" // response_format itself is an object, which never equals a text
	case node.ShapeOf(p.Value) == node.Mapping:
		value = "{ equals: " + value + " }"
	}
	condition := "body: { " + place + ": " + value + " }"
	if !slices.Contains(own, "body") || !slices.Contains(own, "model") {
		condition = "when: { " + condition + " }"
	}
	return p.Name + " is a member of the request: write " + condition
}

// ForLone returns a hint for a value that an author wrote instead of a section: under
// which of the keys of the section it is valid.
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
