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
	c := new(*s)
	copyInside(reflect.ValueOf(c).Elem())
	return c
}

// copyInside replaces all that a value points to by copies.
func copyInside(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		if v.Type().PkgPath() != ourPackage {
			return
		}
		for i := range v.NumField() { //nolint:modernize // Fields allocates for each field.
			if field := v.Field(i); field.CanSet() { // it can be set if it is exported
				copyInside(field)
			}
		}
	case reflect.Pointer:
		if v.IsNil() || v.Type().Elem().PkgPath() == "regexp" {
			return
		}
		to := reflect.New(v.Type().Elem())
		to.Elem().Set(v.Elem())
		v.Set(to)
		copyInside(to.Elem())
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		to := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(to, v)
		v.Set(to)
		for i := range v.Len() {
			copyInside(v.Index(i))
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
