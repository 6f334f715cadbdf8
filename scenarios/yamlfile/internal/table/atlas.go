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
	words  map[string]map[string]wordPlace // words is the keys by section and name.
	known  map[string]bool                 // known has every key of the language.
	links  []link
	routes map[string][][]route // routes is the ways down from a section, by their length.
	aside  map[string]bool      // aside has the sections into which no hint leads from elsewhere.
	given  Given
}

// Given is what the table itself does not say of keys that a section does not have.
type Given struct {
	Synonyms map[string][]string // Synonyms maps other words to those of the language: to section.word=value, or parts of that.
	// Instead returns a hint for a key, or "": before all others, and after them.
	Instead, Otherwise func(Unknown) string
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
