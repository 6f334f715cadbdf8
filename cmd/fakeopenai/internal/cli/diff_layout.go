package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// shape is the structure of the JSON of all events of one kind.
type shape struct {
	events  int                // events is the number of events.
	members []string           // members are the paths of all places, each after that of its parent.
	at      map[string]*member // at has the places by path.
}

// member is one place in the JSON of a kind of events.
type member struct {
	around string // around is the path of its parent.
	events int    // events is the number of events that have this place.
	last   int    // last is the number of the last event that has it.
	types  []string
	values []string // values are those that are names of the protocol.
	order  []string // order lists the names of its members in their order.
	text   strings.Builder
}

// shapes returns the shapes by kind of event, and the kinds in the order of their first
// events.
func (a answer) shapes() (kinds []string, shapes map[string]*shape) {
	shapes = map[string]*shape{}
	for _, e := range a.events {
		if e.json.IsAbsent() {
			continue
		}
		s := shapes[e.kind]
		if s == nil {
			s = &shape{at: map[string]*member{}}
			shapes[e.kind] = s
			kinds = append(kinds, e.kind)
		}
		s.events++
		s.read("", "", "", e.json)
	}
	return kinds, shapes
}

// read adds a value and everything below it to the shape.
func (s *shape) read(path, around, name string, v ojson.Value) {
	m := s.at[path]
	if m == nil {
		m = &member{around: around}
		s.at[path] = m
		s.members = append(s.members, path)
	}
	if m.last != s.events {
		m.last, m.events = s.events, m.events+1
	}
	m.types = with(m.types, typeOf(v))
	if isName(name, v) {
		m.values = with(m.values, v.String())
	}
	if v.Kind() == ojson.StringKind {
		m.text.WriteString(v.Text())
	}
	before := -1
	for _, child := range v.Members() {
		if at := slices.Index(m.order, child.Name); at >= 0 {
			before = max(before, at)
		} else {
			before++
			m.order = slices.Insert(m.order, before, child.Name)
		}
		s.read(strings.TrimPrefix(path+"."+child.Name, "."), path, child.Name, child.Value)
	}
	for i, item := range v.Items() {
		index := "[]"
		if name == "choices" {
			index = fmt.Sprintf("[%d]", i)
		}
		s.read(path+index, path, "", item)
	}
}

// with returns a sorted list with the value added, unless it is there.
func with(list []string, value string) []string {
	if at, found := slices.BinarySearch(list, value); !found {
		return slices.Insert(list, at, value)
	}
	return list
}

func typeOf(v ojson.Value) string {
	switch v.Kind() {
	case ojson.NullKind:
		return "null"
	case ojson.BoolKind:
		return "a boolean"
	case ojson.NumberKind:
		return "a number"
	case ojson.StringKind:
		return "a string"
	case ojson.ArrayKind:
		return "a list"
	}
	return "an object"
}

// isName reports whether the value of a member is a name of the protocol, and not content
// of the answer such as a text or a count.
func isName(name string, v ojson.Value) bool {
	switch name {
	case "object", "model", "role", "finish_reason", "type", "status", "code", "param", "service_tier", "reason":
		return v.Kind() == ojson.StringKind
	}
	return v.Kind() == ojson.BoolKind
}

// layout compares the JSON of the kinds of events that both answers have.
func (c *comparison) layout(a, b answer) {
	kinds, was := a.shapes()
	_, is := b.shapes()
	for _, kind := range kinds {
		if is[kind] != nil {
			c.members(kind, was[kind], is[kind])
		}
	}
}

func (c *comparison) members(kind string, was, is *shape) {
	paths := slices.Clone(was.members)
	for _, path := range is.members {
		if was.at[path] == nil {
			paths = append(paths, path)
		}
	}
	for _, path := range paths {
		a, b := was.at[path], is.at[path]
		place := ""
		if path != "" {
			place = ": " + path
		}
		told := func(kindOf, what string) { c.addIn(kind, place, kindOf, what) }
		switch {
		case a == nil && was.lacks(b):
			told(kindLayout, "appeared in "+inSome(b.events, is.events))
		case b == nil && is.lacks(a):
			told(kindLayout, "vanished, was in "+inSome(a.events, was.events))
		case a != nil && b != nil:
			compareMembers(a, b, told)
			if was.rare(a) != is.rare(b) {
				told(kindLayout, fmt.Sprintf("is in %s, was in %s", inSome(b.events, is.events), inSome(a.events, was.events)))
			}
		}
	}
}

// rare reports whether some of the objects that can have a member lack it.
func (s *shape) rare(m *member) bool {
	around := s.at[m.around]
	return around != m && slices.Contains(around.types, "an object") && m.events < around.events
}

// lacks reports whether the events lack a member although they have its parent object.
// An empty list lacks nothing.
func (s *shape) lacks(m *member) bool {
	around := s.at[m.around]
	return around != nil && slices.Contains(around.types, "an object")
}

// compareMembers compares a place that both answers have.
func compareMembers(a, b *member, told func(kind, what string)) {
	compare := func(kind string, a, b []string) {
		if was, is := strings.Join(a, " or "), strings.Join(b, " or "); was != is && was != "" && is != "" {
			told(kind, fmt.Sprintf("is %s, was %s", is, was))
		}
	}
	compare(kindLayout, a.types, b.types)
	compare(kindValue, a.values, b.values)
	was := slices.DeleteFunc(slices.Clone(a.order), func(name string) bool { return !slices.Contains(b.order, name) })
	is := slices.DeleteFunc(slices.Clone(b.order), func(name string) bool { return !slices.Contains(a.order, name) })
	if !slices.Equal(was, is) {
		told(kindLayout, fmt.Sprintf("has the order %s, was %s", strings.Join(is, ", "), strings.Join(was, ", ")))
	}
}

func inSome(n, of int) string {
	if n == of {
		return "each"
	}
	return fmt.Sprintf("%d of %d", n, of)
}

// texts compares the strings at each place, joined over all events of a kind.
func (c *comparison) texts(a, b answer) {
	kinds, was := a.shapes()
	_, is := b.shapes()
	for _, kind := range kinds {
		for _, path := range was[kind].members {
			if is[kind] == nil || is[kind].at[path] == nil || isOfEnvelope(path) {
				continue
			}
			x, y := was[kind].at[path].text.String(), is[kind].at[path].text.String()
			c.changed(kindText, kind+": "+path, quote(x), quote(y))
		}
	}
	for i := range min(len(a.events), len(b.events)) {
		if x, y := a.events[i], b.events[i]; x.json.IsAbsent() && y.json.IsAbsent() && x.kind == y.kind {
			c.changed(kindText, x.kind, quote(x.data), quote(y.data))
		}
	}
}

// isOfEnvelope reports whether the string at a place is no content: it varies with each
// answer, or it is a name of the protocol, which layout compares.
func isOfEnvelope(path string) bool {
	name := path[strings.LastIndexByte(path, '.')+1:]
	return name == "id" || strings.HasSuffix(name, "_id") || name == "obfuscation" || name == "system_fingerprint" || isName(name, ojson.String(""))
}
