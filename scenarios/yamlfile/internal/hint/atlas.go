package hint

import (
	"slices"
	"sync"

	"gopkg.in/yaml.v3"
)

// Atlas says where the words of the language stand: which section has a word, and
// which key of which section leads to another section. It is made of the table
// that files are read with. Once it is made it is safe for concurrent use.
type Atlas struct {
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

// AddWord notes a key of a section. Takes reports whether a value can be its own;
// example is one of the values between which one can choose, or "".
func (a *Atlas) AddWord(section, key string, takes func(*yaml.Node) bool, example string) {
	if a.words == nil {
		a.words, a.known = map[string]map[string]wordPlace{}, map[string]bool{}
	}
	if a.words[section] == nil {
		a.words[section] = map[string]wordPlace{}
	}
	a.words[section][key] = wordPlace{takes: takes, example: example}
	a.known[key] = true
}

// AddLink notes that a key of a section has another section as its value, or a
// list of such sections.
func (a *Atlas) AddLink(parent, key, child string, list bool) {
	same := func(l link) bool { return l.parent == parent && l.key == key && l.child == child }
	if !slices.ContainsFunc(a.links, same) {
		a.links = append(a.links, link{parent, key, child, list})
	}
}

// routes are the shortest ways from a section to those that have the word, as
// the links to follow. At depth 0 it is the section itself.
func (a *Atlas) routes(from, word string, depth int) [][]link {
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

func (a *Atlas) search(from, word string, depth int) [][]link {
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
