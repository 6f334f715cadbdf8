package table

import (
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

// hintForKey returns the hint for a key that the innermost section does not know, or "".
// It is sure if the key is a word of the language, or nearly one. Own is the keys that the
// section knows.
func (d *Decoder) hintForKey(p node.Pair, own []string) (hint string, sure bool) {
	if d.Atlas == nil {
		return "", false
	}
	name := strings.ToLower(p.Name)
	for _, hint := range []func() string{
		func() string { return DidYouMean(d.ownSynonyms(name, own)...) },
		func() string { return d.aroundHere(p, d.Atlas().synonyms[name]) },
		func() string { return d.elsewhere(p, 1, name) },
		func() string { return d.elsewhere(p, 2, d.Atlas().synonyms[name]...) },
		func() string { return DidYouMean(diag.Nearest(name, own)) },
		func() string { return d.elsewhere(p, 4, name) },
		func() string { return d.elsewhere(p, 4, d.Atlas().synonyms[name]...) },
		func() string { return d.Atlas().other(p, own) },
	} {
		if h := hint(); h != "" {
			return h, true
		}
	}
	return DidYouMean(diag.NearestLoosely(name, own)), false
}

// here returns the name of the innermost section.
func (d *Decoder) here() string { return d.sections[len(d.sections)-1].name }

// ownSynonyms returns those of the known words, which are keys of the innermost section or
// values in it, for which a word is a synonym.
func (d *Decoder) ownSynonyms(word string, known []string) []string {
	if d.Atlas == nil {
		return nil
	}
	var list []string
	for _, target := range d.Atlas().synonyms[word] {
		section, key, _ := splitTarget(target)
		if (section == "" || section == d.here()) && slices.Contains(known, key) {
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

// DidYouMean returns a hint that proposes one of several words; "" if none is known.
func DidYouMean(words ...string) string {
	var quoted []string
	for _, w := range words {
		if w != "" {
			quoted = append(quoted, strconv.Quote(w))
		}
	}
	if len(quoted) == 0 {
		return ""
	}
	return "did you mean " + OneOf(quoted) + "?"
}

// elsewhere returns a hint with the nearest places of words that the innermost section
// does not know, at most so many steps away. A step goes into a section below, or out of
// a section.
func (d *Decoder) elsewhere(p node.Pair, most int, words ...string) string {
	for cost := 1; cost <= most; cost++ {
		for out := 0; out <= min(cost, len(d.sections)-1); out++ {
			if hint, found := d.at(p, out, cost-out, words); found {
				return hint
			}
		}
	}
	return ""
}

// aroundHere is elsewhere for those targets in words that name a section, unless that
// section is directly below the innermost one.
func (d *Decoder) aroundHere(p node.Pair, words []string) string {
	hangsHere := func(section string) bool {
		return slices.ContainsFunc(d.Atlas().links, func(l link) bool { return l.parent == d.here() && l.child == section })
	}
	var there []string
	for _, w := range words {
		if section, _, _ := splitTarget(w); section != "" && !hangsHere(section) {
			there = append(there, w)
		}
	}
	return d.elsewhere(p, 2, there...)
}

// at returns a hint how to write the words after going out of so many sections and into
// so many others. Found says that there are such places; the hint is "" if there are too
// many.
func (d *Decoder) at(p node.Pair, out, in int, words []string) (hint string, found bool) {
	const mostShown = 3
	around := d.sections[len(d.sections)-1-out]
	var ways, inLists []string
	belongs := ""
	for _, target := range words {
		section, word, value := splitTarget(target)
		if !d.Atlas().known[word] {
			continue
		}
		for _, route := range d.Atlas().routes[around.name][in] {
			home := around.name
			if in > 0 {
				home = route[in-1].child
			}
			if place, ok := d.Atlas().words[home][word]; !ok || in > 0 && place.modifies {
				continue
			}
			way, ok := d.written(p, home, word, value, route)
			switch {
			case !ok && in == 0 && word == strings.ToLower(p.Name):
				belongs = strconv.Quote(word) + " belongs in " + around.name + ", beside " + around.key
			case !ok:
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
		return belongs, len(ways) > 0 || belongs != ""
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
// of the route to it, as YAML. It is not ok if the value of p is not valid there.
func (d *Decoder) written(p node.Pair, home, word, value string, route route) (text string, ok bool) {
	if value == "" {
		place := d.Atlas().words[home][word]
		if value, ok = InLine(p.Value, MostInLine); !ok || !place.takes(p.Value) {
			value = place.example
		}
	}
	text = word + ": " + value
	for _, l := range slices.Backward(route) {
		text = "{ " + text + " }"
		if l.list {
			text = "[" + text + "]"
		}
		text = l.key + ": " + text
	}
	return text, value != ""
}

// hintForLone returns a hint for a value that an author wrote instead of a section: under
// which of the keys of the section it is valid.
func (d *Decoder) hintForLone(n *yaml.Node, keys []string) string {
	if d.Atlas == nil || len(d.sections) == 0 {
		return ""
	}
	around := d.sections[len(d.sections)-1]
	value, ok := InLine(n, MostInLine)
	if !ok {
		return ""
	}
	var ways []string
	for _, l := range d.Atlas().links {
		if l.parent != around.name || l.key != around.key || l.list {
			continue
		}
		for _, key := range keys {
			if place, ok := d.Atlas().words[l.child][key]; ok && place.takes(n) {
				ways = append(ways, around.key+": { "+key+": "+value+" }")
			}
		}
	}
	if len(ways) == 0 {
		return ""
	}
	return "write " + strings.Join(ways, " or ")
}
