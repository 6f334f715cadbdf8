// Package hosted knows the output items that a stream brings in a course of their
// own: above all the calls of tools that the service runs itself. Each type is one
// row: its members, and the events between the one that adds the item and the one
// that closes it. Shapes and orders are those of recordings from 2025 and 2026.
package hosted

import (
	"cmp"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// A Type is one type of items.
type Type struct {
	Name   string
	Prefix string // Prefix is what ids begin with.
	// Opens says that the item is only opened: what follows in the stream fills it.
	Opens bool
	// Statuses are those that an item can end with, besides completed; nil is for an
	// item without a status.
	Statuses []string
	// Begins is the status of the item when it is added; "" is in_progress.
	Begins  string
	Members []Member // Members are those beside id, type and status.
	Course  []Event  // Course is what is sent between output_item.added and output_item.done.
	literal bool     // literal says that the type is not known: its items are sent as written.
}

// A Member is a member of an item, or of an object inside one.
type Member struct {
	Name string
	Is   Kinds
	// Each are the kinds of the values of a list.
	Each Kinds
	// Default is what is sent of a member that is left out, as JSON; "" is nothing.
	Default string
	// Draw is how an id begins that is drawn for a member that is left out; "" is none.
	// Answers says that it is that of the call before, if there is one.
	Draw    string
	Answers bool
	// Added is what stands for the member when the item is added, as JSON; "" is the
	// member itself, and Later is nothing.
	Added  string
	Needed bool // Needed says that the member cannot be left out.
	// Asked is what a request includes to be sent the member; "" is nothing. Others get
	// Unasked, as JSON; "" is nothing.
	Asked, Unasked string
	// Inside are the members of an object.
	Inside []Member
	// ListOf names a member beside it, of which it is a list where it is left out.
	ListOf string
	// Aside says that events bring the member, and the item does not have it.
	Aside bool
	// Instead says what to write in place of a member that steps bring.
	Instead string
}

// Later is the [Member.Added] of a member that only the finished item has.
const Later = "-"

// Kinds are kinds of JSON values.
type Kinds uint8

// The kinds of values of members.
const (
	Text Kinds = 1 << iota
	Number
	List
	Object
	Null
	Bool
	// JSONText is a text of JSON. It can be written as the value that it says.
	JSONText
	Any Kinds = 0
)

// The statuses that decide the course of an item.
const (
	completed  = "completed"
	failed     = "failed"
	incomplete = "incomplete"
)

// Named is the type of that name; of a name that is not known, a type whose items
// are sent as they are written.
func Named(name string) *Type {
	for i := range types {
		if types[i].Name == name {
			return &types[i]
		}
	}
	return &Type{Name: name, Prefix: "item_", literal: true}
}

// IsKnown reports whether the type has a row.
func (t *Type) IsKnown() bool { return !t.literal }

// Events are the names of all events of all courses, without their first word.
func Events() (names []string) {
	for i := range types {
		for _, e := range types[i].Course {
			names = append(names, e.names()...)
		}
	}
	return names
}

// Stage is where in the course of its items an event comes; -1 is nowhere.
func (t *Type) Stage(event string) int {
	return slices.IndexFunc(t.Course, func(e Event) bool { return slices.Contains(e.names(), event) })
}

// Always are the events that come in the course of each item, whatever it holds and
// however it ends.
func (t *Type) Always() (names []string) {
	for _, e := range t.Course {
		if a, ok := e.(announced); ok && a.on == "" {
			names = append(names, a.name)
		}
	}
	return names
}

// NamesNoItem reports whether an event of a course tells only by its index which item
// it belongs to.
func NamesNoItem(event string) bool { return slices.Contains(commands{}.names(), event) }

// Includes are what requests include to be sent members of items.
func Includes() (names []string) {
	var walk func([]Member)
	walk = func(list []Member) {
		for i := range list {
			if list[i].Asked != "" {
				names = append(names, list[i].Asked)
			}
			walk(list[i].Inside)
		}
	}
	for i := range types {
		walk(types[i].Members)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Streamed are the texts of an item that are sent in pieces, in order.
func (t *Type) Streamed(members ojson.Value) (texts []StreamedText) {
	for _, e := range t.Course {
		texts = append(texts, e.texts(members)...)
	}
	return texts
}

// A StreamedText is a text of an item that is sent in pieces.
type StreamedText struct {
	Value ojson.Value
	// Whole says that the service sends it in one piece.
	Whole bool
	// Of names the events that bring it, without their first and last word, and At says
	// which of several texts it is.
	Of string
	At int
}

// Options are what an item is told with.
type Options struct {
	ID     func(prefix string) ojson.Value // ID is the id of an item that is written without one, which may begin with the prefix.
	Draw   func(prefix string) ojson.Value // Draw is a new id that begins with the prefix.
	Asks   func(include string) bool       // Asks reports whether the request includes this.
	Call   ojson.Value                     // Call is the call_id of the call before; Absent if there is none.
	Pieces [][]ojson.Value                 // Pieces are those of the texts that are streamed.
}

// Told is an item as a stream tells it.
type Told struct {
	Added, Done ojson.Value
	Events      []Said
}

// Said is an event in the course of an item. Its members are those beside its type and
// its number, and the index of the item.
type Said struct {
	Name    string
	Members []ojson.Member
	NoID    bool // NoID says that the event does not name its item.
	IsDelta bool // IsDelta says that it brings a piece.
}

// Tell is an item with these members, as written, from its first event to its last.
func (t *Type) Tell(members ojson.Value, o Options) Told {
	id := members.Get("id")
	if id.IsAbsent() {
		id = o.ID(t.Prefix)
	}
	if t.literal {
		v := ojson.Object(ojson.M("id", id))
		for _, m := range members.Members() {
			v.Set(m.Name, m.Value)
		}
		return Told{Added: v, Done: v}
	}
	outcome := t.outcome(members)
	rest := finished(t.Members, members, common, o)
	told := Told{Added: t.item(id, cmp.Or(t.Begins, "in_progress"), added(t.Members, rest)), Done: t.item(id, outcome, rest)}
	course := &course{members: members, done: told.Done, outcome: outcome, pieces: o.Pieces}
	for _, e := range t.Course {
		e.say(course)
	}
	told.Events = course.said
	return told
}

// outcome is the status that an item ends with. One that tells of an error failed.
func (t *Type) outcome(members ojson.Value) string {
	if status := members.Get("status"); !status.IsAbsent() {
		return status.Text()
	}
	if t.has("error") && !members.Get("error").IsNullOrAbsent() {
		return failed
	}
	return completed
}

func (t *Type) has(name string) bool {
	return slices.ContainsFunc(t.Members, func(m Member) bool { return m.Name == name })
}

// item is an item: its id, type and status, and the rest in the order of the alphabet.
func (t *Type) item(id ojson.Value, status string, rest ojson.Value) ojson.Value {
	v := ojson.Object(ojson.M("id", id), ojson.M("type", ojson.String(t.Name)))
	if t.Statuses != nil {
		v.Set("status", ojson.String(status))
	}
	for _, m := range rest.Members() {
		v.Set(m.Name, m.Value)
	}
	return v
}

// finished are the members of a finished item, or of an object in it, in the order of
// the alphabet: those that were written, but for some, and what stands for those that
// were not.
func finished(known []Member, written ojson.Value, without []string, o Options) ojson.Value {
	v := ojson.Object()
	for _, m := range written.Members() {
		if indexOf(known, m.Name) < 0 && !slices.Contains(without, m.Name) {
			v.Set(m.Name, m.Value)
		}
	}
	for i := range known {
		if m := &known[i]; !m.Aside {
			v.Set(m.Name, m.value(written, o))
		}
	}
	return InOrder(v)
}

// common are the members that an item has beside those of its type.
var common = []string{"id", "type", "status"}

func indexOf(list []Member, name string) int {
	return slices.IndexFunc(list, func(m Member) bool { return m.Name == name })
}

// InOrder is an item, or an object in one, in the order of recordings: its id, type and
// status, and the rest in the order of the alphabet.
func InOrder(v ojson.Value) ojson.Value {
	members := slices.Clone(v.Members())
	rank := func(m ojson.Member) int {
		if at := slices.Index(common, m.Name); at >= 0 {
			return at
		}
		return len(common)
	}
	slices.SortStableFunc(members, func(a, b ojson.Member) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Name, b.Name))
	})
	return ojson.Object(members...)
}

// value is what a finished item has of a member; Absent is nothing.
func (m *Member) value(beside ojson.Value, o Options) ojson.Value {
	if m.Asked != "" && !o.Asks(m.Asked) {
		return literal(m.Unasked)
	}
	v := beside.Get(m.Name)
	switch {
	case !v.IsAbsent():
	case m.Answers && !o.Call.IsAbsent():
		return o.Call
	case m.Draw != "":
		return o.Draw(m.Draw)
	case m.ListOf != "" && !beside.Get(m.ListOf).IsAbsent():
		return ojson.Array(beside.Get(m.ListOf))
	default:
		v = literal(m.Default)
	}
	switch {
	case m.Is&JSONText != 0 && (v.Kind() == ojson.ObjectKind || v.Kind() == ojson.ArrayKind):
		return ojson.String(v.String())
	case m.Inside != nil && v.Kind() == ojson.ObjectKind:
		return finished(m.Inside, v, nil, o)
	}
	return v
}

// added are the members that an item has when it is added.
func added(known []Member, done ojson.Value) ojson.Value {
	v := ojson.Object()
	for _, m := range done.Members() {
		at := indexOf(known, m.Name)
		switch {
		case at < 0 || known[at].Added == "" && known[at].Inside == nil:
			v.Set(m.Name, m.Value)
		case known[at].Added == Later:
		case known[at].Added != "":
			v.Set(m.Name, literal(known[at].Added))
		default:
			v.Set(m.Name, added(known[at].Inside, m.Value))
		}
	}
	return v
}

// literal is the value of a JSON text of a row; Absent for none.
func literal(text string) ojson.Value {
	if text == "" {
		return ojson.Value{}
	}
	v, err := ojson.Parse([]byte(text))
	if err != nil {
		panic(err) // a test reads all rows
	}
	return v
}
