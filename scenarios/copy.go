package scenarios

import (
	"maps"
	"reflect"
)

// Copies and overlays are made by reflection, so that a new field of a scenario needs
// no line in this file.

// ourPackage is the path of the package whose struct types are copied field by field.
var ourPackage = reflect.TypeFor[Scenario]().PkgPath()

// Clone returns a deep copy of s. The two share only JSON values and compiled regular
// expressions, which are immutable.
func (s *Scenario) Clone() *Scenario {
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
			if field := to.Field(i); field.CanSet() && !field.IsZero() { // it can be set if it is exported
				copyValue(field, from.Field(i))
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

// overlayFields returns base with the fields of over that are not zero. Places are those of
// both.
func overlayFields[T any](base, over T) T {
	to, from := reflect.ValueOf(&base).Elem(), reflect.ValueOf(over)
	for i := range from.NumField() {
		places, ok := reflect.TypeAssert[Places](from.Field(i))
		switch {
		case from.Field(i).IsZero():
		case ok:
			both := maps.Clone(to.Field(i).Interface().(Places))
			if both == nil {
				both = Places{}
			}
			maps.Copy(both, places)
			to.Field(i).Set(reflect.ValueOf(both))
		default:
			to.Field(i).Set(from.Field(i))
		}
	}
	return base
}
