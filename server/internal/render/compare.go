package render

import (
	"errors"
	"fmt"
	"reflect"
	"text/template"
)

// Comparisons and index read texts, too: each costs as much as it can read. They take the place
// of those of text/template, which do not tell what they cost.

var errIncompatible = errors.New("incompatible types for comparison")

func (w *work) readingFunctions() template.FuncMap {
	return template.FuncMap{
		"eq":    w.equalsAny,
		"ne":    func(a, b any) (bool, error) { return negated(w.equal(a, b)) },
		"lt":    w.less,
		"le":    func(a, b any) (bool, error) { return negated(w.less(b, a)) },
		"gt":    func(a, b any) (bool, error) { return w.less(b, a) },
		"ge":    func(a, b any) (bool, error) { return negated(w.less(a, b)) },
		"index": w.index,
	}
}

func negated(b bool, err error) (bool, error) { return !b && err == nil, err }

// equalsAny reports whether a value equals one of the others.
func (w *work) equalsAny(value any, others ...any) (bool, error) {
	if len(others) == 0 {
		return false, errors.New("missing argument for comparison")
	}
	for _, other := range others {
		if same, err := w.equal(value, other); same || err != nil {
			return same, err
		}
	}
	return false, nil
}

func (w *work) equal(a, b any) (bool, error) {
	a, b = basic(a), basic(b)
	switch {
	case a == nil || b == nil:
		return a == nil && b == nil, nil
	case reflect.TypeOf(a) != reflect.TypeOf(b):
		return false, errIncompatible
	case !reflect.TypeOf(a).Comparable():
		return false, fmt.Errorf("non-comparable type %T", a)
	}
	return a == b, w.reads(a, b)
}

func (w *work) less(a, b any) (bool, error) {
	a, b = basic(a), basic(b)
	if reflect.TypeOf(a) != reflect.TypeOf(b) {
		return false, errIncompatible
	}
	switch a := a.(type) {
	case string:
		return a < b.(string), w.reads(a, b)
	case int64:
		return a < b.(int64), nil
	case float64:
		return a < b.(float64), nil
	}
	return false, errors.New("invalid type for comparison")
}

// basic is a value as it is compared: all whole numbers have one type.
func basic(v any) any {
	if isMissing(v) {
		return nil
	}
	if r := reflect.ValueOf(v); r.CanInt() {
		return r.Int()
	}
	return v
}

// reads spends what it costs to compare two values: no more than the shorter text is read.
func (w *work) reads(a, b any) error { return w.spend(min(sizeOf(a), sizeOf(b))) }

// index is the value in a list, map or text at an index, in which the next index is looked up.
func (w *work) index(item any, indexes ...any) (any, error) {
	for _, index := range indexes {
		var err error
		if item, err = w.at(reflect.ValueOf(item), index); err != nil {
			return nil, err
		}
	}
	return item, nil
}

func (w *work) at(v reflect.Value, index any) (any, error) {
	name, isName := index.(string)
	n, isNumber := basic(index).(int64)
	switch kind := v.Kind(); {
	case kind == reflect.Map && isName:
		found := v.MapIndex(reflect.ValueOf(name))
		if !found.IsValid() {
			found = reflect.Zero(v.Type().Elem())
		}
		return found.Interface(), w.spend(len(name))
	case kind != reflect.Slice && kind != reflect.String || !isNumber:
		return nil, fmt.Errorf("cannot look up %v in this type of value", index)
	case n < 0 || n >= int64(v.Len()):
		return nil, fmt.Errorf("index out of range: %d", n)
	}
	return v.Index(int(n)).Interface(), nil
}
