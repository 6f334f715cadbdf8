package recording

import (
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
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

// ofAnswer is a path to a member of the response in the form for set and omit of the
// envelope: without the leading response, unless events have a member of this name, too.
func ofAnswer(p ojson.Path, event ojson.Value) ojson.Path {
	name := p[1].Name
	if event.Get("response").Get(name).IsAbsent() || slices.Contains([]string{"text", "error", "conversation", "system_fingerprint"}, name) {
		return p
	}
	return p[1:]
}

// addEdit adds an edit, and reports false if there is one of this path already.
func addEdit(omit *[]scenarios.Path, set *[]scenarios.Assignment, p ojson.Path, v ojson.Value) bool {
	same := func(other scenarios.Path) bool { return other.String() == p.String() }
	if slices.ContainsFunc(*set, func(a scenarios.Assignment) bool { return same(a.Path) }) || slices.ContainsFunc(*omit, same) {
		return false
	}
	if v.IsAbsent() {
		*omit = append(slices.Clip(*omit), scenarios.Path{Path: p})
	} else {
		*set = append(slices.Clip(*set), scenarios.Assignment{Path: scenarios.Path{Path: p}, Value: v})
	}
	return true
}

// behindType is a path that applies only to events of one type, with the type as prefix.
func behindType(kind string, p ojson.Path) ojson.Path {
	var long ojson.Path
	for word := range strings.SplitSeq(kind, ".") {
		long = append(long, ojson.PathElement{Name: word})
	}
	return append(long, p...)
}

// inChoice is a path into a chunk in the form for set and omit: a path into the choice
// has no leading choices[0].
func inChoice(p ojson.Path) ojson.Path {
	if len(p) > 2 && p[0].Name == "choices" && slices.Contains([]string{"delta", "finish_reason", "logprobs"}, p[2].Name) {
		return p[2:]
	}
	return p
}

// ofWholeMember widens an edit inside a member of the response that repeats the request to the
// whole member, because its contents depend on the request.
func ofWholeMember(e edit, want ojson.Value) edit {
	if len(e.Path) > 2 && e.Path[0].Name == "response" && e.Path[1].Name != "output" && e.Path[1].Name != "usage" {
		p := e.Path[:2:2]
		return edit{Path: p, Value: want.Find(p)}
	}
	return e
}
