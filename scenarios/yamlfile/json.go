package yamlfile

import (
	"strconv"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// json is n as JSON: the same order of members and the same spelling of numbers.
// What one reader of YAML takes for a boolean or number and another does not is
// reported.
func (d *decoder) json(n *yaml.Node) (v ojson.Value, whole bool) {
	switch shapeOf(n) {
	case shapeNull:
		return ojson.Null(), true
	case shapeBool:
		b := n.Value[0] == 't' || n.Value[0] == 'T'
		return ojson.Bool(b), true
	case shapeList:
		return d.jsonArray(n)
	case shapeMapping:
		return d.jsonObject(n)
	case shapeNothing:
		d.report(n, "write null if that is meant", "there is no value")
		return ojson.Value{}, false
	case shapeNumber:
		if isOddNumber(n) {
			d.report(n, plainNumber(n.Value)+", or put it in quotes", "%s is not a JSON number", shortened(n.Value))
			return ojson.Value{}, false
		}
		return ojson.Number(n.Value), true
	}
	if b, ok := oldBoolean(n); ok {
		d.report(n, "write "+strconv.FormatBool(b)+`, or "`+n.Value+`" in quotes`, "%s is a boolean to some readers of YAML and a text to others", n.Value)
		return ojson.Value{}, false
	}
	return ojson.String(n.Value), true
}

func (d *decoder) jsonArray(n *yaml.Node) (v ojson.Value, whole bool) {
	v, whole = ojson.Array(), true
	for _, item := range n.Content {
		one, ok := d.json(item)
		whole = whole && ok
		v.Push(one)
	}
	return v, whole
}

func (d *decoder) jsonObject(n *yaml.Node) (v ojson.Value, whole bool) {
	pairs, whole := d.pairs(n)
	members := make([]ojson.Member, 0, len(pairs))
	for _, p := range pairs {
		one, ok := d.json(p.value)
		whole = whole && ok
		members = append(members, ojson.M(p.name, one))
	}
	return ojson.Object(members...), whole
}

// jsonNode is a JSON value in one line, or nil for what YAML has no value for.
func jsonNode(v ojson.Value) *yaml.Node {
	switch v.Kind() {
	case ojson.StringKind:
		return quotedNode(v.Text())
	case ojson.ArrayKind:
		n := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
		for _, item := range v.Items() {
			value := jsonNode(item)
			if value == nil {
				return nil
			}
			n.Content = append(n.Content, value)
		}
		return n
	case ojson.ObjectKind:
		n := mappingNode(yaml.FlowStyle)
		for _, member := range v.Members() {
			value := jsonNode(member.Value)
			if value == nil {
				return nil
			}
			addMember(n, member.Name, value)
		}
		return n
	case ojson.NullKind, ojson.BoolKind, ojson.NumberKind:
		return plainNode(v.String())
	}
	return nil
}

const (
	shapeScalar = shapeNull | shapeBool | shapeNumber | shapeText
	shapeAny    = shapeScalar | shapeList | shapeMapping
)

// jsonCodec reads a value of the given kinds as JSON.
func jsonCodec(word string, shapes shape) codec[ojson.Value] {
	return codec[ojson.Value]{
		word: word, shapes: shapes,
		get:    func(d *decoder, n *yaml.Node) (ojson.Value, bool) { return d.json(n) },
		write:  jsonNode,
		schema: func(*schemaWriter) ojson.Value { return typesOf(shapes) },
	}
}

func anyJSON() codec[ojson.Value]    { return jsonCodec("any JSON value", shapeAny) }
func objectJSON() codec[ojson.Value] { return jsonCodec("a mapping", shapeMapping) }

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
