package scenarios

import "reflect"

// What has to be done with every member of a scenario is done here by reflection,
// so that a new member needs no line in this file.

// ourPackage is the path of the package whose types are looked into.
var ourPackage = reflect.TypeFor[Scenario]().PkgPath()

// Clone is a deep copy of s, so that what is done to one does not reach the
// other. JSON values and compiled regular expressions, which are never changed,
// stay shared.
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
