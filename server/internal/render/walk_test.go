package render

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Walk finds every text and JSON value of a scenario. If it missed one, the text rendered for
// one client could be sent to the next.
func TestEveryTextOfAMannerCanMakeItATemplate(t *testing.T) {
	t.Parallel()
	if plain := (scenarios.Manner{}); HasTemplate(&plain) {
		t.Error("a manner that says nothing has a template")
	}
	var names []string
	eachPlace(reflect.TypeFor[scenarios.Manner](), "Manner", nil, func(name string, set func(root reflect.Value, v any), kind reflect.Type) {
		names = append(names, name)
		for source, want := range map[string]bool{"plain": false, "a {{ .model }}": true} {
			value := any(scenarios.Text{Source: source})
			if kind == reflect.TypeFor[ojson.Value]() {
				value = ojson.Object(ojson.M("a", ojson.Array(ojson.Null(), ojson.String(source))))
			}
			var m scenarios.Manner
			set(reflect.ValueOf(&m).Elem(), value)
			if got := HasTemplate(&m); got != want {
				t.Errorf("%q in %s: HasTemplate is %v, want %v", source, name, got, want)
			}
		}
	})
	for _, name := range []string{"Manner.Envelope.Extra", "Manner.Wire.Headers[0].Value", "Manner.Wire.OnShutdown[0].Event.Data.Value"} {
		if !slices.Contains(names, name) {
			t.Errorf("%s was not tried; tried were %q", name, names)
		}
	}
}

// eachPlace calls found for each field of a type that can have a text or a JSON value. The
// function that it passes sets that field, and creates the values around it.
func eachPlace(at reflect.Type, name string, way []func(reflect.Value) reflect.Value, found func(string, func(reflect.Value, any), reflect.Type)) {
	step := func(next reflect.Type, suffix string, then func(reflect.Value) reflect.Value) {
		eachPlace(next, name+suffix, append(slices.Clone(way), then), found)
	}
	switch {
	case at == reflect.TypeFor[scenarios.Text](), at == reflect.TypeFor[ojson.Value]():
		found(name, func(root reflect.Value, v any) {
			for _, next := range way {
				root = next(root)
			}
			root.Set(reflect.ValueOf(v))
		}, at)
	case at == reflect.TypeFor[scenarios.Fake](), at == reflect.TypeFor[scenarios.Until](): // their texts are not templates
	case at.Kind() == reflect.Pointer:
		step(at.Elem(), "", func(v reflect.Value) reflect.Value {
			v.Set(reflect.New(at.Elem()))
			return v.Elem()
		})
	case at.Kind() == reflect.Slice:
		step(at.Elem(), "[0]", func(v reflect.Value) reflect.Value {
			v.Set(reflect.MakeSlice(at, 1, 1))
			return v.Index(0)
		})
	case at.Kind() == reflect.Struct:
		for i := range at.NumField() {
			if f := at.Field(i); f.IsExported() {
				step(f.Type, "."+f.Name, func(v reflect.Value) reflect.Value { return v.Field(i) })
			}
		}
	}
}

func TestTemplatesHaveTheNearestPlace(t *testing.T) {
	t.Parallel()
	at := func(line int) diag.Pos { return diag.Pos{File: "a.yaml", Line: line, Col: 1} }
	reply := scenarios.Reply{
		When: scenarios.When{Body: []scenarios.BodyMatch{{Equals: new(ojson.String("{{ a condition }}"))}}},
		Stream: &[]scenarios.Step{
			{Content: scenarios.Some(scenarios.Text{Source: "{{ 1 }}", Pos: at(3)}), Pos: at(2)},
			{Delta: new(ojson.Array(ojson.String("{{ 2 }}"))), Pos: at(4)},
			{Raw: &scenarios.Text{Source: "{{ no template }}", Literal: true}},
			{Fake: &scenarios.Fake{Template: "{{ generated }}"}},
		},
		Manner: scenarios.Manner{Envelope: scenarios.Envelope{Extra: ojson.Object(ojson.M("x", ojson.String("{{ 3 }}")))}},
	}
	got := map[string]int{}
	var fakes []string
	eachTemplate(&reply, at(1), func(source string, at diag.Pos) { got[source] = at.Line }, func(f *scenarios.Fake) { fakes = append(fakes, f.Template) })
	if want := map[string]int{"{{ 1 }}": 3, "{{ 2 }}": 4, "{{ 3 }}": 1}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if len(fakes) != 1 || fakes[0] != "{{ generated }}" {
		t.Errorf("generated content: %q", fakes)
	}
}

// A scenario made in Go can contain itself. Walk then fails at once, with the reason.
func TestAPartThatContainsItselfFailsAtOnce(t *testing.T) {
	t.Parallel()
	defer func() {
		if failure := fmt.Sprint(recover()); !strings.Contains(failure, "does it contain itself?") {
			t.Errorf("got %s", failure)
		}
	}()
	m := &scenarios.Message{Choices: make([]scenarios.Message, 1)}
	m.Choices[0] = *m
	Check(&scenarios.Scenario{Replies: []scenarios.Reply{{Message: m}}})
}
