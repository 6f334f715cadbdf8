package invent

import (
	"fmt"
	"slices"
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
	changes func(p place) []change
	text    func(s *satisfier, text string) string
}

var breaks = map[string]breaking{
	scenarios.BreakMissingRequired: {needs: "object that requires a member", changes: missingRequired},
	scenarios.BreakWrongType:       {needs: "value of one type alone", changes: wrongType},
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
func (s *satisfier) changed(v ojson.Value, how string, changes func(place) []change) ojson.Value {
	places := s.places(nil, s.root, v, nil)
	order := s.Perm(len(places))
	if how == scenarios.BreakWrongType && len(places) > 0 {
		order = append(slices.DeleteFunc(order, func(i int) bool { return i == 0 }), 0)
	}
	for _, i := range order {
		list := changes(places[i])
		if len(list) == 0 {
			continue
		}
		c, changed := list[s.Perm(len(list))[0]], v.Clone()
		if c.to.IsAbsent() {
			changed.Remove(c.path)
		} else {
			changed.Put(c.path, c.to)
		}
		return changed
	}
	return ojson.Value{}
}

// places adds the places of a value that was invented for a schema to the list: the value
// itself, then its parts. It leaves out what has alternatives, of which another may allow a change.
func (s *satisfier) places(list []place, schema, v ojson.Value, path ojson.Path) []place {
	s.chose = false
	schema = s.flat(schema, len(path), 0)
	if s.chose || s.err != nil {
		return list
	}
	list = append(list, place{path, schema, v})
	if len(listed(schema)) > 0 {
		return list // a change of a part would break that word, too
	}
	for _, m := range v.Members() {
		if own := schema.Get("properties").Get(m.Name).Or(schema.Get("additionalProperties")); !own.IsAbsent() {
			list = s.places(list, own, m.Value, below(path, m.Name))
		}
	}
	first, others := itemSchemas(schema)
	for i := len(first); i < len(v.Items()); i++ {
		list = s.places(list, others, v.Items()[i], slices.Concat(path, ojson.Path{{Index: i, IsIndex: true}}))
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

func below(path ojson.Path, name string) ojson.Path {
	return slices.Concat(path, ojson.Path{{Name: name}})
}

func missingRequired(p place) (list []change) {
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
func wrongType(p place) (list []change) {
	types := schemaTypes(p.schema)
	if len(types) == 0 || len(listed(p.schema)) > 0 {
		return nil
	}
	if p.schema.Get("nullable").Text() == "true" {
		types = append(types, "null")
	}
	asText := ojson.String(p.value.String())
	for _, v := range []ojson.Value{asText, ojson.Number("12.5"), ojson.Bool(true), ojson.Null(), ojson.Array(p.value), ojson.Object()} {
		if v.Kind() != p.value.Kind() && !slices.ContainsFunc(types, func(t string) bool { return hasType(v, t) }) {
			list = append(list, change{p.path, v})
		}
	}
	return list
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
