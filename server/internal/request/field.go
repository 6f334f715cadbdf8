package request

import (
	"strconv"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Field is a value in a request's body. The methods whose names begin with As return a value of
// one type, and treat null as missing. The first error in a body is kept.
type Field struct {
	ojson.Value
	place *place  // place is nil if places are not kept.
	wrong **Error // wrong is the first error in the body.
}

// place is a place in a body, such as messages[0].content.
type place struct {
	in   *place // in is the place of the array or object around this one; nil if there is none.
	name string // name is the name of a member; "" for an item.
	item int
}

// NewField returns a value that is not inside another. A body has no name.
func NewField(name string, v ojson.Value) Field {
	return Field{Value: v, place: &place{name: name}, wrong: new(*Error)}
}

// At is a member of an object.
func (f Field) At(name string) Field {
	if f.place != nil {
		f.place = &place{in: f.place, name: name}
	}
	f.Value = f.Get(name)
	return f
}

// Item is an item of an array.
func (f Field) Item(i int) Field {
	if f.place != nil {
		f.place = &place{in: f.place, item: i}
	}
	f.Value = f.Items()[i]
	return f
}

// Fail records an error, unless there was one before.
func (f Field) Fail(err *Error) {
	if *f.wrong == nil {
		*f.wrong = err
	}
}

// FailType records that the value has the wrong type. Expected is that of [InvalidType].
func (f Field) FailType(expected string) { f.Fail(InvalidType(f.place.String(), expected, f.Value)) }

// Err returns the first error in the body; nil if there is none.
func (f Field) Err() *Error { return *f.wrong }

// String is the place in the form of error messages.
func (p *place) String() string {
	switch {
	case p == nil:
		return ""
	case p.in == nil:
		return p.name
	case p.name == "":
		return p.in.String() + "[" + strconv.Itoa(p.item) + "]"
	}
	return strings.TrimPrefix(p.in.String()+"."+p.name, ".")
}

// AsText is a string; "" if there is none.
func (f Field) AsText() string {
	if f.IsNullOrAbsent() {
		return ""
	}
	if f.Kind() != ojson.StringKind {
		f.FailType("a string")
	}
	return f.Text()
}

// AsBool is a boolean, or otherwise if there is none.
func (f Field) AsBool(otherwise bool) bool {
	if f.IsNullOrAbsent() {
		return otherwise
	}
	b, ok := f.Bool()
	if !ok {
		f.FailType("a boolean")
	}
	return b
}

// AsInt is an integer from least to most, or otherwise if there is none.
func (f Field) AsInt(otherwise, least, most int64) int {
	if f.IsNullOrAbsent() {
		return int(otherwise)
	}
	n, fits := f.Int()
	switch {
	case !f.IsInteger():
		f.FailType("an integer")
	case !fits || n < least || n > most:
		f.Fail(IntegerOutside(f.Value, f.place.String(), least, most))
	}
	return int(n)
}

// AsObject is an object; Absent if there is none.
func (f Field) AsObject() Field {
	switch {
	case f.IsNullOrAbsent():
		f.Value = ojson.Value{}
	case f.Kind() != ojson.ObjectKind:
		f.FailType("an object")
	}
	return f
}

// AsList lists the items of an array. Expected names the type in the error.
func (f Field) AsList(expected string) []ojson.Value {
	if !f.IsNullOrAbsent() && f.Kind() != ojson.ArrayKind {
		f.FailType(expected)
	}
	return f.Items()
}

// AsContent is the content of a message: a text, or the texts of its parts, one on each line.
func (f Field) AsContent() string {
	if f.Kind() == ojson.StringKind {
		return f.Text()
	}
	var texts []string
	for i := range f.AsList("one of a string or array of objects") {
		if text := f.Item(i).AsObject().At("text"); !text.IsNullOrAbsent() {
			texts = append(texts, text.AsText())
		}
	}
	return strings.Join(texts, "\n")
}
