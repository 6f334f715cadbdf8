package chat

import (
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// foldedMember accumulates one member of a choice's deltas. Null adds nothing; an empty
// text makes the member a text.
type foldedMember struct {
	text  strings.Builder // text is a builder because texts come in many pieces.
	value ojson.Value     // value is what was sent and is not a text; or an empty text, if a text was sent.
}

func (f *foldedMember) add(v ojson.Value) {
	if v.Kind() != ojson.StringKind {
		f.value = folded(f.json(), v)
		if f.value.Kind() != ojson.StringKind {
			f.text.Reset()
		} else {
			f.value = ojson.String("")
		}
		return
	}
	f.value = ojson.String("")
	f.text.WriteString(v.Text())
}

// json is the accumulated value; null if nothing but null was sent.
func (f *foldedMember) json() ojson.Value {
	switch {
	case f == nil || f.value.IsAbsent():
		return ojson.Null()
	case f.value.Kind() == ojson.StringKind:
		return ojson.String(f.text.String())
	}
	return f.value
}

// isEmptyText reports whether texts were sent, all of them empty.
func (f *foldedMember) isEmptyText() bool {
	return f != nil && f.value.Kind() == ojson.StringKind && f.text.Len() == 0
}

// folded combines an earlier value with the next: it joins texts and lists, and
// combines objects member by member. Of anything else the last value stays, but null
// replaces nothing. The Python client does the same with members that it does not know.
func folded(old, next ojson.Value) ojson.Value {
	switch {
	case old.IsNullOrAbsent():
		return next
	case next.IsNull():
		return old
	case old.Kind() != next.Kind():
		return next
	}
	switch next.Kind() {
	case ojson.StringKind:
		return ojson.String(old.Text() + next.Text())
	case ojson.ArrayKind:
		return foldedList(old, next)
	case ojson.ObjectKind:
		return foldedObject(old, next)
	}
	return next
}

func foldedObject(old, next ojson.Value) ojson.Value {
	old = old.Clone()
	for _, m := range next.Members() {
		switch m.Name {
		case "index", "type", "id":
			old.Set(m.Name, m.Value)
		default:
			old.Set(m.Name, folded(old.Get(m.Name), m.Value))
		}
	}
	return old
}

// foldedList joins lists. An entry with the index of an earlier one continues that
// entry.
func foldedList(old, next ojson.Value) ojson.Value {
	list := slices.Clone(old.Items())
	for _, item := range next.Items() {
		index := item.Get("index")
		at := slices.IndexFunc(list, func(v ojson.Value) bool { return !index.IsAbsent() && ojson.Equal(v.Get("index"), index) })
		if at < 0 {
			list = append(list, item)
			continue
		}
		list[at] = folded(list[at], item)
	}
	return ojson.Array(list...)
}

// keepOthers copies the members of v into kept, except the known ones.
func keepOthers(kept *ojson.Value, v ojson.Value, known ...string) {
	for _, m := range v.Members() {
		if slices.Contains(known, m.Name) {
			continue
		}
		if kept.IsAbsent() {
			*kept = ojson.Object()
		}
		kept.Set(m.Name, folded(kept.Get(m.Name), m.Value))
	}
}
