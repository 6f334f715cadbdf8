package hosted

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Problem is a mistake in an item. In is the member that has it; "" is the item itself.
type Problem struct{ In, Message, Hint string }

// Check finds the mistakes in an item as the author wrote it.
func Check(members ojson.Value) []Problem {
	name := members.Get("type").Text()
	if strings.Contains(name, "{{") {
		return []Problem{{"type", "the type of an item cannot be a template: it decides which events are sent", "write a reply for each type"}}
	}
	t := Named(name)
	if t.Step != "" {
		return []Problem{{"type", "an item of the type " + name + " is written as " + t.Step, "write " + t.Step + ": { name: … } in place of item"}}
	}
	if t.literal {
		if near := diag.Nearest(name, names()); near != "" {
			return []Problem{{"type", fmt.Sprintf("unknown item type %q", name), fmt.Sprintf("did you mean %q?", near)}}
		}
		return t.checkID(members)
	}
	list := append(t.checkID(members), t.checkStatus(members)...)
	return append(list, check(t.Members, members, name, "item", common)...)
}

func names() (list []string) {
	for i := range types {
		list = append(list, types[i].Name)
	}
	slices.Sort(list)
	return list
}

func (t *Type) checkID(members ojson.Value) []Problem {
	if id := members.Get("id"); !id.IsAbsent() && id.Kind() != ojson.StringKind {
		return []Problem{{"id", "the id of an item is a text, not " + id.TypeInWords(), setInstead("item.id", id)}}
	}
	return nil
}

func (t *Type) checkStatus(members ojson.Value) []Problem {
	status := members.Get("status")
	switch {
	case status.IsAbsent():
		return nil
	case t.Statuses == nil && t.has("error"):
		return []Problem{{"status", t.Name + " has no status", "write error: … for one that failed"}}
	case t.Statuses == nil:
		return []Problem{{"status", t.Name + " has no status", "leave it out; " + setInstead("item.status", status)}}
	case status.Kind() != ojson.StringKind || status.Text() != completed && !slices.Contains(t.Statuses, status.Text()):
		known := slices.Concat([]string{completed}, t.Statuses)
		return []Problem{{"status", fmt.Sprintf("%s does not end with the status %s", t.Name, status), "it is one of " + strings.Join(known, ", ") + "; " + setInstead("item.status", status)}}
	}
	return nil
}

// setInstead returns the hint for a value that the service never sends.
func setInstead(path string, v ojson.Value) string {
	return fmt.Sprintf("to send it all the same, write set: { %s: %s } beside item", path, diag.Shorten(v.String()))
}

// check finds the mistakes in the members of an item, or of an object in it. What names the
// object in messages, path is its path in an event, and more are members that it can have
// beside the known ones.
func check(known []Member, written ojson.Value, what, path string, more []string) (list []Problem) {
	names := slices.Clone(more)
	for i := range known {
		names = append(names, known[i].Name)
		list = append(list, known[i].check(written.Get(known[i].Name), what, path)...)
	}
	for _, m := range written.Members() {
		if near := diag.Nearest(m.Name, names); near != "" && !slices.Contains(names, m.Name) {
			list = append(list, Problem{m.Name, fmt.Sprintf("unknown member %q in %s", m.Name, what), fmt.Sprintf("did you mean %q?", near)})
		}
	}
	return list
}

func (m *Member) check(v ojson.Value, what, path string) (list []Problem) {
	switch {
	case v.IsAbsent() && m.Needed:
		return []Problem{{"", fmt.Sprintf("%s needs %s", what, m.Name), fmt.Sprintf("add %s; to send an item without it, also write omit: [%s.%s] beside item", m.Name, path, m.Name)}}
	case v.IsAbsent():
	case m.Instead != "":
		return []Problem{{m.Name, fmt.Sprintf("the steps after it say the %s of %s", m.Name, what), m.Instead}}
	case !m.Is.has(v.Kind()):
		return []Problem{{m.Name, fmt.Sprintf("in %s, %s is %s, not %s", what, m.Name, m.Is.inWords(), v.TypeInWords()), setInstead(path+"."+m.Name, v)}}
	case m.Each != Any && v.Kind() == ojson.ArrayKind:
		for i, one := range v.Items() {
			if !m.Each.has(one.Kind()) {
				list = append(list, Problem{m.Name, fmt.Sprintf("in %s, %s[%d] is %s, not %s", what, m.Name, i, m.Each.inWords(), one.TypeInWords()), setInstead(path+"."+m.Name, v)})
			}
		}
	case m.Inside != nil && v.Kind() == ojson.ObjectKind:
		for _, p := range check(m.Inside, v, what+"."+m.Name, path+"."+m.Name, nil) {
			p.In = m.Name
			list = append(list, p)
		}
	}
	return list
}

// kindsInWords are the kinds of values with nouns for messages.
var kindsInWords = []struct {
	is   Kinds
	kind ojson.Kind
	noun string
}{
	{Text, ojson.StringKind, "a text"},
	{JSONText, ojson.StringKind, "JSON text"},
	{JSONText, ojson.ObjectKind, "an object"},
	{Number, ojson.NumberKind, "a number"},
	{List, ojson.ArrayKind, "a list"},
	{Object, ojson.ObjectKind, "an object"},
	{Bool, ojson.BoolKind, "a boolean"},
	{Null, ojson.NullKind, "null"},
}

func (k Kinds) has(kind ojson.Kind) bool {
	for _, known := range kindsInWords {
		if k&known.is != 0 && known.kind == kind {
			return true
		}
	}
	return k == Any
}

func (k Kinds) inWords() string {
	var nouns []string
	for _, known := range kindsInWords {
		if k&known.is != 0 {
			nouns = append(nouns, known.noun)
		}
	}
	return strings.Join(nouns, " or ")
}
