package invent

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// This file breaks invented JSON texts: as models do that call a tool with arguments which its
// schema does not allow, or whose text is no JSON.

// breaking is how a break is made: by a change of the value, or of its text.
type breaking struct {
	needs   string // needs is what the schema must have, after "it has no".
	changes func(s *satisfier, p place) []change
	text    func(s *satisfier, text string) string
}

// breaks are the breaks by the names that they have in scenarios.
var breaks = map[string]breaking{
	scenarios.BreakMissingRequired: {needs: "object that requires a member", changes: missingRequired},
	scenarios.BreakWrongType:       {needs: "value of one type alone", changes: wrongType},
	scenarios.BreakNotInEnum:       {needs: "enum with another value beside it", changes: notInEnum},
	scenarios.BreakUnknownMember:   {needs: "object with additionalProperties: false", changes: unknownMember},
	scenarios.BreakCutOff:          {needs: "value that can be told from its beginning", text: cutOff},
	scenarios.BreakNotJSON:         {text: notJSON},
	scenarios.BreakEmpty:           {text: func(*satisfier, string) string { return "" }},
}

// A place is a part of an invented value, with what its schema stands for.
type place struct {
	path          ojson.Path
	schema, value ojson.Value
}

// A change puts a value at a path; an absent value removes what is there.
type change struct {
	path ojson.Path
	to   ojson.Value
}

// broken returns the text of a value that satisfies the schema, broken in one place.
func (s *satisfier) broken(v ojson.Value, how string) (string, error) {
	b, known := breaks[how]
	if !known {
		return "", fmt.Errorf("there is no break %q; it is one of %v", how, scenarios.Breaks)
	}
	s.steps = 0 // breaking is a work of its own
	var text string
	if b.text != nil {
		text = b.text(s, v.String())
	} else if v = s.changed(v, how, b.changes); !v.IsAbsent() {
		text = v.String()
	}
	switch {
	case s.err != nil:
		return "", fmt.Errorf("cannot break the JSON schema: %w", s.err)
	case text == "" && b.needs != "":
		return "", fmt.Errorf("break: %s cannot break the JSON schema: it has no %s; change the schema, or write another break", how, b.needs)
	}
	return text, nil
}

// changed returns the value with one change that the schema refuses; absent if there is none. A
// wrong type is that of the whole value only if no part of it can have one.
func (s *satisfier) changed(v ojson.Value, how string, changes func(*satisfier, place) []change) ojson.Value {
	places := s.places(nil, s.root, v, nil)
	order := s.Perm(len(places))
	if how == scenarios.BreakWrongType {
		order = append(slices.DeleteFunc(order, func(i int) bool { return i == 0 }), 0)
	}
	for _, i := range order {
		list := changes(s, places[i])
		for _, k := range s.Perm(len(list)) {
			if !s.spend(len(places)) {
				return ojson.Value{}
			}
			changed := v.Clone()
			c := list[k]
			if c.to.IsAbsent() {
				changed.Remove(c.path)
			} else {
				changed.Put(c.path, c.to)
			}
			if !s.accepts(s.root, changed, 0) && s.err == nil {
				return changed
			}
		}
	}
	return ojson.Value{}
}

// places adds the places of a value that was invented for a schema to the list: the value
// itself, then its parts.
func (s *satisfier) places(list []place, schema, v ojson.Value, path ojson.Path) []place {
	schema = s.flat(schema, len(path), 0)
	list = append(list, place{path, schema, v})
	if len(listed(schema)) > 0 || !schema.Get("contains").IsAbsent() || s.err != nil {
		return list // a change of a part would break that word, too
	}
	for _, m := range v.Members() {
		list = s.places(list, s.memberSchema(schema, m.Name), m.Value, below(path, m.Name))
	}
	for i, item := range v.Items() {
		list = s.places(list, itemSchema(schema, i), item, slices.Concat(path, ojson.Path{{Index: i, IsIndex: true}}))
	}
	return list
}

// listed are the values that an enum or a const allows.
func listed(schema ojson.Value) []ojson.Value {
	if only := schema.Get("const"); !only.IsAbsent() {
		return []ojson.Value{only}
	}
	return schema.Get("enum").Items()
}

// below is the path of a member.
func below(path ojson.Path, name string) ojson.Path {
	return slices.Concat(path, ojson.Path{{Name: name}})
}

func missingRequired(_ *satisfier, p place) (list []change) {
	if len(p.value.Members()) <= limitOf(p.schema, "minProperties", 0) {
		return nil // it would break another word, too
	}
	for _, name := range p.schema.Get("required").Items() {
		if !p.value.Get(name.Text()).IsAbsent() {
			list = append(list, change{path: below(p.path, name.Text())})
		}
	}
	return list
}

// wrongType leaves enums alone: a value of another type would not be in them, either.
func wrongType(_ *satisfier, p place) (list []change) {
	if len(schemaTypes(p.schema)) == 0 || len(listed(p.schema)) > 0 {
		return nil
	}
	asText := ojson.String(p.value.String())
	for _, v := range []ojson.Value{asText, ojson.Number("12.5"), ojson.Bool(true), ojson.Null(), ojson.Array(p.value), ojson.Object()} {
		if v.Kind() != p.value.Kind() {
			list = append(list, change{p.path, v})
		}
	}
	return list
}

// notInEnum takes a value of the same type that is not in an enum, or not the const.
func notInEnum(s *satisfier, p place) (list []change) {
	for _, v := range s.besides(p.value, listed(p.schema)) {
		if s.allows(p.schema, v) {
			list = append(list, change{p.path, v})
		}
	}
	return list
}

// besides are values of the same type as v, which is one of the list, that are hardly in it.
func (s *satisfier) besides(v ojson.Value, list []ojson.Value) []ojson.Value {
	if len(list) == 0 {
		return nil
	}
	switch v.Kind() {
	case ojson.StringKind:
		word := s.words(1)
		return []ojson.Value{ojson.String(word), ojson.String(v.Text() + "_" + word)}
	case ojson.BoolKind:
		return []ojson.Value{ojson.Bool(v.Text() == "false")}
	case ojson.NumberKind:
		largest := 0.0
		for _, other := range list {
			if f, err := strconv.ParseFloat(other.Text(), 64); err == nil {
				largest = max(largest, f)
			}
		}
		return []ojson.Value{ojson.Number(strconv.FormatFloat(largest+1, 'f', -1, 64))}
	}
	return nil
}

func unknownMember(s *satisfier, p place) []change {
	closed := p.value.Kind() == ojson.ObjectKind && p.schema.Get("additionalProperties").Text() == "false"
	if !closed || len(p.value.Members()) >= limitOf(p.schema, "maxProperties", math.MaxInt) || !p.schema.Get("propertyNames").IsAbsent() {
		return nil
	}
	return []change{{below(p.path, s.words(1)+"_"+s.words(1)), ojson.String(s.words(1))}}
}

// cutOff returns the beginning of a text, or "" for a number, whose beginning is a number, too.
func cutOff(s *satisfier, text string) string {
	if strings.ContainsAny(text[:1], "-0123456789") {
		return ""
	}
	n := 1 + s.IntN(len(text)-1)
	for !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// notJSON returns a text as models write it that take JSON for a part of their answer.
func notJSON(s *satisfier, text string) string {
	forms := []string{"```json\n" + text + "\n```", "Here is the JSON: " + text, text + "}"}
	return forms[s.IntN(len(forms))]
}

// accepts reports whether a schema may accept a value: it looks at structure, types and enums,
// and takes it that all else fits.
func (s *satisfier) accepts(schema, v ojson.Value, depth int) bool {
	if depth > maxNesting || !s.spend(sizeOf(schema)) {
		return true
	}
	if schema.Kind() == ojson.BoolKind {
		return schema.Text() == "true"
	}
	fits := func(part ojson.Value) bool { return s.accepts(part, v, depth+1) }
	if ref := schema.Get("$ref"); ref.Kind() == ojson.StringKind && !fits(s.resolve(ref.Text())) {
		return false
	}
	for _, word := range []string{"anyOf", "oneOf"} {
		if list := schema.Get(word).Items(); len(list) > 0 && !slices.ContainsFunc(list, fits) {
			return false
		}
	}
	for _, part := range schema.Get("allOf").Items() {
		if !fits(part) {
			return false
		}
	}
	return acceptsKind(schema, v) && s.acceptsParts(schema, v, depth)
}

// acceptsKind reports whether the type, the enum and the const of a schema accept a value.
func acceptsKind(schema, v ojson.Value) bool {
	types := schemaTypes(schema)
	nullable := v.IsNull() && schema.Get("nullable").Text() == "true"
	if len(types) > 0 && !nullable && !slices.ContainsFunc(types, func(t string) bool { return hasType(v, t) }) {
		return false
	}
	list := listed(schema)
	return len(list) == 0 || slices.ContainsFunc(list, func(other ojson.Value) bool { return ojson.Same(v, other) })
}

// acceptsParts reports whether a schema accepts the members or items of a value.
func (s *satisfier) acceptsParts(schema, v ojson.Value, depth int) bool {
	if v.Kind() == ojson.ObjectKind {
		for _, name := range schema.Get("required").Items() {
			if v.Get(name.Text()).IsAbsent() {
				return false
			}
		}
	}
	for _, m := range v.Members() {
		if !s.accepts(s.memberSchema(schema, m.Name), m.Value, depth+1) {
			return false
		}
	}
	for i, item := range v.Items() {
		if !s.accepts(itemSchema(schema, i), item, depth+1) {
			return false
		}
	}
	return true
}

// itemSchema is the schema of one item of an array.
func itemSchema(schema ojson.Value, i int) ojson.Value {
	first, others := itemSchemas(schema)
	if i < len(first) {
		return first[i]
	}
	return others
}

// memberSchema is the schema of one member of an object; true if nothing describes it.
func (s *satisfier) memberSchema(schema ojson.Value, name string) ojson.Value {
	if own := schema.Get("properties").Get(name); !own.IsAbsent() {
		return own
	}
	for _, m := range schema.Get("patternProperties").Members() {
		if s.matches(m.Name, name) {
			return m.Value
		}
	}
	return schema.Get("additionalProperties").Or(ojson.Bool(true))
}
