package table

import (
	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/hint"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/schema"
)

// Decoder reads the values of one file by the table.
type Decoder struct {
	*node.Reader
	hint.Trail
}

// described is what a schema says of the section.
func (s *Section[T]) described() schema.Section {
	d := schema.Section{About: s.About, Open: s.UnknownKeys != nil}
	for _, f := range s.Fields {
		takes := func(n *yaml.Node) bool {
			var v T
			return f.set(&Decoder{Reader: &node.Reader{}}, n, &v)
		}
		d.Keys = append(d.Keys, schema.Key{Name: f.Name, Doc: f.doc, Noun: f.noun, Required: f.required, Schema: f.schema, Takes: takes})
	}
	return d
}
