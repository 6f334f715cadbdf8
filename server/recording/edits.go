package recording

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// edit changes the value at a path: it sets the value, or removes it if Value is absent.
type edit struct {
	Path  ojson.Path
	Value ojson.Value
}

// editsBetween are the edits that turn one JSON value into another, even in the order of its
// members. It is not ok if none do, for example because the members of the outermost
// object have another order.
func editsBetween(from, to ojson.Value) (list []edit, ok bool) {
	if ojson.Equal(from, to) {
		return nil, true
	}
	if from.Kind() != ojson.ObjectKind || to.Kind() != ojson.ObjectKind {
		return nil, false
	}
	for _, m := range from.Members() {
		if to.Get(m.Name).IsAbsent() {
			list = append(list, edit{Path: ojson.Path{{Name: m.Name}}})
		}
	}
	for _, m := range to.Members() {
		list = append(list, within(ojson.PathElement{Name: m.Name}, from.Get(m.Name), m.Value)...)
	}
	edited := from.Clone()
	for _, e := range list {
		if e.Value.IsAbsent() {
			edited.Remove(e.Path)
		} else {
			edited.Put(e.Path, e.Value)
		}
	}
	return list, ojson.Equal(edited, to)
}

// within are the edits of a value inside another one: of its parts or, if these do not
// suffice, of the whole value.
func within(at ojson.PathElement, from, to ojson.Value) (list []edit) {
	if ojson.Equal(from, to) {
		return nil
	}
	inner, ok := editsBetween(from, to)
	if items := to.Items(); from.Kind() == ojson.ArrayKind && len(items) == len(from.Items()) {
		ok = true
		for i, item := range from.Items() {
			inner = append(inner, within(ojson.PathElement{Index: i, IsIndex: true}, item, items[i])...)
		}
	}
	if !ok || len(inner) == 0 {
		return []edit{{Path: ojson.Path{at}, Value: to}}
	}
	for i := range inner {
		inner[i].Path = slices.Insert(slices.Clone(inner[i].Path), 0, at)
	}
	return inner
}
