package request

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// OrNull also accepts null.
func OrNull(check ValueCheck) ValueCheck {
	return func(c *Checker, v ojson.Value) {
		if !v.IsNull() {
			check(c, v)
		}
	}
}

// Leniently is the first check for requests that are checked strictly, and the second for all others.
func Leniently(strict, lenient ValueCheck) ValueCheck {
	return func(c *Checker, v ojson.Value) {
		if c.lenient {
			lenient(c, v)
			return
		}
		strict(c, v)
	}
}

// AnyValue accepts every value.
func AnyValue(*Checker, ojson.Value) {}

// IsOf checks the type of a value, and then calls next.
func IsOf(kind ojson.Kind, expected string, next ValueCheck) ValueCheck {
	return func(c *Checker, v ojson.Value) {
		if v.Kind() != kind {
			c.FailType(expected, v)
			return
		}
		next(c, v)
	}
}

// Boolean accepts true and false.
func Boolean() ValueCheck { return IsOf(ojson.BoolKind, "a boolean", AnyValue) }

// Str accepts a string.
func Str() ValueCheck { return IsOf(ojson.StringKind, "a string", AnyValue) }

// StrUpTo accepts a string of at most most characters.
func StrUpTo(most int) ValueCheck { return StrWithin(0, most) }

// StrWithin accepts a string of least to most characters.
func StrWithin(least, most int) ValueCheck {
	return IsOf(ojson.StringKind, "a string", func(c *Checker, v ojson.Value) {
		if v.Text() == "" && least > 0 {
			c.Fail("empty_string", "Invalid '%s': empty string. Expected a string with minimum length 1, but got an empty string instead.", c.Path())
		}
		if n := utf8.RuneCountInString(v.Text()); n > most {
			c.Fail("string_above_max_length",
				"Invalid '%s': string too long. Expected a string with maximum length %d, but got a string with length %d instead.", c.Path(), most, n)
		}
	})
}

// IDStr accepts a string that begins with the prefix.
func IDStr(prefix string) ValueCheck {
	return IsOf(ojson.StringKind, "a string", func(c *Checker, v ojson.Value) {
		if !strings.HasPrefix(v.Text(), prefix) {
			c.Fail("invalid_value", "Invalid '%s': '%s'. Expected an ID that begins with '%s'.", c.Path(), v.Text(), prefix)
		}
	})
}

var requestNamePattern = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

// NameStr accepts the name of a tool, a function or a schema.
func NameStr() ValueCheck {
	length := StrWithin(1, 64)
	return func(c *Checker, v ojson.Value) {
		if v.Text() != "" && v.Kind() == ojson.StringKind && !requestNamePattern.MatchString(v.Text()) {
			c.Fail("invalid_value",
				"Invalid '%s': string does not match pattern. Expected a string that matches the pattern '%s'.", c.Path(), requestNamePattern)
		}
		length(c, v)
	}
}

// OneOf accepts one of these strings.
func OneOf(values ...string) ValueCheck {
	return IsOf(ojson.StringKind, "one of "+enumerate("or", values), func(c *Checker, v ojson.Value) {
		if !slices.Contains(values, v.Text()) {
			c.Fail("invalid_value", notOneOf, v.Text(), enumerate("and", values))
		}
	})
}

const notOneOf = "Invalid value: '%s'. Supported values are: %s."

// NotOneOf is the error for a text that is none of these values.
func NotOneOf(path, got string, values []string) *Error {
	return Bad(path, "invalid_value", notOneOf, got, enumerate("and", values))
}

// Enumerate writes values as 'a', 'b', and 'c', and Alternatives as 'a', 'b', or 'c'.
func Enumerate(values []string) string { return enumerate("and", values) }

// Alternatives is described at Enumerate.
func Alternatives(values []string) string { return enumerate("or", values) }

func enumerate(word string, values []string) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = "'" + v + "'"
	}
	switch n := len(quoted); n {
	case 1:
		return quoted[0]
	case 2:
		return quoted[0] + " " + word + " " + quoted[1]
	default:
		return strings.Join(quoted[:n-1], ", ") + ", " + word + " " + quoted[n-1]
	}
}

// EachOneOf accepts an array of these strings. In the error for another type, long values are shortened.
func EachOneOf(values ...string) ValueCheck {
	const longest, shown = 15, 3
	short := slices.Clone(values)
	for i, v := range values {
		if len(v) > longest {
			short[i] = v[:shown] + "..." + v[len(v)-shown:]
		}
	}
	return ArrayOf("an array of one of "+enumerate("or", short), 0, Unbounded, OneOf(values...))
}

// Integer accepts an integer from least to most.
func Integer(least, most int64) ValueCheck {
	return func(c *Checker, v ojson.Value) {
		if !v.IsInteger() {
			c.FailType("an integer", v)
			return
		}
		n, fits := v.Int()
		low := n < least
		if !fits {
			low = strings.HasPrefix(v.Text(), "-")
		}
		switch { // The numbers of which scenarios hear decide about the size of an answer.
		case low:
			c.report(Bad(c.Path(), "integer_below_min_value",
				"Invalid '%s': integer below minimum value. Expected a value >= %d, but got %s instead.", c.Path(), least, v.Text()))
		case !fits || n > most:
			c.report(Bad(c.Path(), "integer_above_max_value",
				"Invalid '%s': integer above maximum value. Expected a value <= %d, but got %s instead.", c.Path(), most, v.Text()))
		}
	}
}

// Decimal accepts a number from least to most.
func Decimal(least, most float64) ValueCheck {
	return IsOf(ojson.NumberKind, "a decimal", func(c *Checker, v ojson.Value) {
		n, _ := strconv.ParseFloat(v.Text(), 64)
		switch {
		case n < least:
			c.Fail("decimal_below_min_value",
				"Invalid '%s': decimal below minimum value. Expected a value >= %v, but got %s instead.", c.Path(), least, v.Text())
		case n > most:
			c.Fail("decimal_above_max_value",
				"Invalid '%s': decimal above maximum value. Expected a value <= %v, but got %s instead.", c.Path(), most, v.Text())
		}
	})
}

// Unbounded is the maximum length of a list without one.
const Unbounded = 1 << 30

// ArrayOf accepts an array of least to most items.
func ArrayOf(expected string, least, most int, item ValueCheck) ValueCheck {
	return IsOf(ojson.ArrayKind, expected, func(c *Checker, v ojson.Value) {
		switch n := len(v.Items()); {
		case n == 0 && least > 0:
			c.Fail("empty_array",
				"Invalid '%s': empty array. Expected an array with minimum length %d, but got an empty array instead.", c.Path(), least)
		case n > most:
			c.Fail("array_above_max_length",
				"Invalid '%s': array too long. Expected an array with maximum length %d, but got an array with length %d instead.", c.Path(), most, n)
		}
		for i, value := range v.Items() {
			c.checkAt(place{item: i}, value, item)
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
	return IsOf(ojson.ObjectKind, "an object", func(c *Checker, v ojson.Value) { c.checkNoOthers(v, members) })
}

// checkNoOthers checks that an object has no other members than these.
func (c *Checker) checkNoOthers(v ojson.Value, members []Member) {
	for i := range members {
		if c.probed != nil {
			c.probed[c.Path()] = append(c.probed[c.Path()], members[i].name)
		}
	}
	c.missing(v, members)
	if !c.lenient {
		for _, name := range c.unknown(v, members) {
			c.checkAt(place{name: name}, v, func(c *Checker, _ ojson.Value) { c.Fail("unknown_parameter", "Unknown parameter: '%s'.", c.Path()) })
		}
	}
	c.members(v, members)
}

// OpenObject accepts an object with these members and any others.
func OpenObject(members ...Member) ValueCheck {
	return IsOf(ojson.ObjectKind, "an object", func(c *Checker, v ojson.Value) {
		c.missing(v, members)
		c.members(v, members)
	})
}

// Dictionary accepts an object of at most most members, whose names have at most longest characters.
func Dictionary(expected string, most, longest int, value ValueCheck) ValueCheck {
	return IsOf(ojson.ObjectKind, expected, func(c *Checker, v ojson.Value) {
		if n := len(v.Members()); n > most {
			c.Fail("object_above_max_properties",
				"Invalid '%s': too many properties. Expected an object with at most %d properties, but got an object with %d properties instead.", c.Path(), most, n)
		}
		for _, m := range v.Members() {
			if n := utf8.RuneCountInString(m.Name); n > longest && !c.lenient {
				c.report(Bad(c.Path()+"."+m.Name, "property_name_above_max_length",
					"Invalid property name in '%s': '%s...%s' is too long. Expected a string with maximum length %d, but got a string with length %d instead.",
					c.Path(), string([]rune(m.Name)[:3]), string([]rune(m.Name)[n-3:]), longest, n))
			}
			c.checkAt(place{name: m.Name}, m.Value, value)
		}
	})
}

// Metadata accepts the metadata of a request.
func Metadata() ValueCheck { return Dictionary("a metadata object", 16, 64, StrUpTo(512)) }

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
	return IsOf(ojson.ObjectKind, "an object", func(c *Checker, v ojson.Value) {
		c.missing(v, keyMember)
		if c.members(v, keyMember); c.wrong == nil {
			c.checkNoOthers(v, cases[v.Get(key).Text()])
		}
	})
}

// ByType accepts an object of one of several cases, told apart by type. An unknown type
// is reported at the place of the object, as newer APIs do.
func ByType(expected string, cases map[string]ValueCheck) ValueCheck {
	known := slices.Sorted(maps.Keys(cases))
	unknown, need := OneOf(known...), []Member{Need("type", OneOf(known...))}
	return IsOf(ojson.ObjectKind, expected, func(c *Checker, v ojson.Value) {
		kind := v.Get("type")
		check, isKnown := cases[kind.Text()]
		switch {
		case isKnown:
			check(c, v)
		case kind.IsNullOrAbsent():
			c.missing(v, need)
			c.members(v, need)
		default:
			unknown(c, textOf(kind))
		}
	})
}

// textOf returns a text, or an empty one for any other value.
func textOf(v ojson.Value) ojson.Value {
	if v.Kind() != ojson.StringKind {
		return ojson.String("")
	}
	return v
}

// TextOr accepts a string or a value of another kind; expected names both for the
// error.
func TextOr(expected string, text ValueCheck, kind ojson.Kind, other ValueCheck) ValueCheck {
	return func(c *Checker, v ojson.Value) {
		switch v.Kind() {
		case ojson.StringKind:
			text(c, v)
		case kind:
			other(c, v)
		default:
			c.FailType(expected, v)
		}
	}
}

// Contents accepts the content of a message as scenarios read it: a text, or a list of parts that may have texts.
func Contents(expected string) ValueCheck {
	return TextOr(expected, AnyValue, ojson.ArrayKind, Objects(0, Unbounded, OrNull(OpenObject(May("text", Str()).Seen()))))
}

// TextOf is the text of a content: itself, or the texts of its parts, one on each line.
func TextOf(content ojson.Value) string {
	if content.Kind() == ojson.StringKind {
		return content.Text()
	}
	var texts []string
	for _, part := range content.Items() {
		if text := part.Get("text"); !text.IsNullOrAbsent() {
			texts = append(texts, text.Text())
		}
	}
	return strings.Join(texts, "\n")
}

// Later is a check that is made when it is first asked for: most servers never meet a request that needs it.
func Later(made func() ValueCheck) ValueCheck {
	once := sync.OnceValue(made)
	return func(c *Checker, v ojson.Value) { once()(c, v) }
}
