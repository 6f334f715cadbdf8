// Package ojson holds JSON values that keep what Go's own decoding loses: the
// order of members, the spelling of numbers (-9999.0 stays -9999.0), and the
// difference between a member that is null and one that is not there.
//
// A stream is compared byte for byte, so all three matter here.
//
//	v, err := ojson.Parse([]byte(`{"b":1.0,"a":null}`))
//	if err != nil {
//		return err
//	}
//	v.Set("c", ojson.String("x"))
//	fmt.Println(string(v.Append(nil))) // {"b":1.0,"a":null,"c":"x"}
package ojson

import (
	"strconv"
)

// Kind says what a [Value] is.
type Kind uint8

// The kinds of JSON values. The zero Value is Absent: not null, but not there. A
// RawKind is bytes that are written as they are: see [Raw].
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

// Value is one JSON value. The zero Value stands for a member that is not
// there; an object drops such members when it is written.
//
// A Value is copied by assignment, but the members of an object and the items
// of an array are shared by the copies until [Value.Clone].
type Value struct {
	kind Kind
	// text is a string's text, a number's spelling, "true" or "false", or a raw
	// value's bytes.
	text    string
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

// Number is a JSON number that is written exactly as spelled. The caller
// vouches that the spelling is a JSON number.
func Number(spelling string) Value { return Value{kind: NumberKind, text: spelling} }

// String is a JSON string with the given (unescaped) text.
func String(s string) Value { return Value{kind: StringKind, text: s} }

// Raw is written as it stands, whatever it holds: a JSON text that is known to
// be right, or on purpose something that is no JSON at all.
func Raw(s string) Value { return Value{kind: RawKind, text: s} }

// Array is a JSON array.
func Array(items ...Value) Value { return Value{kind: ArrayKind, items: items} }

// Object is a JSON object with members in the given order. Members whose value
// is Absent are left out.
func Object(members ...Member) Value {
	v := Value{kind: ObjectKind, members: make([]Member, 0, len(members))}
	for _, m := range members {
		if m.Value.kind != Absent {
			v.members = append(v.members, m)
		}
	}
	return v
}

// M makes a [Member], for use in [Object].
func M(name string, v Value) Member { return Member{name, v} }

// Kind says what v is.
func (v Value) Kind() Kind { return v.kind }

// IsAbsent reports whether v is the zero Value: not null, but not there.
func (v Value) IsAbsent() bool { return v.kind == Absent }

// IsNull reports whether v is JSON's null.
func (v Value) IsNull() bool { return v.kind == NullKind }

// Text is the text of a string, the spelling of a number or boolean, the bytes
// of a raw value, and "" for everything else.
func (v Value) Text() string { return v.text }

// Int is the value of a number without a fraction, and whether it is one.
func (v Value) Int() (int64, bool) {
	if v.kind != NumberKind {
		return 0, false
	}
	n, err := strconv.ParseInt(v.text, 10, 64)
	return n, err == nil
}

// Bool is the value of a boolean, and whether it is one.
func (v Value) Bool() (value, ok bool) { return v.text == "true", v.kind == BoolKind }

// Items are the items of an array, nil for anything else.
func (v Value) Items() []Value { return v.items }

// Members are the members of an object in order, nil for anything else.
func (v Value) Members() []Member { return v.members }

// Get is the member of that name, or the Absent value.
func (v Value) Get(name string) Value {
	for _, m := range v.members {
		if m.Name == name {
			return m.Value
		}
	}
	return Value{}
}

// Set gives the object v a member, in its old place if it had one and last
// otherwise. Setting the Absent value removes the member.
func (v *Value) Set(name string, value Value) {
	for i := range v.members {
		if v.members[i].Name != name {
			continue
		}
		if value.kind == Absent {
			v.members = append(v.members[:i:i], v.members[i+1:]...)
		} else {
			v.members[i].Value = value
		}
		return
	}
	if value.kind != Absent {
		v.members = append(v.members, Member{name, value})
	}
}

// KeepLast leaves one of the members of the same name in v and everything in it:
// the last, in the place of the first. It changes v itself and what shares its
// members.
func (v *Value) KeepLast() {
	for i := range v.items {
		v.items[i].KeepLast()
	}
	if v.members == nil {
		return
	}
	kept := v.members[:0]
	place := make(map[string]int, len(v.members))
	for _, m := range v.members {
		m.Value.KeepLast()
		if i, again := place[m.Name]; again {
			kept[i] = m
			continue
		}
		place[m.Name] = len(kept)
		kept = append(kept, m)
	}
	v.members = kept
}

// Push adds an item to the array v.
func (v *Value) Push(item Value) { v.items = append(v.items, item) }

// Clone is a deep copy of v, which shares nothing with it.
func (v Value) Clone() Value {
	if v.items != nil {
		items := make([]Value, len(v.items))
		for i, it := range v.items {
			items[i] = it.Clone()
		}
		v.items = items
	}
	if v.members != nil {
		members := make([]Member, len(v.members))
		for i, m := range v.members {
			members[i] = Member{m.Name, m.Value.Clone()}
		}
		v.members = members
	}
	return v
}

// Equal reports whether a and b are written the same way.
func Equal(a, b Value) bool { return string(a.Append(nil)) == string(b.Append(nil)) }

// String is the compact JSON text of v.
func (v Value) String() string { return string(v.Append(nil)) }

// MarshalJSON writes v in compact form for encoding/json. An Absent value, which
// encoding/json cannot leave out, is null.
func (v Value) MarshalJSON() ([]byte, error) {
	if v.kind == Absent {
		return []byte("null"), nil
	}
	return v.Append(nil), nil
}

// UnmarshalJSON reads v for encoding/json, as [Parse] does.
func (v *Value) UnmarshalJSON(data []byte) error {
	parsed, err := Parse(data)
	if err == nil {
		*v = parsed
	}
	return err
}
