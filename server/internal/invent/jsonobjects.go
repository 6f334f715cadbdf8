package invent

import (
	"fmt"
	"math"
	"strconv"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// object generates an object with all members that the schema names; beyond the depth
// limit, only the required ones.
func (s *satisfier) object(schema ojson.Value, depth int) ojson.Value {
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
		object.add(p.Name, p.Value)
	}
	for _, name := range required {
		if _, there := object.at[name]; !there {
			object.add(name, ojson.Value{})
		}
	}
	least := limitOf(schema, "minProperties", 0)
	for n := 1; len(object.members) < least && s.err == nil; n++ {
		name := object.newName(n)
		object.add(name, schema.Get("properties").Get(name))
	}
	return ojson.Object(object.members...)
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
func (o *inventedObject) add(name string, own ojson.Value) {
	if o.err != nil {
		return
	}
	v := o.value(o.memberSchema(name, own), name, o.depth+1)
	if i, there := o.at[name]; there {
		o.members[i].Value = v
		return
	}
	o.at[name] = len(o.members)
	o.members = append(o.members, ojson.M(name, v))
}

// memberSchema is the schema of a member: properties and patternProperties combined, or
// else additionalProperties.
func (o *inventedObject) memberSchema(name string, own ojson.Value) ojson.Value {
	var parts []ojson.Value
	if !own.IsAbsent() {
		parts = append(parts, own)
	}
	for _, m := range o.schema.Get("patternProperties").Members() {
		if o.matches(m.Name, name) {
			parts = append(parts, m.Value)
		}
	}
	switch len(parts) {
	case 0:
		return o.additional(name)
	case 1:
		return parts[0]
	}
	return ojson.Object(ojson.M("allOf", ojson.Array(parts...)))
}

// additional is the schema of a member that neither properties nor patternProperties
// describe.
func (o *inventedObject) additional(name string) ojson.Value {
	other := o.schema.Get("additionalProperties")
	if other.Kind() == ojson.BoolKind && other.Text() == "false" {
		o.fail("it asks for a member %.100q and for no additional properties", name)
	}
	if other.IsAbsent() || other.Kind() == ojson.BoolKind {
		return ojson.Object(ojson.M("type", ojson.String("string")))
	}
	return other
}

// newName generates the name of the nth additional member: one that propertyNames
// allows or, if additional members are forbidden, one that patternProperties describes.
func (o *inventedObject) newName(n int) string {
	const tries = 100
	if n > len(o.members)+tries {
		o.fail("no %d different member names were found", limitOf(o.schema, "minProperties", 0))
	}
	if names := o.schema.Get("propertyNames"); names.Kind() == ojson.ObjectKind {
		text := ojson.Object(ojson.M("type", ojson.String("string")))
		return o.value(ojson.Object(ojson.M("allOf", ojson.Array(names, text))), "", o.depth+1).Text()
	}
	patterns := o.schema.Get("patternProperties").Members()
	if o.schema.Get("additionalProperties").Text() != "false" || len(patterns) == 0 {
		return fmt.Sprintf("%s_%d", o.words(1), n)
	}
	p := o.pattern(patterns[0].Name)
	if p == nil {
		return ""
	}
	name, _ := o.matching(p)
	if numbered := name + strconv.Itoa(n); p.MatchString(numbered) {
		return numbered
	}
	return name
}

func requiredOf(schema ojson.Value) []string {
	var names []string
	for _, item := range schema.Get("required").Items() {
		names = append(names, item.Text())
	}
	return names
}
