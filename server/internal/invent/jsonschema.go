package invent

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Limits of generated JSON: the number of values, the nesting of schemas, and the depth
// from which on only required values are generated, so that recursive schemas come to
// an end. The total work is limited by [maxSteps].
const (
	maxValues     = 100_000
	maxNesting    = 200
	enoughNesting = 6
)

// Satisfying generates a JSON text that satisfies a schema or, apart from that, breaks it in one place as one of
// [scenarios.Breaks] says; "" breaks nothing. Members stand in the order of the schema; optional ones are
// included. Closing done stops the work.
func Satisfying(f *Faker, schema ojson.Value, how string, done <-chan struct{}) (string, error) {
	s := &satisfier{Faker: f, root: schema, budget: budget{done: done}, patterns: map[string]*pattern{}}
	v := s.value(schema, "", 0)
	if s.err != nil {
		return "", fmt.Errorf("cannot invent a value for the JSON schema: %w", s.err)
	}
	if how != "" {
		return s.broken(v, how)
	}
	return v.String(), nil
}

// satisfier generates values for the parts of one schema.
type satisfier struct {
	*Faker
	budget
	root     ojson.Value
	values   int
	chose    bool // chose says that an alternative was chosen.
	patterns map[string]*pattern
}

var unsupportedWords = []string{
	"not", "if", "dependentRequired", "dependentSchemas", "dependencies", "unevaluatedProperties", "unevaluatedItems", "$dynamicRef",
	"contains", "patternProperties",
}

// value generates a value for a schema. Name is the name of the member, which often
// suggests a plausible value.
func (s *satisfier) value(schema ojson.Value, name string, depth int) ojson.Value {
	if s.values++; s.values > maxValues {
		s.fail("it asks for more than %d values", maxValues)
	}
	if depth > maxNesting {
		s.fail("it asks for values inside values without end")
	}
	schema = s.flat(schema, depth, 0)
	s.spend(sizeOf(schema))
	for _, word := range unsupportedWords {
		if !schema.Get(word).IsAbsent() {
			s.fail("it uses %q, which is beyond what fake can do; write the value instead", word)
		}
	}
	if s.err != nil {
		return ojson.Null()
	}
	if v := schema.Get("const"); !v.IsAbsent() {
		return s.oneOf(schema, []ojson.Value{v})
	}
	if list := schema.Get("enum"); list.Kind() == ojson.ArrayKind {
		return s.oneOf(schema, list.Items())
	}
	switch schemaType(schema, depth) {
	case "null":
		return ojson.Null()
	case "boolean":
		return ojson.Bool(s.IntN(2) == 0)
	case "integer":
		return s.number(schema, true)
	case "number":
		return s.number(schema, false)
	case "array":
		return s.array(schema, name, depth)
	case "object":
		return s.object(schema, depth)
	}
	return ojson.String(s.text(schema, name))
}

// oneOf chooses among the values of an enum or a const that the schema's other words
// allow.
func (s *satisfier) oneOf(schema ojson.Value, list []ojson.Value) ojson.Value {
	types := schemaTypes(schema)
	s.spend(len(list) * max(1, len(types)))
	var fitting []ojson.Value
	for _, v := range list {
		hasTypes := len(types) == 0 || slices.ContainsFunc(types, func(t string) bool { return hasType(v, t) })
		if s.err == nil && hasTypes && s.allows(schema, v) {
			fitting = append(fitting, v)
		}
	}
	if len(fitting) == 0 {
		s.fail("the words beside an enum or a const allow none of its values")
		return ojson.Null()
	}
	return fitting[s.IntN(len(fitting))]
}

func schemaTypes(schema ojson.Value) []string {
	t := schema.Get("type")
	if t.Kind() == ojson.StringKind {
		return []string{t.Text()}
	}
	var types []string
	for _, item := range t.Items() {
		types = append(types, item.Text())
	}
	return types
}

// schemaType is the type of the value to generate: the first type that is not null;
// null beyond the depth limit, if allowed; without a type, what the schema's other
// words are about.
func schemaType(schema ojson.Value, depth int) string {
	types := schemaTypes(schema)
	if schema.Get("nullable").Text() == "true" {
		types = append(types, "null")
	}
	if depth > enoughNesting && slices.Contains(types, "null") {
		return "null"
	}
	for _, t := range types {
		if t != "null" {
			return t
		}
	}
	if len(types) > 0 {
		return "null"
	}
	for _, hint := range []struct{ word, kind string }{
		{"properties", "object"}, {"required", "object"}, {"additionalProperties", "object"}, {"minProperties", "object"},
		{"items", "array"}, {"prefixItems", "array"}, {"minItems", "array"},
		{"minimum", "number"}, {"maximum", "number"}, {"exclusiveMinimum", "number"}, {"exclusiveMaximum", "number"}, {"multipleOf", "number"},
	} {
		if !schema.Get(hint.word).IsAbsent() {
			return hint.kind
		}
	}
	return "string"
}

func hasType(v ojson.Value, kind string) bool {
	switch v.Kind() {
	case ojson.NullKind:
		return kind == "null"
	case ojson.BoolKind:
		return kind == "boolean"
	case ojson.NumberKind:
		return kind == "number" || kind == "integer" && !strings.ContainsAny(v.Text(), ".eE")
	case ojson.StringKind:
		return kind == "string"
	case ojson.ArrayKind:
		return kind == "array"
	}
	return kind == "object"
}

// flat replaces references and alternatives in a schema by what they stand for.
func (s *satisfier) flat(schema ojson.Value, depth, hops int) ojson.Value {
	if hops > maxNesting {
		s.fail("its references go round in a circle")
	}
	if !s.spend(1) {
		return schema
	}
	switch {
	case schema.Kind() == ojson.BoolKind && schema.Text() == "true":
		return ojson.Object()
	case schema.Kind() != ojson.ObjectKind:
		s.fail("no value satisfies the schema %s", schema)
		return schema
	}
	if ref := schema.Get("$ref"); ref.Kind() == ojson.StringKind {
		return s.flat(s.merged(without(schema, "$ref"), s.resolve(ref.Text())), depth, hops+1)
	}
	for _, word := range []string{"anyOf", "oneOf"} {
		if list := schema.Get(word).Items(); len(list) > 0 {
			s.chose = true
			return s.flat(s.merged(without(schema, word), alternative(list, depth)), depth, hops+1)
		}
	}
	if list := schema.Get("allOf").Items(); len(list) > 0 {
		result := without(schema, "allOf")
		for _, part := range list {
			result = s.merged(result, s.flat(part, depth, hops+1))
		}
		return s.flat(result, depth, hops+1)
	}
	return schema
}

// alternative is the first of several schemas or, beyond the depth limit, the first
// that does not nest further.
func alternative(list []ojson.Value, depth int) ojson.Value {
	if depth > enoughNesting {
		return list[max(0, slices.IndexFunc(list, func(schema ojson.Value) bool { return !leadsDeeper(schema) }))]
	}
	return list[0]
}

func leadsDeeper(schema ojson.Value) bool {
	for _, word := range []string{"$ref", "properties", "items", "anyOf", "oneOf", "allOf"} {
		if !schema.Get(word).IsAbsent() {
			return true
		}
	}
	return false
}

// unescaped decodes the names in a JSON pointer.
var unescaped = strings.NewReplacer("~1", "/", "~0", "~")

// resolve returns the schema at a reference inside the same document.
func (s *satisfier) resolve(ref string) ojson.Value {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok {
		s.fail("the reference %q leads out of it", ref)
	}
	target := s.root
	if pointer == "" {
		return target
	}
	for name := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if !s.spend(1 + len(name)/textPerStep + len(target.Members())) {
			return target
		}
		name = unescaped.Replace(name)
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(target.Items()) {
			target = target.Items()[i]
			continue
		}
		target = target.Get(name)
	}
	if target.IsAbsent() {
		s.fail("the reference %q leads nowhere", ref)
	}
	return target
}

func without(schema ojson.Value, word string) ojson.Value {
	return ojson.Object(slices.DeleteFunc(slices.Clone(schema.Members()), func(m ojson.Member) bool { return m.Name == word })...)
}

// The words of JSON Schema that bound something, from below and from above.
var (
	lowerBounds = []string{"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"}
	upperBounds = []string{"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"}
)

// merged combines two schemas that apply together, word by word: properties and
// required are united, enums are intersected, of bounds the stricter counts, and of
// other words the second.
func (s *satisfier) merged(a, b ojson.Value) ojson.Value {
	if !s.spend(mergeCost(a, b)) || b.Kind() != ojson.ObjectKind {
		return b
	}
	result := ojson.Object(slices.Clone(a.Members())...)
	for _, m := range b.Members() {
		old := result.Get(m.Name)
		switch {
		case old.IsAbsent():
			result.Set(m.Name, m.Value)
		case m.Name == "properties" && old.Kind() == ojson.ObjectKind:
			result.Set(m.Name, mergedProperties(old, m.Value))
		case m.Name == "required" && old.Kind() == ojson.ArrayKind:
			result.Set(m.Name, ojson.Array(slices.Concat(old.Items(), m.Value.Items())...))
		case m.Name == "enum" && old.Kind() == ojson.ArrayKind:
			result.Set(m.Name, common(old, m.Value))
		case slices.Contains(lowerBounds, m.Name):
			result.Set(m.Name, stricter(old, m.Value, 1))
		case slices.Contains(upperBounds, m.Name):
			result.Set(m.Name, stricter(old, m.Value, -1))
		default:
			result.Set(m.Name, m.Value)
		}
	}
	return result
}

func mergedProperties(a, b ojson.Value) ojson.Value {
	result := ojson.Object(slices.Clone(a.Members())...)
	for _, m := range b.Members() {
		if old := result.Get(m.Name); !old.IsAbsent() {
			m.Value = ojson.Object(ojson.M("allOf", ojson.Array(old, m.Value)))
		}
		result.Set(m.Name, m.Value)
	}
	return result
}

// common lists the items that are in both arrays.
func common(a, b ojson.Value) ojson.Value {
	list := ojson.Array()
	for _, v := range a.Items() {
		if slices.ContainsFunc(b.Items(), func(other ojson.Value) bool { return ojson.Same(v, other) }) {
			list.Push(v)
		}
	}
	return list
}

// stricter is the larger of two bounds; with sign -1, the smaller.
func stricter(a, b ojson.Value, sign float64) ojson.Value {
	x, _ := strconv.ParseFloat(a.Text(), 64)
	y, _ := strconv.ParseFloat(b.Text(), 64)
	if x*sign > y*sign {
		return a
	}
	return b
}
