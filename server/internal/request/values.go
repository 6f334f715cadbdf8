package request

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// OrNull also accepts null.
func OrNull(check ValueCheck) ValueCheck {
	return func(c *Checker, path string, v ojson.Value) {
		if !v.IsNull() {
			check(c, path, v)
		}
	}
}

// AnyValue accepts every value.
func AnyValue(*Checker, string, ojson.Value) {}

// IsOf checks the type of a value, and then calls next.
func IsOf(kind ojson.Kind, expected string, next ValueCheck) ValueCheck {
	return func(c *Checker, path string, v ojson.Value) {
		if v.Kind() != kind {
			c.report(typePhase, InvalidType(path, expected, v))
			return
		}
		next(c, path, v)
	}
}

// Boolean accepts true and false.
func Boolean() ValueCheck { return IsOf(ojson.BoolKind, "a boolean", AnyValue) }

// Str accepts a string.
func Str() ValueCheck { return IsOf(ojson.StringKind, "a string", AnyValue) }

// StrUpTo accepts a string of at most most characters.
func StrUpTo(most int) ValueCheck { return StrWithin(0, most) }

// Length reports a text with more than most characters.
func (c *Checker) Length(path, text string, most int) {
	if n := utf8.RuneCountInString(text); n > most {
		c.report(boundsPhase, Bad(path, "string_above_max_length",
			"Invalid '%s': string too long. Expected a string with maximum length %d, but got a string with length %d instead.", path, most, n))
	}
}

// StrWithin accepts a string of least to most characters.
func StrWithin(least, most int) ValueCheck {
	return IsOf(ojson.StringKind, "a string", func(c *Checker, path string, v ojson.Value) {
		if v.Text() == "" && least > 0 {
			c.report(boundsPhase, emptyString(path))
		}
		c.Length(path, v.Text(), most)
	})
}

func emptyString(path string) *Error {
	return Bad(path, "empty_string",
		"Invalid '%s': empty string. Expected a string with minimum length 1, but got an empty string instead.", path)
}

// IDStr accepts a string that begins with the prefix.
func IDStr(prefix string) ValueCheck {
	return IsOf(ojson.StringKind, "a string", func(c *Checker, path string, v ojson.Value) {
		if !strings.HasPrefix(v.Text(), prefix) {
			c.report(boundsPhase, Bad(path, "invalid_value", "Invalid '%s': '%s'. Expected an ID that begins with '%s'.", path, v.Text(), prefix))
		}
	})
}

var requestNamePattern = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

// NameStr accepts the name of a tool, a function or a schema.
func NameStr() ValueCheck {
	return IsOf(ojson.StringKind, "a string", func(c *Checker, path string, v ojson.Value) {
		switch {
		case v.Text() == "":
			c.report(boundsPhase, emptyString(path))
		case !requestNamePattern.MatchString(v.Text()):
			c.report(boundsPhase, Bad(path, "invalid_value",
				"Invalid '%s': string does not match pattern. Expected a string that matches the pattern '%s'.", path, requestNamePattern))
		}
		c.Length(path, v.Text(), 64)
	})
}

// OneOf accepts one of these strings.
func OneOf(values ...string) ValueCheck {
	return IsOf(ojson.StringKind, "a string", func(c *Checker, path string, v ojson.Value) {
		if !slices.Contains(values, v.Text()) {
			c.report(boundsPhase, NotOneOf(path, v.Text(), values))
		}
	})
}

// NotOneOf is the error for a text that is none of these values.
func NotOneOf(path, got string, values []string) *Error {
	return Bad(path, "invalid_value", "Invalid value: '%s'. Supported values are: %s.", got, enumerate(values))
}

// enumerate writes values as 'a', 'b', and 'c'.
func enumerate(values []string) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = "'" + v + "'"
	}
	switch n := len(quoted); n {
	case 1:
		return quoted[0]
	case 2:
		return quoted[0] + " and " + quoted[1]
	default:
		return strings.Join(quoted[:n-1], ", ") + ", and " + quoted[n-1]
	}
}

// Integer accepts an integer from least to most.
func Integer(least, most int64) ValueCheck {
	return func(c *Checker, path string, v ojson.Value) {
		if !v.IsInteger() {
			c.report(typePhase, InvalidType(path, "an integer", v))
			return
		}
		if err := IntegerOutside(v, path, least, most); err != nil {
			c.report(boundsPhase, err)
		}
	}
}

// Decimal accepts a number from least to most.
func Decimal(least, most float64) ValueCheck {
	return IsOf(ojson.NumberKind, "a decimal", func(c *Checker, path string, v ojson.Value) {
		n, _ := strconv.ParseFloat(v.Text(), 64)
		switch {
		case n < least:
			c.report(boundsPhase, Bad(path, "decimal_below_min_value",
				"Invalid '%s': decimal below minimum value. Expected a value >= %v, but got %s instead.", path, least, v.Text()))
		case n > most:
			c.report(boundsPhase, Bad(path, "decimal_above_max_value",
				"Invalid '%s': decimal above maximum value. Expected a value <= %v, but got %s instead.", path, most, v.Text()))
		}
	})
}

// Unbounded is the maximum length of a list without one.
const Unbounded = 1 << 30

// ArrayOf accepts an array of least to most items.
func ArrayOf(expected string, least, most int, item ValueCheck) ValueCheck {
	return IsOf(ojson.ArrayKind, expected, func(c *Checker, path string, v ojson.Value) {
		switch n := len(v.Items()); {
		case n == 0 && least > 0:
			c.report(boundsPhase, Bad(path, "empty_array",
				"Invalid '%s': empty array. Expected an array with minimum length %d, but got an empty array instead.", path, least))
		case n > most:
			c.report(boundsPhase, Bad(path, "array_above_max_length",
				"Invalid '%s': array too long. Expected an array with maximum length %d, but got an array with length %d instead.", path, most, n))
		}
		for i, value := range v.Items() {
			item(c, path+"["+strconv.Itoa(i)+"]", value)
		}
	})
}

// Objects accepts an array of least to most objects.
func Objects(least, most int, item ValueCheck) ValueCheck {
	return ArrayOf("an array of objects", least, most, item)
}

// Strs accepts an array of least to most strings.
func Strs(least, most int, item ValueCheck) ValueCheck {
	return ArrayOf("an array of strings", least, most, item)
}

// Object accepts an object with these members and no others.
func Object(members ...Member) ValueCheck {
	return IsOf(ojson.ObjectKind, "an object", func(c *Checker, path string, v ojson.Value) {
		c.checkMembers(path, v, members)
		c.reportUnknown(path, v, members)
	})
}

// OpenObject accepts an object with these members and any others.
func OpenObject(members ...Member) ValueCheck {
	return IsOf(ojson.ObjectKind, "an object", func(c *Checker, path string, v ojson.Value) { c.checkMembers(path, v, members) })
}

// Dictionary accepts an object of at most most members, whose names have at most longest characters.
func Dictionary(most, longest int, value ValueCheck) ValueCheck {
	return IsOf(ojson.ObjectKind, "an object", func(c *Checker, path string, v ojson.Value) {
		if n := len(v.Members()); n > most {
			c.report(boundsPhase, Bad(path, "object_above_max_properties",
				"Invalid '%s': too many properties. Expected an object with at most %d properties, but got an object with %d properties instead.", path, most, n))
		}
		for _, m := range v.Members() {
			c.Length(path+"."+m.Name, m.Name, longest)
			value(c, path+"."+m.Name, m.Value)
		}
	})
}

// UnionCase is one case of a [Union]: the value of the member that tells the cases
// apart, and the other members of the object.
type UnionCase struct {
	Value   string
	Members []Member
}

// CaseOf is the case of a [Union] with this value.
func CaseOf(value string, members ...Member) UnionCase { return UnionCase{value, members} }

// Union accepts an object of one of several cases. The value of the member key says
// which case it is, and so which other members there are.
func Union(key string, list ...UnionCase) ValueCheck {
	var values []string
	cases := map[string][]Member{}
	for _, v := range list {
		values = append(values, v.Value)
		cases[v.Value] = append([]Member{May(key, AnyValue)}, v.Members...)
	}
	keyMember := []Member{Need(key, OneOf(values...))}
	return IsOf(ojson.ObjectKind, "an object", func(c *Checker, path string, v ojson.Value) {
		c.checkMembers(path, v, keyMember)
		if members, ok := cases[v.Get(key).Text()]; ok {
			c.checkMembers(path, v, members)
			c.reportUnknown(path, v, members)
		}
	})
}

// ByType accepts an object of one of several cases, told apart by type. An unknown type
// is reported at the place of the object, as newer APIs do.
func ByType(cases map[string]ValueCheck) ValueCheck {
	types := OneOf(slices.Sorted(maps.Keys(cases))...)
	return IsOf(ojson.ObjectKind, "an object", func(c *Checker, path string, v ojson.Value) {
		kind := v.Get("type")
		check, known := cases[kind.Text()]
		switch {
		case kind.IsNullOrAbsent():
			c.checkMembers(path, v, []Member{Need("type", AnyValue)})
			if kind.IsNull() {
				types(c, path+".type", kind)
			}
		case known:
			check(c, path, v)
		default:
			types(c, path, kind)
		}
	})
}

// TextOr accepts a string or a value of another kind; expected names both for the
// error.
func TextOr(expected string, text ValueCheck, kind ojson.Kind, other ValueCheck) ValueCheck {
	return func(c *Checker, path string, v ojson.Value) {
		switch v.Kind() {
		case ojson.StringKind:
			text(c, path, v)
		case kind:
			other(c, path, v)
		default:
			c.report(typePhase, InvalidType(path, expected, v))
		}
	}
}
