package scenarios

import (
	"reflect"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// What has to be done with every member of a scenario is done here by reflection,
// so that a new member needs no line in this file.

// ourPackage is the path of the package whose types are looked into.
var ourPackage = reflect.TypeFor[Scenario]().PkgPath()

// HasTemplate reports whether a text of the manner depends on the request.
func (m *Manner) HasTemplate() bool {
	found := false
	EachTemplate(m, diag.Pos{}, func(string, diag.Pos) { found = true })
	return found
}

// EachTemplate calls visit with the source of each template in part, which points
// to a [Manner], a [Reply] or any other part of a scenario, and with its place.
// Templates are texts and the texts inside JSON values that hold an action; the
// latter stand at the place of the nearest thing around them that has one, or at
// the place given. Conditions and generated content have no templates.
func EachTemplate(part any, at diag.Pos, visit func(source string, at diag.Pos)) {
	walkParts(reflect.ValueOf(part), at, func(v any, at diag.Pos) {
		switch v := v.(type) {
		case Text:
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

// EachFake calls visit with all generated content in part, a pointer as for
// [EachTemplate].
func EachFake(part any, visit func(*Fake)) {
	walkParts(reflect.ValueOf(part), diag.Pos{}, func(v any, _ diag.Pos) {
		if f, ok := v.(Fake); ok {
			visit(&f)
		}
	})
}

// walkParts calls visit with each [Text], [ojson.Value] and [Fake] inside v and
// the place of what is around it. It does not look into them, nor into
// conditions.
func walkParts(v reflect.Value, at diag.Pos, visit func(v any, at diag.Pos)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			walkParts(v.Elem(), at, visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			walkParts(v.Index(i), at, visit)
		}
	case reflect.Struct:
		walkStruct(v, at, visit)
	}
}

func walkStruct(v reflect.Value, at diag.Pos, visit func(v any, at diag.Pos)) {
	switch v.Type() {
	case reflect.TypeFor[Text](), reflect.TypeFor[ojson.Value](), reflect.TypeFor[Fake]():
		visit(v.Interface(), at)
		return
	case reflect.TypeFor[When]():
		return
	}
	if v.Type().PkgPath() != ourPackage {
		return
	}
	if field := v.FieldByName("Pos"); field.IsValid() {
		if own, ok := field.Interface().(diag.Pos); ok && own.Line > 0 {
			at = own
		}
	}
	for i := range v.NumField() {
		if v.Type().Field(i).IsExported() {
			walkParts(v.Field(i), at, visit)
		}
	}
}

// Clone is a deep copy of a scenario, so that what is done to one does not reach
// the other. JSON values and compiled regular expressions, which are never
// changed, stay shared.
func Clone(s *Scenario) *Scenario {
	var c Scenario
	copyValue(reflect.ValueOf(&c).Elem(), reflect.ValueOf(s).Elem())
	return &c
}

// copyValue copies a value and all that it points to.
func copyValue(to, from reflect.Value) {
	to.Set(from)
	switch from.Kind() {
	case reflect.Struct:
		if from.Type().PkgPath() != ourPackage {
			return
		}
		for i := range from.NumField() {
			if from.Type().Field(i).IsExported() {
				copyValue(to.Field(i), from.Field(i))
			}
		}
	case reflect.Pointer:
		if from.IsNil() || from.Type().Elem().PkgPath() == "regexp" {
			return
		}
		to.Set(reflect.New(from.Type().Elem()))
		copyValue(to.Elem(), from.Elem())
	case reflect.Slice:
		if from.IsNil() {
			return
		}
		to.Set(reflect.MakeSlice(from.Type(), from.Len(), from.Len()))
		for i := range from.Len() {
			copyValue(to.Index(i), from.Index(i))
		}
	}
}

// overlayFields is base with those fields of over that are not zero.
func overlayFields[T any](base, over T) T {
	to, from := reflect.ValueOf(&base).Elem(), reflect.ValueOf(over)
	for i := range from.NumField() {
		if !from.Field(i).IsZero() {
			to.Field(i).Set(from.Field(i))
		}
	}
	return base
}
