package table

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

// goField is a field of a struct in Go. The zero goField is none.
type goField struct {
	Index []int
	Type  reflect.Type
}

// fieldNamed returns the exported field of a struct, or of a struct embedded in it, that has
// the name of a key, such as final_blank or FinalBlank; Text.By is in the field Text. It
// panics if there is none.
func fieldNamed(t reflect.Type, name string) goField {
	in := goField{Type: t}
	for part := range strings.SplitSeq(name, ".") {
		word := strings.ReplaceAll(part, "_", "")
		f, found := in.Type.FieldByNameFunc(func(s string) bool { return strings.EqualFold(s, word) })
		if !found || !f.IsExported() {
			panic(fmt.Sprintf("%s has no field %s for a key", t, name))
		}
		in = goField{append(in.Index, f.Index...), f.Type}
	}
	return in
}

// of returns the field of the struct that section points to.
func (f goField) of(section any) reflect.Value {
	return reflect.ValueOf(section).Elem().FieldByIndex(f.Index)
}

// fieldOf returns the field of a struct that has a name and the type T, or none.
func fieldOf[T any](t reflect.Type, name string) goField {
	if t.Kind() != reflect.Struct {
		return goField{}
	}
	if f, found := t.FieldByName(name); found && f.Type == reflect.TypeFor[T]() {
		return goField{f.Index, f.Type}
	}
	return goField{}
}

// setField sets a field, if there is one, of the struct that section points to.
func setField[T any](f goField, section any, value T) {
	if f.Index != nil {
		*f.of(section).Addr().Interface().(*T) = value
	}
}

// IsZeroButPosition reports whether v, or what v points to, is zero apart from the
// positions in it.
func IsZeroButPosition(v any) bool { return zeroButPosition(reflect.Indirect(reflect.ValueOf(v))) }

func zeroButPosition(v reflect.Value) bool {
	if v.Kind() != reflect.Struct || v.IsZero() {
		return v.IsZero()
	}
	for _, f := range v.Fields() {
		isPlace := f.Type() == reflect.TypeFor[diag.Pos]() || f.Type() == reflect.TypeFor[scenarios.Places]()
		if !isPlace && !zeroButPosition(f) {
			return false
		}
	}
	return true
}
