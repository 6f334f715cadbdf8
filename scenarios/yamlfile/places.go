package yamlfile

import (
	"slices"
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// atlas says where the words of the language stand: which section has a word, and
// which key of which section leads to another section. It is made of the table
// that files are read with.
type atlas struct {
	words map[string]map[string]wordPlace // words of a section, by their names.
	links []link

	known map[string]bool // known has every word of the language.
	found sync.Map        // found has the routes that were looked for, by routeKey.
}

// routeKey is a question for routes.
type routeKey struct {
	from, word string
	depth      int
}

// wordPlace is a word in its section.
type wordPlace struct {
	takes   func(n *yaml.Node) bool // takes reports whether n can be its value.
	example string                  // example is the first of the values between which one can choose; "" if there is no choice.
}

// link is a key of a section whose value is another section.
type link struct {
	parent, key, child string
	list               bool // list says that the value is a list of such sections.
}

// makeAtlas walks the table, starting at the section root.
func makeAtlas(root codec[scenarioAsWritten]) *atlas {
	w := &schemaWriter{definitions: ojson.Object(), atlas: &atlas{words: map[string]map[string]wordPlace{}}}
	root.schema(w)
	w.atlas.known = map[string]bool{}
	for _, section := range w.atlas.words {
		for word := range section {
			w.atlas.known[word] = true
		}
	}
	return w.atlas
}

// routes are the shortest ways from a section to those that have the word, as
// the links to follow. At depth 0 it is the section itself.
func (a *atlas) routes(from, word string, depth int) [][]link {
	if !a.known[word] {
		return nil
	}
	key := routeKey{from, word, depth}
	if known, ok := a.found.Load(key); ok {
		return known.([][]link)
	}
	routes := a.search(from, word, depth)
	a.found.Store(key, routes)
	return routes
}

func (a *atlas) search(from, word string, depth int) [][]link {
	if depth == 0 {
		if _, ok := a.words[from][word]; ok {
			return [][]link{nil}
		}
		return nil
	}
	var found [][]link
	for _, l := range a.links {
		if l.parent != from || l.child == from {
			continue
		}
		for _, rest := range a.routes(l.child, word, depth-1) {
			found = append(found, append([]link{l}, rest...))
		}
	}
	return found
}

// addLink notes that the key which is being described leads to a section.
func (w *schemaWriter) addLink(child string) {
	if w.atlas == nil || w.at.parent == "" || w.free {
		return
	}
	same := func(l link) bool {
		return l.parent == w.at.parent && l.key == w.at.key && l.child == child
	}
	if !slices.ContainsFunc(w.atlas.links, same) {
		w.atlas.links = append(w.atlas.links, link{w.at.parent, w.at.key, child, w.inList})
	}
}

// addWord notes a key of a section.
func (w *schemaWriter) addWord(section, key string, takes func(*yaml.Node) bool, schema ojson.Value) {
	if w.atlas == nil {
		return
	}
	if w.atlas.words[section] == nil {
		w.atlas.words[section] = map[string]wordPlace{}
	}
	w.atlas.words[section][key] = wordPlace{takes: takes, example: firstChoice(schema)}
}

// firstChoice is the first text of an enumeration in a schema.
func firstChoice(schema ojson.Value) string {
	for _, v := range schema.Get("enum").Items() {
		if v.Kind() == ojson.StringKind {
			return v.Text()
		}
	}
	for _, form := range schema.Get("anyOf").Items() {
		if word := firstChoice(form); word != "" {
			return word
		}
	}
	return ""
}
