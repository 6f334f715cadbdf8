package render

import (
	"reflect"
	"strconv"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// What has to be found in every member of a scenario is found here by reflection,
// so that a new member needs no line in this file.

// ourPackage is the path of the package whose types are looked into.
var ourPackage = reflect.TypeFor[scenarios.Scenario]().PkgPath()

// HasTemplate reports whether a text of a manner depends on the request.
func HasTemplate(m *scenarios.Manner) bool {
	found := false
	eachTemplate(m, diag.Pos{}, func(string, diag.Pos) { found = true })
	return found
}

// eachTemplate calls visit with the source of each template in part, which
// points to a [scenarios.Manner], a [scenarios.Reply] or any other part of a
// scenario, and with its place. Templates are texts and the texts inside JSON
// values that hold an action; the latter stand at the place of the nearest
// thing around them that has one, or at the place given. Conditions and
// generated content have no templates.
func eachTemplate(part any, at diag.Pos, visit func(source string, at diag.Pos)) {
	walkParts(reflect.ValueOf(part), 0, at, func(v any, at diag.Pos) {
		switch v := v.(type) {
		case scenarios.Text:
			if v.Pos.Line > 0 {
				at = v.Pos
			}
			if v.IsTemplate() {
				visit(v.Source, at)
			}
		case ojson.Value:
			eachAction(v, func(source string) { visit(source, at) })
		}
	})
}

// eachFake calls visit with all generated content in part, a pointer as for
// [eachTemplate].
func eachFake(part any, visit func(*scenarios.Fake)) {
	walkParts(reflect.ValueOf(part), 0, diag.Pos{}, func(v any, _ diag.Pos) {
		if f, ok := v.(scenarios.Fake); ok {
			visit(&f)
		}
	})
}

// deepestPart is how many values lie inside each other in a scenario at most. No
// type of the language contains itself, so there are far fewer; what is deeper is a
// type that does, and would be walked without end.
const deepestPart = 100

// walkParts calls visit with each [scenarios.Text], [ojson.Value] and
// [scenarios.Fake] inside v and the place of what is around it. It does not
// look into them, nor into conditions. Depth is how deep v lies in the part.
func walkParts(v reflect.Value, depth int, at diag.Pos, visit func(v any, at diag.Pos)) {
	if depth++; depth > deepestPart {
		panic("render: a part of a scenario lies more than " + strconv.Itoa(deepestPart) + " values deep: does it contain itself?")
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			walkParts(v.Elem(), depth, at, visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			walkParts(v.Index(i), depth, at, visit)
		}
	case reflect.Struct:
		walkStruct(v, depth, at, visit)
	}
}

func walkStruct(v reflect.Value, depth int, at diag.Pos, visit func(v any, at diag.Pos)) {
	switch v.Type() {
	case reflect.TypeFor[scenarios.Text](), reflect.TypeFor[ojson.Value]():
		if !v.IsZero() { // as most are, and nothing is in them
			visit(v.Interface(), at)
		}
		return
	case reflect.TypeFor[scenarios.Fake]():
		visit(v.Interface(), at)
		return
	}
	in := insideOf(v.Type())
	if in.pos >= 0 {
		if own, ok := reflect.TypeAssert[diag.Pos](v.Field(in.pos)); ok && own.Line > 0 {
			at = own
		}
	}
	for _, i := range in.fields {
		walkParts(v.Field(i), depth, at, visit)
	}
}

// inside is where in a struct something can be: the fields to look into, and the field
// with the place, or -1.
type inside struct {
	fields []int
	pos    int
}

// known has the inside of each type that was looked into: to ask reflection for it again
// took most of the time.
var known sync.Map

func insideOf(t reflect.Type) *inside {
	if in, ok := known.Load(t); ok {
		return in.(*inside)
	}
	in := &inside{pos: -1}
	for i := range t.NumField() {
		f := t.Field(i)
		switch kind := f.Type.Kind(); {
		case t.PkgPath() != ourPackage, t == reflect.TypeFor[scenarios.When](), !f.IsExported():
		case f.Type == reflect.TypeFor[diag.Pos]() && f.Name == "Pos":
			in.pos = i
		case kind == reflect.Struct, kind == reflect.Pointer, kind == reflect.Slice:
			in.fields = append(in.fields, i)
		}
	}
	known.Store(t, in)
	return in
}

// ValueIsTemplate reports whether a text inside v depends on the request.
func ValueIsTemplate(v ojson.Value) bool {
	found := false
	eachAction(v, func(string) { found = true })
	return found
}

// eachAction calls visit with each text inside v that holds a template action.
func eachAction(v ojson.Value, visit func(source string)) {
	if v.Kind() == ojson.StringKind && (scenarios.Text{Source: v.Text()}).IsTemplate() {
		visit(v.Text())
	}
	for _, item := range v.Items() {
		eachAction(item, visit)
	}
	for _, m := range v.Members() {
		eachAction(m.Value, visit)
	}
}
