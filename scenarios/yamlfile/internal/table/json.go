package table

import (
	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

// JSONCodec reads a value of the given kinds as JSON.
func JSONCodec(word string, shapes node.Shape) Codec {
	return NewCodec(
		Codec{Noun: word, Shapes: shapes, Schema: func(*Writer) ojson.Value { return typesSchema(shapes) }},
		func(d *Decoder, n *yaml.Node) (ojson.Value, bool) {
			v, ok := d.JSON(n)
			compared := d.inside("when") || d.inside("damage") || d.inside("expect")
			return v, ok && (!compared || d.refuseTemplates(n))
		},
		node.FromJSON,
	)
}

// refuseTemplates reports templates in the texts of a value that is compared and never
// rendered.
func (d *Decoder) refuseTemplates(n *yaml.Node) bool {
	if n.Kind == yaml.ScalarNode {
		return node.ShapeOf(n) != node.Text || d.refuseTemplate(n, n.Value)
	}
	ok := true
	for i, child := range n.Content {
		if n.Kind == yaml.SequenceNode || i%2 == 1 {
			ok = d.refuseTemplates(child) && ok
		}
	}
	return ok
}

// AnyJSON reads any value as JSON.
func AnyJSON() Codec { return JSONCodec("any JSON value", node.Any) }

// ObjectJSON reads a mapping as a JSON object.
func ObjectJSON() Codec { return JSONCodec("a mapping", node.Mapping) }

// MergeMembers sets the members of another object in the object *v.
func MergeMembers(v *ojson.Value, more ojson.Value) {
	if v.IsAbsent() && len(more.Members()) > 0 {
		*v = ojson.Object()
	}
	v.SetAll(more.Members())
}
