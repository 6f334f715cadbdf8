package table

import (
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

// Atlas knows the places of the words of the language: the keys of each section, and
// which keys have another section as their value. It is made from the table with which
// files are read. Once complete it is safe for concurrent use.
type Atlas struct {
	words    map[string]map[string]wordPlace // words is the keys by section and name.
	known    map[string]bool                 // known has every key of the language.
	links    []link
	routes   map[string][][]route // routes is the ways down from a section, by their length.
	synonyms map[string][]string  // synonyms and other are the arguments of NewAtlas.
	other    func(p node.Pair, own []string) string
}

// route is a way from a section to one below it: the links to follow.
type route []link

// longestRoute is the length of the longest routes.
const longestRoute = 4

// wordPlace is a key of a section.
type wordPlace struct {
	takes   func(n *yaml.Node) bool // takes reports whether n is a valid value of the key.
	example string                  // example is the first value if the key takes one of a list of words, else "".
	// modifies says that the key says nothing without others of its section.
	modifies bool
}

// link is a key of a section whose value is another section.
type link struct {
	parent, key, child string
	list               bool // list says that the value is a list of such sections.
}

// NewAtlas returns the places of the words in the table with that root. Synonyms
// maps other words to them: to section.word=value, or parts of that. Other returns a hint
// for a key that is neither, or "".
func NewAtlas(root Codec, synonyms map[string][]string, other func(p node.Pair, own []string) string) *Atlas {
	a := &Atlas{words: map[string]map[string]wordPlace{}, known: map[string]bool{}, routes: map[string][][]route{}, synonyms: synonyms, other: other}
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
