package table

import (
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

// Decoder is the state of reading one file: its problems so far, and the sections
// around the value that is being read.
type Decoder struct {
	*node.Reader
	sections []section     // sections has the outermost section first.
	Atlas    func() *Atlas // Atlas returns the places of all words; nil if hints are not needed.
	// Noted is called with the layout of each section and list that is read, for fmt; it
	// may be nil.
	Noted func(n *yaml.Node, l Layout)
}

// section is a section around a value, and the key in it whose value is being read.
type section struct {
	name, key string
	within    *yaml.Node // within is the mapping.
}

// enter enters a section, and returns a function that leaves it.
func (d *Decoder) enter(name string, within *yaml.Node) (leave func()) {
	d.sections = append(d.sections, section{name: name, within: within})
	return func() { d.sections = d.sections[:len(d.sections)-1] }
}

// setKey sets the key of the innermost section whose value is read next.
func (d *Decoder) setKey(key string) { d.sections[len(d.sections)-1].key = key }

// inside reports whether one of the sections around the value has that name.
func (d *Decoder) inside(name string) bool {
	return slices.ContainsFunc(d.sections, func(s section) bool { return s.name == name })
}

// under reports whether the value is that of one of these keys.
func (d *Decoder) under(keys ...string) bool {
	return len(d.sections) > 0 && slices.Contains(keys, d.sections[len(d.sections)-1].key)
}

// Layout is how a section or a list is written.
type Layout struct {
	// Keys is a section's keys in the order in which they are written. Keys that are
	// not in it, and those in Kept, keep the author's order.
	Keys    []string
	Kept    []string             // Kept is the keys whose order has a meaning.
	Foreign []string             // Foreign is the keys in it that belong under extra.
	Short   map[string]Shorthand // Short is [Section.Short].
	Instead *yaml.Node           // Instead is what a short form stands for.
	InLines bool                 // InLines says that the value is never written in one line.
}

// Rank returns a number by which keys are sorted when they are written.
func (l Layout) Rank(key string) int {
	at := slices.Index(l.Keys, key)
	switch {
	case len(l.Kept) > 0 && (at < 0 || slices.Contains(l.Kept, key)):
		return slices.Index(l.Keys, l.Kept[0])
	case at < 0:
		return len(l.Keys)
	}
	return at
}
