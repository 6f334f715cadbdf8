package render

import (
	"reflect"
	"strconv"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// This file finds texts in all fields of a scenario by reflection, so that a new field
// needs no code here.

// ourPackage is the path of the package whose types are searched.
var ourPackage = reflect.TypeFor[scenarios.Scenario]().PkgPath()

// HasTemplate reports whether a text of a manner has a template.
func HasTemplate(m *scenarios.Manner) bool {
	found := false
	eachTemplate(m, diag.Pos{}, func(string, diag.Pos) { found = true }, nil)
	return found
}

// eachTemplate calls visit with the source and the position of each template in part, a
// pointer to a [scenarios.Manner], a [scenarios.Reply] or another part of a scenario.
// Templates are texts with actions, also those inside JSON values; the latter have the
// position of the nearest thing around them that has one, or the position at.
// Conditions and generated content have no templates; the latter is given to fake, unless that is nil.
func eachTemplate(part any, at diag.Pos, visit func(source string, at diag.Pos), fake func(*scenarios.Fake)) {
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
		case scenarios.Fake:
			if fake != nil {
				fake(&v)
			}
		}
	})
}

// deepestPart is the deepest nesting of a scenario that is searched. Scenarios are far
// shallower, as none of their types contains itself. The limit stops a search through a
// type that would.
const deepestPart = 100

// walkParts calls visit with each [scenarios.Text], [ojson.Value] and [scenarios.Fake]
// inside v, and with the position of what is around it. It does not search inside
// these, nor in conditions. Depth is the depth of v.
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
		if !v.IsZero() { // most values are zero and hold nothing
			visit(v.Interface(), at)
		}
		return
	case reflect.TypeFor[scenarios.Fake]():
		visit(v.Interface(), at)
		return
	}
	if v.IsZero() {
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

// inside lists the fields of a struct to search, and the index of the field with the
// position, or -1.
type inside struct {
	fields []int
	pos    int
}

// known caches the inside of each type: asking reflection each time took most of the
// search.
var known sync.Map

func insideOf(t reflect.Type) *inside {
	if in, ok := known.Load(t); ok {
		return in.(*inside)
	}
	in := &inside{pos: -1}
	for i := range t.NumField() {
		f := t.Field(i)
		switch kind := f.Type.Kind(); {
		case t.PkgPath() != ourPackage, t == reflect.TypeFor[scenarios.When](), t == reflect.TypeFor[scenarios.Until](), !f.IsExported():
		case f.Type == reflect.TypeFor[diag.Pos]() && f.Name == "Pos":
			in.pos = i
		case kind == reflect.Struct, kind == reflect.Pointer, kind == reflect.Slice:
			in.fields = append(in.fields, i)
		}
	}
	known.Store(t, in)
	return in
}

// ValueIsTemplate reports whether a text inside v has a template.
func ValueIsTemplate(v ojson.Value) bool {
	found := false
	eachAction(v, func(string) { found = true })
	return found
}

// eachAction calls visit with each text inside v that has a template action.
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
