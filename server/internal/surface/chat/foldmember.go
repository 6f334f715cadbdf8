package chat

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// folded is the value of a member that comes in pieces: it joins texts and lists, and combines
// objects member by member. Of anything else the last value stays, but null replaces nothing. The
// Python client does the same with members that it does not know. The zero value has no piece yet.
type folded struct {
	options *surface.Options
	kind    ojson.Kind
	text    surface.Text
	value   ojson.Value // value is what is no text, list or object.
	names   []string    // names are those of the members of an object, in order.
	members map[string]*folded
	items   []*folded
}

// saidOnce are members of which the first value that is not empty stays.
var saidOnce = []string{"role", "id", "type", "name"}

func (f *folded) add(v ojson.Value) {
	kind := v.Kind()
	if _, open := hole.In(v); open {
		kind = ojson.StringKind
	}
	switch {
	case v.IsNull() && f.kind != ojson.Absent:
		return
	case kind != f.kind:
		*f = folded{options: f.options, kind: kind}
	}
	switch kind {
	case ojson.StringKind:
		f.text.Add(v, 0)
	case ojson.ArrayKind:
		for _, item := range v.Items() {
			f.item(item).add(item)
		}
	case ojson.ObjectKind:
		for _, m := range v.Members() {
			f.addMember(m)
		}
	default:
		f.value = v
	}
}

func (f *folded) addMember(m ojson.Member) {
	f.kind = ojson.ObjectKind
	known := f.members[m.Name]
	switch {
	case known == nil:
		if f.members == nil {
			f.members = map[string]*folded{}
		}
		known = &folded{options: f.options}
		f.members[m.Name] = known
		f.names = append(f.names, m.Name)
	case slices.Contains(saidOnce, m.Name) && !empty(known.json()):
		return
	}
	known.add(m.Value)
}

// item returns what an item is added to: the item with its index or, if there is none, a new one.
func (f *folded) item(item ojson.Value) *folded {
	index := item.Get("index")
	for _, old := range f.items {
		if !index.IsAbsent() && ojson.Equal(old.get("index"), index) {
			return old
		}
	}
	added := &folded{options: f.options}
	f.items = append(f.items, added)
	return added
}

// get returns a member; Absent if there is none.
func (f *folded) get(name string) ojson.Value { return f.members[name].json() }

// json is the value; Absent if there was no piece.
func (f *folded) json() ojson.Value {
	if f == nil {
		return ojson.Value{}
	}
	switch f.kind {
	case ojson.StringKind:
		return f.text.Value(f.options)
	case ojson.ArrayKind:
		list := make([]ojson.Value, len(f.items))
		for i, item := range f.items {
			list[i] = item.json()
		}
		return ojson.Array(list...)
	case ojson.ObjectKind:
		list := make([]ojson.Member, len(f.names))
		for i, name := range f.names {
			list[i] = ojson.M(name, f.get(name))
		}
		return ojson.Object(list...)
	}
	return f.value
}

// empty reports whether a value says nothing.
func empty(v ojson.Value) bool {
	return v.IsNullOrAbsent() || v.Text() == "" || v.Text() == "0"
}
