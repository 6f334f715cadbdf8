package chat

import (
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// foldedMember is a member of the deltas of a choice, put together. Values that
// are null do not count, empty texts do.
type foldedMember struct {
	text  strings.Builder // text is a builder, since texts come in many pieces.
	value ojson.Value     // value is what was sent that is no text; or an empty text, to say that text was.
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

// json is null if nothing but null was sent, or nothing at all.
func (f *foldedMember) json() ojson.Value {
	switch {
	case f == nil || f.value.IsAbsent():
		return ojson.Null()
	case f.value.Kind() == ojson.StringKind:
		return ojson.String(f.text.String())
	}
	return f.value
}

// isEmptyText reports whether texts were sent, and none had a character.
func (f *foldedMember) isEmptyText() bool {
	return f != nil && f.value.Kind() == ojson.StringKind && f.text.Len() == 0
}

// folded is what a value became that was sent before, now that next is sent: texts
// are joined, lists follow each other, objects are put together member by member.
// Of all else the last counts, but null never takes anything away. The Python
// client puts members together that it does not know in the same way.
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

// foldedList joins lists; an entry that has the index of an earlier one goes on
// with it.
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

// keepOthers keeps in kept the members of v beside those that are known.
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
