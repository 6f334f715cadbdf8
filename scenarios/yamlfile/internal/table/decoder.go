package table

import (
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/hint"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

// Decoder is the state of reading one file: its problems so far, and the sections
// around the value that is being read.
type Decoder struct {
	*node.Reader
	hint.Trail
	// Noted is called with the layout of each section and list that is read; it may
	// be nil.
	Noted func(n *yaml.Node, l Layout)
}

// Layout is how a section or a list is written.
type Layout struct {
	// Keys is a section's keys in the order in which they are written. Keys that are
	// not in it, and those in Kept, keep the author's order.
	Keys    []string
	Kept    []string // Kept is the keys whose order has a meaning.
	InLines bool     // InLines says that the value is never written in one line.
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
