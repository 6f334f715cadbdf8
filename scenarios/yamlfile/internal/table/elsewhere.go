package table

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

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
	name := Snake(p.Name)
	p = inUnits(p, &name)
	given := d.Atlas().given
	synonyms := given.Synonyms[name]
	unknown := Unknown{node.Pair{Name: name, Key: p.Key, Value: p.Value}, d.innermost(), own, d.sections[len(d.sections)-1].within}
	for _, hint := range []func() string{
		func() string { return given.Instead(unknown) },
		func() string { return d.sameInOtherLetters(p, name, own) },
		func() string { return d.ownSynonym(p, name, own) },
		func() string { return d.aroundHere(p, synonyms) },
		func() string { return d.nearestPlaces(p, 1, name) },
		func() string { return d.nearestPlaces(p, 2, synonyms...) },
		func() string { return DidYouMean(diag.Nearest(name, own)) },
		func() string { return d.nearestPlaces(p, 4, name) },
		func() string { return d.nearestPlaces(p, 4, synonyms...) },
		func() string { return given.Otherwise(unknown) },
	} {
		if h := hint(); h != "" {
			return h, true
		}
	}
	return DidYouMean(diag.NearestLoosely(name, own)), false
}

// inUnits turns a key that names the unit of its number into one with a duration: delay_ms: 5 into delay: 5ms.
func inUnits(p node.Pair, name *string) node.Pair {
	for _, u := range [][2]string{{"_in_ms", "ms"}, {"_ms", "ms"}, {"_millis", "ms"}, {"_milliseconds", "ms"}, {"_in_seconds", "s"}, {"_seconds", "s"}, {"_secs", "s"}, {"_sec", "s"}} {
		if base, ok := strings.CutSuffix(*name, u[0]); ok && node.ShapeOf(p.Value) == node.Number {
			*name = base
			p.Value = node.Plain(p.Value.Value + u[1])
			break
		}
	}
	return p
}

// otherSections says in which sections a word stands that is not near this one; "" if in none.
func (d *Decoder) otherSections(word string) string {
	var homes []string
	for section, keys := range d.Atlas().words {
		if _, ok := keys[word]; ok && section != d.innermost() {
			homes = append(homes, section)
		}
	}
	slices.Sort(homes)
	if len(homes) == 0 {
		return ""
	}
	return strconv.Quote(word) + " stands in " + strings.Join(homes[:min(len(homes), 3)], " and in ") + ": fakeopenai docs " + word + " shows it"
}

// Snake returns a key as the language spells keys: chunk_size for chunkSize and Chunk-Size.
func Snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		switch {
		case r == '-' || r == ' ':
			r = '_'
		case unicode.IsUpper(r) && i > 0 && unicode.IsLower(rune(name[i-1])):
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// sameInOtherLetters returns the hint for a key that is a word of the section but for its letters.
func (d *Decoder) sameInOtherLetters(p node.Pair, name string, own []string) string {
	if name == p.Name || !slices.Contains(own, name) {
		return ""
	}
	value, _ := InLine(p.Value, MostInLine)
	return "write " + name + ": " + value
}

// ownSynonym returns the hint for a synonym of keys of the innermost section: with the value that replaces one of
// the author which is no text, if the synonym has one.
func (d *Decoder) ownSynonym(p node.Pair, name string, own []string) string {
	for _, target := range d.Atlas().given.Synonyms[name] {
		section, key, value := splitTarget(target)
		isText := node.ShapeOf(p.Value) == node.Text
		if value != "" && !isText && (section == "" || section == d.innermost()) && slices.Contains(own, key) {
			return "write " + key + ": " + value
		}
	}
	return DidYouMean(d.ownSynonyms(name, own)...)
}

func (d *Decoder) innermost() string { return d.sections[len(d.sections)-1].name }

// ownSynonyms returns those of the known words, which are keys of the innermost section or
// values in it, for which a word is a synonym.
func (d *Decoder) ownSynonyms(word string, known []string) []string {
	if d.Atlas == nil {
		return nil
	}
	var list []string
	for _, target := range d.Atlas().given.Synonyms[word] {
		section, key, _ := splitTarget(target)
		if (section == "" || section == d.innermost()) && slices.Contains(known, key) {
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

// nearestPlaces returns a hint with the nearest places of words that the innermost section
// does not know, at most a number of steps away. A step goes into a section below, or out of
// a section.
func (d *Decoder) nearestPlaces(p node.Pair, most int, words ...string) string {
	for cost := 1; cost <= most; cost++ {
		for out := 0; out <= min(cost, len(d.sections)-1); out++ {
			if hint, found := d.placesAt(p, out, cost-out, words); found {
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
		return slices.ContainsFunc(d.Atlas().links, func(l link) bool { return l.parent == d.innermost() && l.child == section })
	}
	var there []string
	for _, w := range words {
		if section, _, _ := splitTarget(w); section != "" && !hangsHere(section) {
			there = append(there, w)
		}
	}
	return d.nearestPlaces(p, 2, there...)
}

// placesAt returns a hint with the places of the words that are reached by leaving out sections and then entering in
// sections. Found says that there are such places; the hint is "" if there are too many.
func (d *Decoder) placesAt(p node.Pair, out, in int, words []string) (hint string, found bool) {
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
			if slices.ContainsFunc(route, func(l link) bool { return d.Atlas().aside[l.child] }) {
				continue
			}
			way, ok := d.routeAsYAML(p, home, word, value, route, around.within)
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

// routeAsYAML returns a word with the value, or with that of p if value is "", and the keys
// of the route to it from a mapping, as YAML. A text that is there already in place of a mapping
// on the route is kept in it. It is not ok if the value of p is not valid there.
func (d *Decoder) routeAsYAML(p node.Pair, home, word, value string, route route, from *yaml.Node) (text string, ok bool) {
	if value == "" {
		place := d.Atlas().words[home][word]
		if value, ok = InLine(p.Value, MostInLine); !ok || !place.takes(p.Value) {
			value = ""
			if node.ShapeOf(p.Value)&(node.Text|node.Mapping|node.List) == 0 { // these mean something else than the example
				value = place.example
			}
			if timed := InUnit(p.Value); node.ShapeOf(p.Value) == node.Number && place.takes(node.Plain(timed)) {
				value = timed
			}
		}
	}
	text = word + ": " + value
	for i, l := range slices.Backward(route) {
		if there := node.Member(from, l.key).Value; i == 0 && there != nil && !l.list {
			if main := d.Atlas().given.Main(l.child, there); main != "" && main != word {
				kept, _ := InLine(there, MostInLine)
				text = main + ": " + kept + ", " + text
			}
		}
		text = "{ " + text + " }"
		if l.list {
			text = "[" + text + "]"
		}
		text = l.key + ": " + text
	}
	return text, value != ""
}

// InUnit returns a duration as the language writes it, of a number with the unit that is likely meant, and any other value as it is.
func InUnit(n *yaml.Node) string {
	v, err := strconv.ParseFloat(n.Value, 64)
	switch {
	case err != nil || node.ShapeOf(n) != node.Number:
		text, _ := InLine(n, MostInLine)
		return cmp.Or(otherUnits(n), text)
	case v < 10:
		return n.Value + "s"
	}
	return n.Value + "ms"
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

// Atlas knows the places of the words of the language: the keys of each section, and
// which keys have another section as their value. It is made from the table with which
// files are read. Once complete it is safe for concurrent use.
type Atlas struct {
	words  map[string]map[string]wordPlace // words is the keys by section and name.
	known  map[string]bool                 // known has every key of the language.
	links  []link
	routes map[string][][]route // routes is the ways down from a section, by their length.
	aside  map[string]bool      // aside has the sections into which no hint leads from elsewhere.
	given  Given
}

// Given has hints for keys that a section does not have, as far as the table has none.
type Given struct {
	Synonyms map[string][]string // Synonyms maps other words to those of the language: to section.word=value, or parts of that.
	// Misplaced returns a hint for a key that belongs elsewhere, or "".
	Misplaced func(Unknown) string
	// Instead returns a hint for a key that comes before all other hints, Otherwise one that comes after them; or "".
	Instead, Otherwise func(Unknown) string
	// Settled returns a hint for a key with what else must be written for it to load.
	Settled func(Unknown, string) string
	// Value returns a hint for a value of a key that the key does not take, or "".
	Value func(Unknown) string
	// Main is the key that a text or a number stands for which is written in place of a section, or "".
	Main func(section string, n *yaml.Node) string
}

// Unknown is a key that a section does not have.
type Unknown struct {
	node.Pair            // its Name is in small letters with underscores: chunk_size for chunkSize.
	Section   string     // Section is the name of the section.
	Own       []string   // Own is the keys of the section.
	Within    *yaml.Node // Within is the mapping that has the key.
}

// route is a way from a section to one below it: the links to follow.
type route []link

const longestRoute = 4

type wordPlace struct {
	takes   func(n *yaml.Node) bool // takes reports whether n is a valid value of the key.
	example string                  // example is the first value if the key takes one of a list of words, else "".
	// modifies says that the key has a meaning only beside other keys of its section.
	modifies bool
}

// link is a key of a section whose value is another section.
type link struct {
	parent, key, child string
	list               bool // list says that the value is a list of such sections.
}

// NewAtlas returns the places of the words in the table with that root.
func NewAtlas(root Codec, given Given) *Atlas {
	a := &Atlas{words: map[string]map[string]wordPlace{}, known: map[string]bool{}, routes: map[string][][]route{}, aside: map[string]bool{}, given: given}
	w := NewWriter()
	w.atlas = a
	root.Schema(w)
	for length := range longestRoute + 1 {
		for section := range a.words {
			a.routes[section] = append(a.routes[section], a.routesOf(section, length))
		}
	}
	return a
}

// routesOf returns the ways of a length down from a section; those that are shorter are
// known.
func (a *Atlas) routesOf(section string, length int) (list []route) {
	if length == 0 {
		return []route{nil}
	}
	for _, l := range a.links {
		if l.parent == section && l.child != section {
			for _, rest := range a.routes[l.child][length-1] {
				list = append(list, append(route{l}, rest...))
			}
		}
	}
	return list
}

func (a *Atlas) addWord(section, key string, place wordPlace) {
	if a.words[section] == nil {
		a.words[section] = map[string]wordPlace{}
	}
	a.words[section][key] = place
	a.known[key] = true
}

// addLink adds that the value of a key is another section, or a list of such sections.
func (a *Atlas) addLink(l link) {
	same := func(other link) bool { return other.parent == l.parent && other.key == l.key && other.child == l.child }
	if !slices.ContainsFunc(a.links, same) {
		a.links = append(a.links, l)
	}
}
