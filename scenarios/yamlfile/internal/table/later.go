package table

import (
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

// Later returns the codec of a section that is made on first use: to make the table of
// the whole language takes longer than to read a small file, which uses little of it.
// The caller must set Partial if the section has it set.
func Later[P any](word string, section func() *Section[P]) Codec[P] {
	made := sync.OnceValue(func() Codec[P] { return section().Codec(word) })
	return Codec[P]{
		Form: Form{
			Noun: word, Shapes: node.Mapping,
			keys:    func() []string { return made().keys() },
			Instead: func(d *Decoder, n *yaml.Node) string { return made().Instead(d, n) },
			Schema:  func(w *Writer) ojson.Value { return made().Schema(w) },
		},
		Get:   func(d *Decoder, n *yaml.Node, into P) bool { return made().Get(d, n, into) },
		Write: func(from P) *yaml.Node { return made().Write(from) },
	}
}
