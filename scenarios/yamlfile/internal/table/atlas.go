package table

import (
	"slices"
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

// Atlas knows the places of the words of the language: the keys of each section, and
// which keys have another section as their value. It is made from the table with which
// files are read. Once complete it is safe for concurrent use.
type Atlas struct {
	words    map[string]map[string]wordPlace // words is the keys by section and name.
	links    []link
	synonyms map[string][]string // synonyms and other are the arguments of NewAtlas.
	other    func(p node.Pair, own []string) string

	known map[string]bool // known has every key of the language.
	found sync.Map        // found caches the results of routes, by routeKey.
}

// routeKey is the arguments of routes.
type routeKey struct {
	from, word string
	depth      int
}

// wordPlace is a key of a section.
type wordPlace struct {
	takes   func(n *yaml.Node) bool // takes reports whether n is a valid value of the key.
	example string                  // example is the first value if the key takes one of a list of words, else "".
}

// link is a key of a section whose value is another section.
type link struct {
	parent, key, child string
	list               bool // list says that the value is a list of such sections.
}

// NewAtlas returns the places of the words in the table whose root has the form. Synonyms
// maps other words to them: to section.word=value, or parts of that. Other returns a hint
// for a key that is neither, or "".
func NewAtlas(root Form, synonyms map[string][]string, other func(p node.Pair, own []string) string) *Atlas {
	a := &Atlas{words: map[string]map[string]wordPlace{}, known: map[string]bool{}, synonyms: synonyms, other: other}
	w := NewWriter()
	w.atlas = a
	root.Schema(w)
	return a
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

// routes returns the ways from a section to those that have the word, each as depth
// links to follow. With depth 0 only the section itself counts.
func (a *Atlas) routes(from, word string, depth int) (found [][]link) {
	if !a.known[word] {
		return nil
	}
	if depth == 0 {
		if _, ok := a.words[from][word]; ok {
			return [][]link{nil}
		}
		return nil
	}
	key := routeKey{from, word, depth}
	if known, ok := a.found.Load(key); ok {
		return known.([][]link)
	}
	for _, l := range a.links {
		if l.parent != from || l.child == from {
			continue
		}
		for _, rest := range a.routes(l.child, word, depth-1) {
			found = append(found, append([]link{l}, rest...))
		}
	}
	a.found.Store(key, found)
	return found
}
