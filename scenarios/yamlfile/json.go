package yamlfile

import (
	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/schema"
)

// jsonCodec reads a value of the given kinds as JSON.
func jsonCodec(word string, shapes node.Shape) codec[ojson.Value] {
	return codec[ojson.Value]{
		noun: word, shapes: shapes,
		get: func(d *decoder, n *yaml.Node) (ojson.Value, bool) {
			v, ok := d.JSON(n)
			return v, ok && (!d.Inside("when") || d.refuseTemplates(n))
		},
		write:  node.FromJSON,
		schema: func(*schema.Writer) ojson.Value { return schema.Types(shapes) },
	}
}

// refuseTemplates reports templates in the texts of a value that is only compared.
func (d *decoder) refuseTemplates(n *yaml.Node) bool {
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

func anyJSON() codec[ojson.Value]    { return jsonCodec("any JSON value", node.Any) }
func objectJSON() codec[ojson.Value] { return jsonCodec("a mapping", node.Mapping) }

func mergeMembers(v *ojson.Value, more ojson.Value) {
	for _, m := range more.Members() {
		setMember(v, m.Name, m.Value)
	}
}

// setMember gives the object at v a member, making the object if there is none.
func setMember(v *ojson.Value, name string, value ojson.Value) {
	if v.IsAbsent() {
		*v = ojson.Object()
	}
	v.Set(name, value)
}
