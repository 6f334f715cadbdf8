package responses

import (
	"cmp"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// An ItemType is a type of items.
type ItemType struct {
	Name   string
	Prefix string // Prefix is the prefix of ids.
	// Opens says that the author's item has no content: the steps after it fill it.
	Opens bool
	Step  string // Step is the word for the step that is written in place of an item; "" for an item.
	// Statuses are the statuses besides completed that the item can end with; nil is for items
	// without a status.
	Statuses []string
	// Begins is the status in output_item.added; "" is in_progress.
	Begins  string
	Members []ItemMember  // Members are the members beside id, type and status.
	Course  []courseEvent // Course is the list of the events between output_item.added and output_item.done.
	literal bool          // literal says that the type has no row: its items are sent as the author wrote them.
}

// An ItemMember is a member of an item, or of an object in an item.
type ItemMember struct {
	Name string
	Is   kinds
	// Each is the kinds of the elements of a list.
	Each kinds
	// Default is the value, as JSON, if the author wrote none; "" leaves the member out.
	Default string
	// Draw is the prefix of the id that is drawn if the author wrote none; "" draws none. With
	// Answers, it is the call_id of the call before, if there is one.
	Draw    string
	Answers bool
	// Added is the value in output_item.added, as JSON; "" is the final value, and later leaves
	// the member out.
	Added  string
	Needed bool // Needed says that the author must write the member.
	// Asked is the value of include with which a request gets the member; "" if every request
	// gets it. Other requests get Unasked, as JSON; "" leaves the member out.
	Asked, Unasked string
	// Inside are the members of the object.
	Inside []ItemMember
	// ListOf names another member: if the author wrote only that one, this member is a list of
	// it.
	ListOf string
	// Aside says that only events have the member, and the item has not.
	Aside bool
	// Instead is the hint for a member that steps fill; the author must not write it.
	Instead string
}

// later is the [ItemMember.Added] of a member that output_item.added does not have.
const later = "-"

type kinds uint8

// The kinds of values that a member can have.
const (
	isText kinds = 1 << iota
	isNumber
	isList
	isObject
	isNull
	isBool
	// isJSON is a text of JSON, which the author can also write as a YAML value.
	isJSON
	isAny kinds = 0
)

// ItemNamed returns the type with this name. For an unknown name it returns a type whose items are
// sent as the author wrote them.
func ItemNamed(name string) *ItemType {
	for i := range itemTypes {
		if itemTypes[i].Name == name {
			return &itemTypes[i]
		}
	}
	return &ItemType{Name: name, Prefix: "item_", literal: true}
}

// IsKnown reports whether the type has a row.
func (t *ItemType) IsKnown() bool { return !t.literal }

// Stage returns the position in the course that an event has; -1 if it has none.
func (t *ItemType) Stage(event string) int {
	return slices.IndexFunc(t.Course, func(e courseEvent) bool { return slices.Contains(e.names(), event) })
}

// announces returns the names of the events that every item of the type has which ends with this
// outcome, whatever its content.
func (t *ItemType) announces(outcome string) (names []string) {
	for _, e := range t.Course {
		if a, ok := e.(announced); ok && (a.on == "" || a.on == outcome) {
			names = append(names, a.name)
		}
	}
	return names
}

// isOnce reports whether items of the type have an event once.
func (t *ItemType) isOnce(event string) bool {
	return slices.ContainsFunc(t.Course, func(e courseEvent) bool { a, ok := e.(announced); return ok && a.name == event })
}

// namesNoItem reports whether an event in a course has output_index only and no item_id.
func namesNoItem(event string) bool { return slices.Contains(commands{}.names(), event) }

// Streamed returns the texts of an item that are sent in pieces, in order.
func (t *ItemType) Streamed(members ojson.Value) (texts []StreamedText) {
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
	// Of is the name of its events, without the first word and the last; At is its index among
	// several texts with the same events.
	Of string
	At int
}

// ItemOptions are the parameters of Tell.
type ItemOptions struct {
	ID     func(prefix string) ojson.Value // ID returns the id of an item for which the author wrote none; it can have this prefix.
	Draw   func(prefix string) ojson.Value // Draw returns a new id with the prefix.
	Asks   func(include string) bool       // Asks reports whether the request has this value of include.
	Call   ojson.Value                     // Call is the call_id of the call before; Absent if there is none.
	Pieces [][]ojson.Value                 // Pieces are the pieces of each text that Streamed returns.
}

// ToldItem is an item with its events.
type ToldItem struct {
	Added, Done ojson.Value
	Events      []ToldEvent
}

// ToldEvent is an event between output_item.added and output_item.done. Members are those beside
// type, sequence_number, item_id and output_index.
type ToldEvent struct {
	Name    string
	Members []ojson.Member
	NoID    bool // NoID says that the event has no item_id.
	IsDelta bool // IsDelta says that the event is a delta.
}

// Tell returns the item that the author wrote with these members, and its events.
func (t *ItemType) Tell(members ojson.Value, o ItemOptions) ToldItem {
	id := members.Get("id")
	if id.IsAbsent() {
		id = o.ID(t.Prefix)
	}
	if t.literal {
		v := ojson.Object(ojson.M("id", id))
		v.SetAll(members.Members())
		return ToldItem{Added: v, Done: v}
	}
	outcome := t.outcome(members)
	rest := finished(t.Members, members, commonMembers, o)
	told := ToldItem{Added: t.item(id, cmp.Or(t.Begins, "in_progress"), added(t.Members, rest)), Done: t.item(id, outcome, rest)}
	course := &course{members: members, done: told.Done, outcome: outcome, pieces: o.Pieces}
	for _, e := range t.Course {
		e.say(course)
	}
	told.Events = course.said
	return told
}

// outcome returns the status that the item ends with: failed, if it has an error.
func (t *ItemType) outcome(members ojson.Value) string {
	if status := members.Get("status"); !status.IsAbsent() && t.Statuses != nil {
		return status.Text()
	}
	if t.has("error") && !members.Get("error").IsNullOrAbsent() {
		return statusFailed
	}
	return statusCompleted
}

// Has reports whether items of the type have a member; those of an unknown type have any.
func (t *ItemType) Has(name string) bool {
	return t.literal || t.has(name) || slices.Contains(commonMembers, name)
}

func (t *ItemType) has(name string) bool {
	return slices.ContainsFunc(t.Members, func(m ItemMember) bool { return m.Name == name })
}

// item returns an item with its members in the order of recordings.
func (t *ItemType) item(id ojson.Value, status string, rest ojson.Value) ojson.Value {
	v := ojson.Object(ojson.M("id", id), ojson.M("type", ojson.String(t.Name)))
	if t.Statuses != nil {
		v.Set("status", ojson.String(status))
	}
	v.SetAll(rest.Members())
	return v
}

// finished returns a finished item, or an object in it, with its members in alphabetical order: the
// author's members, except those in without, and the defaults of all others.
func finished(known []ItemMember, written ojson.Value, without []string, o ItemOptions) ojson.Value {
	v := ojson.Object(slices.DeleteFunc(slices.Clone(written.Members()), func(m ojson.Member) bool {
		return indexOf(known, m.Name) >= 0 || slices.Contains(without, m.Name)
	})...)
	for i := range known {
		if m := &known[i]; !m.Aside {
			v.Set(m.Name, m.value(written, o))
		}
	}
	return inItemOrder(v)
}

// commonMembers are the members that items of all itemTypes can have.
var commonMembers = []string{"id", "type", "status"}

func indexOf(list []ItemMember, name string) int {
	return slices.IndexFunc(list, func(m ItemMember) bool { return m.Name == name })
}

// inItemOrder returns an item, or an object in one, with its members in the order of recordings:
// id, type, status, then the others in alphabetical order.
func inItemOrder(v ojson.Value) ojson.Value { return v.Sorted().First(commonMembers...) }

// value returns the final value of a member; Absent if the item does not have it.
func (m *ItemMember) value(beside ojson.Value, o ItemOptions) ojson.Value {
	if m.Asked != "" && !o.Asks(m.Asked) {
		return parsed(m.Unasked)
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
		v = parsed(m.Default)
	}
	switch {
	case m.Is&isJSON != 0 && (v.Kind() == ojson.ObjectKind || v.Kind() == ojson.ArrayKind):
		return ojson.String(v.String())
	case m.Inside != nil && v.Kind() == ojson.ObjectKind:
		return finished(m.Inside, v, nil, o)
	}
	return v
}

func added(known []ItemMember, done ojson.Value) ojson.Value {
	members := slices.Clone(done.Members())
	for i := range members {
		m := &members[i]
		at := indexOf(known, m.Name)
		switch {
		case at < 0 || known[at].Added == "" && known[at].Inside == nil:
		case known[at].Added == later:
			m.Value = ojson.Value{}
		case known[at].Added != "":
			m.Value = parsed(known[at].Added)
		default:
			m.Value = added(known[at].Inside, m.Value)
		}
	}
	return ojson.Object(members...)
}

// literal parses a JSON text of the table; "" is Absent.
func parsed(text string) ojson.Value {
	if text == "" {
		return ojson.Value{}
	}
	v, err := ojson.Parse([]byte(text))
	if err != nil {
		panic(err) // impossible: a test parses all texts of the table
	}
	return v
}
