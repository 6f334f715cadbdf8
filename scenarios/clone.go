package scenarios

import "reflect"

// clone is a deep copy of a scenario, so that a set can keep compiled templates
// in it and nobody else's changes reach it. JSON values and compiled regular
// expressions, which are never changed, stay shared.
func clone(s *Scenario) *Scenario {
	var c Scenario
	copyInto(reflect.ValueOf(&c).Elem(), reflect.ValueOf(s).Elem())
	return &c
}

// ourPackage is where the types live that clone looks into.
var ourPackage = reflect.TypeFor[Scenario]().PkgPath()

func copyInto(to, from reflect.Value) {
	to.Set(from)
	switch from.Kind() {
	case reflect.Struct:
		if from.Type().PkgPath() != ourPackage {
			return
		}
		for i := range from.NumField() {
			if from.Type().Field(i).IsExported() {
				copyInto(to.Field(i), from.Field(i))
			}
		}
	case reflect.Pointer:
		if from.IsNil() || from.Type().Elem().PkgPath() == "regexp" {
			return
		}
		to.Set(reflect.New(from.Type().Elem()))
		copyInto(to.Elem(), from.Elem())
	case reflect.Slice:
		if from.IsNil() {
			return
		}
		to.Set(reflect.MakeSlice(from.Type(), from.Len(), from.Len()))
		for i := range from.Len() {
			copyInto(to.Index(i), from.Index(i))
		}
	}
}
