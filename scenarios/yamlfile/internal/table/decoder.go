package table

import (
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/hint"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/schema"
)

// Decoder reads the values of one file by the table.
type Decoder struct {
	*node.Reader
	hint.Trail
	// Noted is told how each section and list is written that is read; nil if
	// nobody asks.
	Noted func(n *yaml.Node, l Layout)
}

// Layout is how a section or a list is written.
type Layout struct {
	// Keys are a section's keys in the order in which they are written. Those that
	// are missing, and those in Kept, keep the order that they have.
	Keys    []string
	Kept    []string // Kept are the keys whose order is part of what they say.
	InLines bool     // InLines says that it is never written in one line.
}

// layout is how the section is written.
func (s *section) layout() Layout {
	l := Layout{InLines: s.inLines}
	for _, f := range s.written {
		l.Keys = append(l.Keys, f.Name)
		if f.kept {
			l.Kept = append(l.Kept, f.Name)
		}
	}
	return l
}

// described is what a schema says of the section.
func (s *section) described() schema.Section {
	d := schema.Section{About: s.about, Open: s.unknownKeys != nil}
	for _, f := range s.fields {
		takes := func(n *yaml.Node) bool { return f.set(&Decoder{Reader: &node.Reader{}}, n, s.empty()) }
		d.Keys = append(d.Keys, schema.Key{Name: f.Name, Doc: f.doc, Noun: f.noun, Required: f.required, Schema: f.schema, Takes: takes})
	}
	return d
}

// Rank is how far below the others a key is written.
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
