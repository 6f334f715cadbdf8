package ojson

import (
	"strconv"
	"strings"
)

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
