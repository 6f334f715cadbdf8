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
	made := sync.OnceValue(func() codec { return section().Codec(word).codec })
	return Codec[P]{later(word, made)}
}

func later(word string, made func() codec) codec {
	return codec{
		Form: Form{
			Noun: word, Shapes: node.Mapping,
			keys:    func() []string { return made().keys() },
			Instead: func(d *Decoder, n *yaml.Node) string { return made().Instead(d, n) },
			Schema:  func(w *Writer) ojson.Value { return made().Schema(w) },
		},
		get:   func(d *Decoder, n *yaml.Node, into any) bool { return made().get(d, n, into) },
		write: func(from any) *yaml.Node { return made().write(from) },
	}
}

// Keys returns the keys of a section; nil for other codecs.
func (c *Form) Keys() []string {
	if c.keys == nil {
		return nil
	}
	return c.keys()
}
