package responses

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// ItemProblem is a mistake in an item. In is the member that has it; "" is the item itself.
type ItemProblem struct{ In, Message, Hint string }

// ItemProblems finds the mistakes in an item as the author wrote it.
func ItemProblems(members ojson.Value) []ItemProblem {
	name := members.Get("type").Text()
	if strings.Contains(name, "{{") {
		return []ItemProblem{{"type", "the type of an item cannot be a template: it decides which events are sent", "write a reply for each type"}}
	}
	t := ItemNamed(name)
	if t.Step != "" {
		return []ItemProblem{{"type", "an item of the type " + name + " is written as " + t.Step, "write " + t.Step + " in place of item"}}
	}
	if t.literal {
		if near := diag.Nearest(name, names()); near != "" {
			return []ItemProblem{{"type", fmt.Sprintf("unknown item type %q", name), fmt.Sprintf("did you mean %q?", near)}}
		}
		return t.checkID(members)
	}
	list := append(t.checkID(members), t.checkStatus(members)...)
	return append(list, check(t.Members, members, name, "item", commonMembers)...)
}

func names() (list []string) {
	for i := range itemTypes {
		list = append(list, itemTypes[i].Name)
	}
	slices.Sort(list)
	return list
}

func (t *ItemType) checkID(members ojson.Value) []ItemProblem {
	if id := members.Get("id"); !id.IsAbsent() && id.Kind() != ojson.StringKind {
		return []ItemProblem{{"id", "the id of an item is a text, not " + id.TypeInWords(), setInstead("item.id", id)}}
	}
	return nil
}

func (t *ItemType) checkStatus(members ojson.Value) []ItemProblem {
	status := members.Get("status")
	switch {
	case status.IsAbsent():
		return nil
	case t.Statuses == nil && t.has("error"):
		return []ItemProblem{{"status", t.Name + " has no status", "one that failed has an error in place of it"}}
	case t.Statuses == nil:
		return []ItemProblem{{"status", t.Name + " has no status", "leave it out; " + setInstead("item.status", status)}}
	case status.Kind() != ojson.StringKind || status.Text() != statusCompleted && !slices.Contains(t.Statuses, status.Text()):
		known := slices.Concat([]string{statusCompleted}, t.Statuses)
		return []ItemProblem{{"status", fmt.Sprintf("%s does not end with the status %s", t.Name, status), "it is one of " + strings.Join(known, ", ") + "; " + setInstead("item.status", status)}}
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
func check(known []ItemMember, written ojson.Value, what, path string, more []string) (list []ItemProblem) {
	names := slices.Clone(more)
	for i := range known {
		names = append(names, known[i].Name)
		list = append(list, known[i].check(written.Get(known[i].Name), what, path)...)
	}
	for _, m := range written.Members() {
		near := diag.Nearest(m.Name, names)
		if slices.Contains(names, m.Name) || near == "" && path != "item" {
			continue
		}
		hint := fmt.Sprintf("did you mean %q?", near)
		if near == "" {
			hint = foreignHint(known, m)
		}
		list = append(list, ItemProblem{m.Name, fmt.Sprintf("unknown member %q in %s", m.Name, what), hint})
	}
	return list
}

// foreignHint returns the hint for a member that an item does not have.
func foreignHint(known []ItemMember, m ojson.Member) string {
	as := diag.Shorten(m.Name + ": " + m.Value.String())
	for i := range known {
		if slices.ContainsFunc(known[i].Inside, func(in ItemMember) bool { return in.Name == m.Name }) {
			return fmt.Sprintf("write %s: { %s }", known[i].Name, as)
		}
	}
	return fmt.Sprintf("to send it as it is, write extra: { %s }", as)
}

func (m *ItemMember) check(v ojson.Value, what, path string) (list []ItemProblem) {
	switch {
	case v.IsAbsent() && m.Needed:
		return []ItemProblem{{"", fmt.Sprintf("%s needs %s", what, m.Name), fmt.Sprintf("add %s; to send an item without it, also write omit: [%s.%s] beside item", m.Name, path, m.Name)}}
	case v.IsAbsent():
	case m.Instead != "":
		return []ItemProblem{{m.Name, fmt.Sprintf("the steps after it say the %s of %s", m.Name, what), m.Instead}}
	case !m.Is.has(v.Kind()):
		return []ItemProblem{{m.Name, fmt.Sprintf("in %s, %s is %s, not %s", what, m.Name, m.Is.inWords(), v.TypeInWords()), setInstead(path+"."+m.Name, v)}}
	case m.Each != isAny && v.Kind() == ojson.ArrayKind:
		for i, one := range v.Items() {
			if !m.Each.has(one.Kind()) {
				list = append(list, ItemProblem{m.Name, fmt.Sprintf("in %s, %s[%d] is %s, not %s", what, m.Name, i, m.Each.inWords(), one.TypeInWords()), setInstead(path+"."+m.Name, v)})
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
	is   kinds
	kind ojson.Kind
	noun string
}{
	{isText, ojson.StringKind, "a text"},
	{isJSON, ojson.StringKind, "JSON text"},
	{isJSON, ojson.ObjectKind, "an object"},
	{isNumber, ojson.NumberKind, "a number"},
	{isList, ojson.ArrayKind, "a list"},
	{isObject, ojson.ObjectKind, "an object"},
	{isBool, ojson.BoolKind, "a boolean"},
	{isNull, ojson.NullKind, "null"},
}

func (k kinds) has(kind ojson.Kind) bool {
	for _, known := range kindsInWords {
		if k&known.is != 0 && known.kind == kind {
			return true
		}
	}
	return k == isAny
}

func (k kinds) inWords() string {
	var nouns []string
	for _, known := range kindsInWords {
		if k&known.is != 0 {
			nouns = append(nouns, known.noun)
		}
	}
	return strings.Join(nouns, " or ")
}
