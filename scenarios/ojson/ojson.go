// Package ojson holds JSON values that keep what encoding/json loses: the order of
// members, the spelling of numbers (-9999.0 stays -9999.0), and the difference between a
// member that is null and a member that is absent.
//
// Streams are compared byte by byte, so all three matter here.
//
//	v, err := ojson.Parse([]byte(`{"b":1.0,"a":null}`))
//	if err != nil {
//		return err
//	}
//	v.Set("c", ojson.String("x"))
//	fmt.Println(string(v.Append(nil))) // {"b":1.0,"a":null,"c":"x"}
package ojson

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unsafe"
)

// Kind says what a [Value] is.
type Kind uint8

// The kinds of JSON values. Absent, the kind of the zero Value, is a member that is not
// there, as opposed to null. A value of RawKind is written unchanged: see [Raw].
const (
	Absent Kind = iota
	NullKind
	BoolKind
	NumberKind
	StringKind
	ArrayKind
	ObjectKind
	RawKind
)

// Value is one JSON value. The zero Value stands for a member that is not there; an
// object is written without such members.
//
// A Value is copied by assignment, but the members of an object and the items
// of an array are shared by the copies until [Value.Clone].
type Value struct {
	kind Kind
	// text is a string's text, a number's spelling, "true" or "false", or a raw
	// value's bytes.
	text string
	// list holds the contents of an array or an object; nil if it is empty. The pointer
	// keeps a Value small, because most values are neither.
	list *list
}

// list is the items of an array or the members of an object.
type list struct {
	items   []Value
	members []Member
}

// Member is one name and value of an object.
type Member struct {
	Name  string
	Value Value
}

// Null is JSON's null.
func Null() Value { return Value{kind: NullKind} }

// Bool is JSON's true or false.
func Bool(b bool) Value { return Value{kind: BoolKind, text: strconv.FormatBool(b)} }

// Int is a JSON number without a fraction.
func Int(n int64) Value { return Value{kind: NumberKind, text: strconv.FormatInt(n, 10)} }

// Number is a JSON number that is written exactly as spelled. The spelling is not
// checked.
func Number(spelling string) Value { return Value{kind: NumberKind, text: spelling} }

// String is a JSON string with the given (unescaped) text.
func String(s string) Value { return Value{kind: StringKind, text: s} }

// Raw is a value that is written unchanged and unchecked: JSON text, or on purpose
// something that is not JSON.
func Raw(s string) Value { return Value{kind: RawKind, text: s} }

// Array is a JSON array.
func Array(items ...Value) Value {
	v := Value{kind: ArrayKind}
	v.setItems(items)
	return v
}

// Object is a JSON object with members in the given order. Members whose value
// is Absent are left out.
func Object(members ...Member) Value {
	v, kept := Value{kind: ObjectKind}, make([]Member, 0, len(members))
	for _, m := range members {
		if m.Value.kind != Absent {
			kept = append(kept, m)
		}
	}
	v.setMembers(kept)
	return v
}

// setItems replaces the items of v. Copies of v keep theirs.
func (v *Value) setItems(items []Value) {
	v.list = nil
	if len(items) > 0 {
		v.list = &list{items: items}
	}
}

// setMembers replaces the members of v. Copies of v keep theirs.
func (v *Value) setMembers(members []Member) {
	v.list = nil
	if len(members) > 0 {
		v.list = &list{members: members}
	}
}

// M makes a [Member], for use in [Object].
func M(name string, v Value) Member { return Member{name, v} }

// Kind is the kind of v.
func (v Value) Kind() Kind { return v.kind }

// IsAbsent reports whether v is absent, which null is not.
func (v Value) IsAbsent() bool { return v.kind == Absent }

// IsNull reports whether v is JSON's null.
func (v Value) IsNull() bool { return v.kind == NullKind }

// IsNullOrAbsent reports whether v is null or absent.
func (v Value) IsNullOrAbsent() bool { return v.kind == Absent || v.kind == NullKind }

// Or is the value, or otherwise if it is Absent.
func (v Value) Or(otherwise Value) Value {
	if v.IsAbsent() {
		return otherwise
	}
	return v
}

// Text is the text of a string, the spelling of a number or boolean, or the bytes of a
// raw value; "" for other kinds.
func (v Value) Text() string { return v.text }

// Int is the value of v as an int64, and whether v is such a number.
func (v Value) Int() (int64, bool) {
	if v.kind != NumberKind {
		return 0, false
	}
	n, err := strconv.ParseInt(v.text, 10, 64)
	return n, err == nil
}

// Bool is the value of a boolean, and whether v is a boolean.
func (v Value) Bool() (value, ok bool) { return v.text == "true", v.kind == BoolKind }

// Items are the items of an array; nil for other kinds.
func (v Value) Items() []Value {
	if v.list == nil {
		return nil
	}
	return v.list.items
}

// Members are the members of an object, in order; nil for other kinds.
func (v Value) Members() []Member {
	if v.list == nil {
		return nil
	}
	return v.list.members
}

// Get is the member of that name, or the Absent value.
func (v Value) Get(name string) Value {
	members := v.Members()
	if i := indexOf(members, name); i >= 0 {
		return members[i].Value
	}
	return Value{}
}

func indexOf(members []Member, name string) int {
	for i := range members {
		if members[i].Name == name {
			return i
		}
	}
	return -1
}

// Set sets a member of the object v. A new member comes last; a replaced one keeps its
// place. Setting an absent value removes the member.
func (v *Value) Set(name string, value Value) {
	members := v.Members()
	switch i := indexOf(members, name); {
	case i < 0 && value.kind != Absent:
		v.setMembers(append(members, Member{name, value}))
	case i >= 0 && value.kind != Absent:
		members[i].Value = value
	case i >= 0:
		v.setMembers(append(members[:i:i], members[i+1:]...))
	}
}

// SetAll sets members of the object v as [Value.Set] does, one after the other, but leaves
// out those whose value is Absent. Copies of v keep their members. For many members it is
// much faster than Set, which searches the object for each.
func (v *Value) SetAll(members []Member) {
	if len(members) > 0 {
		v.setMembers(lastOfEach(slices.Concat(v.Members(), members)))
	}
}

// SetMissing sets those of the members that the object v does not have, as [Value.SetAll]
// does.
func (v *Value) SetMissing(members []Member) {
	if len(members) > 0 {
		v.SetAll(slices.Concat(members, v.Members()))
	}
}

// KeepLast removes duplicate members from v and all values in it. Of the members with
// the same name the last one stays, in the place of the first. Values that share members
// with v are changed, too.
func (v *Value) KeepLast() {
	items := v.Items()
	for i := range items {
		items[i].KeepLast()
	}
	members := v.Members()
	for i := range members {
		members[i].Value.KeepLast()
	}
	if len(members) > 1 {
		v.list.members = lastOfEach(members)
	}
}

// fewMembers is the largest number of members that are searched one by one. For so few
// an index would take more memory than the members.
const fewMembers = 16

// lastOfEach removes duplicates from members, in place: the last one stays, in the place of
// the first. It removes members without a value, too.
func lastOfEach(members []Member) []Member {
	kept := members[:0]
	var index map[string]int // index has the positions in kept by name, if there are many.
	if len(members) > fewMembers {
		index = make(map[string]int)
	}
	for _, m := range members {
		if m.Value.kind == Absent {
			continue
		}
		i, known := index[m.Name]
		if index == nil {
			i = indexOf(kept, m.Name)
			known = i >= 0
		}
		if known {
			kept[i] = m
			continue
		}
		if index != nil {
			index[m.Name] = len(kept)
		}
		kept = append(kept, m)
	}
	clear(members[len(kept):])
	return kept
}

// Push adds an item to the array v.
func (v *Value) Push(item Value) { v.setItems(append(v.Items(), item)) }

// Clone is a deep copy of v. Changes of one do not change the other.
func (v Value) Clone() Value { return v.copied(func(text string) string { return text }) }

// Detached is a deep copy of v in memory of its own. Values that were parsed together
// share their memory, so that one value keeps all of it alive; detach a value that is
// kept longer than the others.
func (v Value) Detached() Value { return v.copied(strings.Clone) }

// copied returns a deep copy of v in which text has replaced each text and each name.
func (v Value) copied(text func(string) string) Value {
	v.text = text(v.text)
	if v.list == nil {
		return v
	}
	v.list = &list{items: slices.Clone(v.list.items), members: slices.Clone(v.list.members)}
	for i, item := range v.list.items {
		v.list.items[i] = item.copied(text)
	}
	for i, m := range v.list.members {
		v.list.members[i] = Member{text(m.Name), m.Value.copied(text)}
	}
	return v
}

// Equal reports whether a and b are written the same way.
func Equal(a, b Value) bool { return string(a.Append(nil)) == string(b.Append(nil)) }

// String is the compact JSON text of v.
func (v Value) String() string { return string(v.Append(nil)) }

// MarshalJSON writes v in compact form for encoding/json. An absent value, which
// encoding/json cannot leave out, becomes null.
func (v Value) MarshalJSON() ([]byte, error) {
	if v.kind == Absent {
		return []byte("null"), nil
	}
	return v.Append(nil), nil
}

// UnmarshalJSON parses data for encoding/json, as [Parse] does.
func (v *Value) UnmarshalJSON(data []byte) error {
	parsed, err := Parse(data)
	if err == nil {
		*v = parsed
	}
	return err
}

// Replaced returns a copy of v in which values are replaced, outer ones first: each for which
// with returns true.
func (v Value) Replaced(with func(Value) (Value, bool)) Value {
	v = v.Clone()
	return v.replace(with)
}

func (v Value) replace(with func(Value) (Value, bool)) Value {
	if other, ok := with(v); ok {
		return other
	}
	for i, item := range v.Items() {
		v.Items()[i] = item.replace(with)
	}
	for i, m := range v.Members() {
		v.Members()[i].Value = m.Value.replace(with)
	}
	return v
}

// The sizes of values in memory, in bytes.
const (
	valueSize  = int(unsafe.Sizeof(Value{}))
	memberSize = int(unsafe.Sizeof(Member{}))
	listSize   = int(unsafe.Sizeof(list{}))
	noteSize   = int(unsafe.Sizeof(note{}))
)

// Size is about how many bytes of memory v takes.
func (v Value) Size() int {
	n := valueSize + len(v.text)
	if v.list == nil {
		return n
	}
	unusedItems, unusedMembers := cap(v.list.items)-len(v.list.items), cap(v.list.members)-len(v.list.members)
	n += listSize + unusedItems*valueSize + unusedMembers*memberSize
	for _, item := range v.list.items {
		n += item.Size()
	}
	for _, m := range v.list.members {
		n += memberSize - valueSize + len(m.Name) + m.Value.Size()
	}
	return n
}

// Sorted returns an object with its members in alphabetical order.
func (v Value) Sorted() Value {
	return v.ordered(func(a, b Member) int { return cmp.Compare(a.Name, b.Name) })
}

// First returns an object with the members of these names before all others, in the order of the
// names.
func (v Value) First(names ...string) Value {
	rank := func(m Member) int {
		if at := slices.Index(names, m.Name); at >= 0 {
			return at
		}
		return len(names)
	}
	return v.ordered(func(a, b Member) int { return rank(a) - rank(b) })
}

// ordered returns an object with its members in another order. Any other value stays as it is.
func (v Value) ordered(compare func(a, b Member) int) Value {
	if v.Kind() != ObjectKind {
		return v
	}
	members := slices.Clone(v.Members())
	slices.SortStableFunc(members, compare)
	v.setMembers(members)
	return v
}

// Same reports whether two values are equal except for the order of members and the
// spelling of numbers.
func Same(a, b Value) bool {
	if a.Kind() != b.Kind() || len(a.Items()) != len(b.Items()) || len(a.Members()) != len(b.Members()) {
		return false
	}
	for i, item := range a.Items() {
		if !Same(item, b.Items()[i]) {
			return false
		}
	}
	for _, m := range a.Members() {
		if !Same(m.Value, b.Get(m.Name)) {
			return false
		}
	}
	return a.Text() == b.Text() || a.Kind() == NumberKind && SameNumber(a.Text(), b.Text())
}

// SameNumber reports whether two spellings denote the same number.
func SameNumber(a, b string) bool {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return errX == nil && errY == nil && x == y
}

// IsInteger reports whether v is a number spelled as an integer, of any size.
func (v Value) IsInteger() bool {
	return v.Kind() == NumberKind && !strings.ContainsAny(v.Text(), ".eE")
}

// TypeInWords is the JSON type of v with its article, as the errors of the real
// service name it: a string, an integer, a decimal number.
func (v Value) TypeInWords() string {
	switch v.Kind() {
	case BoolKind:
		return "a boolean"
	case NumberKind:
		if v.IsInteger() {
			return "an integer"
		}
		return "a decimal number"
	case StringKind:
		return "a string"
	case ArrayKind:
		return "an array"
	case ObjectKind:
		return "an object"
	}
	return "null"
}
