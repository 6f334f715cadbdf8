package table

import (
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/schema"
)

// Later is the codec of a section that is made when it is first needed: to make the
// table of the whole language takes longer than to read some files, which use little of
// it. Partial must be set if that of the section is.
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
			Schema:  func(w *schema.Writer) ojson.Value { return made().Schema(w) },
		},
		get:   func(d *Decoder, n *yaml.Node, into any) bool { return made().get(d, n, into) },
		write: func(from any) *yaml.Node { return made().write(from) },
	}
}

// Keys are the keys of the mapping that is read; nil if none is.
func (c *Form) Keys() []string {
	if c.keys == nil {
		return nil
	}
	return c.keys()
}
