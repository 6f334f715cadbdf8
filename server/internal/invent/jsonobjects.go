package invent

import (
	"fmt"
	"math"
	"strconv"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// object generates an object with all members that the schema names; beyond the depth
// limit, only the required ones.
func (s *satisfier) object(schema ojson.Value, depth int) (ojson.Value, error) {
	object := inventedObject{satisfier: s, schema: schema, depth: depth, at: map[string]int{}}
	required := requiredOf(schema)
	must := map[string]bool{}
	for _, name := range required {
		must[name] = true
	}
	most := limitOf(schema, "maxProperties", math.MaxInt)
	for _, p := range schema.Get("properties").Members() {
		if !must[p.Name] && (depth >= enoughNesting || p.Value.Text() == "false" || len(object.members)+len(required) >= most) {
			continue
		}
		if err := object.add(p.Name, p.Value); err != nil {
			return ojson.Value{}, err
		}
	}
	for _, name := range required {
		if _, there := object.at[name]; !there {
			if err := object.add(name, ojson.Value{}); err != nil {
				return ojson.Value{}, err
			}
		}
	}
	least := limitOf(schema, "minProperties", 0)
	for n := 1; len(object.members) < least; n++ {
		name, err := object.newName(n)
		if err == nil {
			err = object.add(name, schema.Get("properties").Get(name))
		}
		if err != nil {
			return ojson.Value{}, err
		}
	}
	return ojson.Object(object.members...), nil
}

// inventedObject is an object while its members are generated.
type inventedObject struct {
	*satisfier
	schema  ojson.Value
	depth   int
	members []ojson.Member
	at      map[string]int // at is the index of each member.
}

// add generates the member of this name. Own is its schema in properties; Absent if it
// has none.
func (o *inventedObject) add(name string, own ojson.Value) error {
	schema, err := o.memberSchema(name, own)
	if err != nil {
		return err
	}
	v, err := o.value(schema, name, o.depth+1)
	if i, there := o.at[name]; there {
		o.members[i].Value = v
		return err
	}
	o.at[name] = len(o.members)
	o.members = append(o.members, ojson.M(name, v))
	return err
}

// memberSchema is the schema of a member: properties and patternProperties combined, or
// else additionalProperties.
func (o *inventedObject) memberSchema(name string, own ojson.Value) (ojson.Value, error) {
	var parts []ojson.Value
	if !own.IsAbsent() {
		parts = append(parts, own)
	}
	for _, m := range o.schema.Get("patternProperties").Members() {
		p, err := o.pattern(m.Name)
		if err == nil {
			err = o.spend(len(name) * p.instructions / textPerStep)
		}
		if err != nil {
			return own, err
		}
		if p.MatchString(name) {
			parts = append(parts, m.Value)
		}
	}
	switch len(parts) {
	case 0:
		return o.additional(name)
	case 1:
		return parts[0], nil
	}
	return ojson.Object(ojson.M("allOf", ojson.Array(parts...))), nil
}

// additional is the schema of a member that neither properties nor patternProperties
// describe.
func (o *inventedObject) additional(name string) (ojson.Value, error) {
	other := o.schema.Get("additionalProperties")
	if other.Kind() == ojson.BoolKind && other.Text() == "false" {
		return other, fmt.Errorf("it asks for a member %.100q and for no additional properties", name)
	}
	if other.IsAbsent() || other.Kind() == ojson.BoolKind {
		return ojson.Object(ojson.M("type", ojson.String("string"))), nil
	}
	return other, nil
}

// newName generates the name of the nth additional member: one that propertyNames
// allows or, if additional members are forbidden, one that patternProperties describes.
func (o *inventedObject) newName(n int) (string, error) {
	const tries = 100
	if n > len(o.members)+tries {
		return "", fmt.Errorf("no %d different member names were found", limitOf(o.schema, "minProperties", 0))
	}
	if names := o.schema.Get("propertyNames"); names.Kind() == ojson.ObjectKind {
		text := ojson.Object(ojson.M("type", ojson.String("string")))
		name, err := o.value(ojson.Object(ojson.M("allOf", ojson.Array(names, text))), "", o.depth+1)
		return name.Text(), err
	}
	patterns := o.schema.Get("patternProperties").Members()
	if o.schema.Get("additionalProperties").Text() != "false" || len(patterns) == 0 {
		return fmt.Sprintf("%s_%d", o.words(1), n), nil
	}
	p, err := o.pattern(patterns[0].Name)
	if err != nil {
		return "", err
	}
	name, _ := o.matching(p)
	if numbered := name + strconv.Itoa(n); p.MatchString(numbered) {
		return numbered, o.err
	}
	return name, o.err
}

func requiredOf(schema ojson.Value) []string {
	var names []string
	for _, item := range schema.Get("required").Items() {
		names = append(names, item.Text())
	}
	return names
}
