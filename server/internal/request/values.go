package request

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// orNull lets a value be null.
func orNull(check valueCheck) valueCheck {
	return func(c *requestChecker, path string, v ojson.Value) {
		if !v.IsNull() {
			check(c, path, v)
		}
	}
}

// anyValue takes every value.
func anyValue(*requestChecker, string, ojson.Value) {}

// isOf checks the type of a value, and goes on if it is right.
func isOf(kind ojson.Kind, expected string, next valueCheck) valueCheck {
	return func(c *requestChecker, path string, v ojson.Value) {
		if v.Kind() != kind {
			c.report(typePhase, invalidType(path, expected, v))
			return
		}
		next(c, path, v)
	}
}

func boolean() valueCheck { return isOf(ojson.BoolKind, "a boolean", anyValue) }

func str() valueCheck { return isOf(ojson.StringKind, "a string", anyValue) }

// strUpTo is a string of at most that many characters.
func strUpTo(most int) valueCheck {
	return isOf(ojson.StringKind, "a string", func(c *requestChecker, path string, v ojson.Value) { c.length(path, v.Text(), most) })
}

func (c *requestChecker) length(path, text string, most int) {
	if n := utf8.RuneCountInString(text); n > most {
		c.report(boundsPhase, Bad(path, "string_above_max_length",
			"Invalid '%s': string too long. Expected a string with maximum length %d, but got a string with length %d instead.", path, most, n))
	}
}

var requestNamePattern = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

// nameStr is the name of a tool, a function or a schema.
func nameStr() valueCheck {
	return isOf(ojson.StringKind, "a string", func(c *requestChecker, path string, v ojson.Value) {
		switch {
		case v.Text() == "":
			c.report(boundsPhase, Bad(path, "empty_string",
				"Invalid '%s': empty string. Expected a string with minimum length 1, but got an empty string instead.", path))
		case !requestNamePattern.MatchString(v.Text()):
			c.report(boundsPhase, Bad(path, "invalid_value",
				"Invalid '%s': string does not match pattern. Expected a string that matches the pattern '%s'.", path, requestNamePattern))
		}
		c.length(path, v.Text(), 64)
	})
}

// oneOf is one of these strings.
func oneOf(values ...string) valueCheck {
	return isOf(ojson.StringKind, "a string", func(c *requestChecker, path string, v ojson.Value) {
		if !slices.Contains(values, v.Text()) {
			c.report(boundsPhase, unsupported(path, v.Text(), values))
		}
	})
}

func unsupported(path, got string, values []string) *Error {
	return Bad(path, "invalid_value", "Invalid value: '%s'. Supported values are: %s.", got, enumerate(values))
}

// enumerate is 'a', 'b', and 'c'.
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

func integer(least, most int64) valueCheck {
	return func(c *requestChecker, path string, v ojson.Value) {
		if !v.IsInteger() {
			c.report(typePhase, invalidType(path, "an integer", v))
			return
		}
		if err := integerOutside(v, path, least, most); err != nil {
			c.report(boundsPhase, err)
		}
	}
}

func decimal(least, most float64) valueCheck {
	return isOf(ojson.NumberKind, "a decimal", func(c *requestChecker, path string, v ojson.Value) {
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

// unbounded stands for no upper bound of a list.
const unbounded = 1 << 30

// arrayOf is an array of least to most items.
func arrayOf(expected string, least, most int, item valueCheck) valueCheck {
	return isOf(ojson.ArrayKind, expected, func(c *requestChecker, path string, v ojson.Value) {
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

func objects(least, most int, item valueCheck) valueCheck {
	return arrayOf("an array of objects", least, most, item)
}

func strs(least, most int, item valueCheck) valueCheck {
	return arrayOf("an array of strings", least, most, item)
}

// object is an object with these members and no others.
func object(members ...bodyMember) valueCheck {
	return isOf(ojson.ObjectKind, "an object", func(c *requestChecker, path string, v ojson.Value) {
		c.members(path, v, members)
		c.unknown(path, v, members)
	})
}

// dictionary is an object with any members, at most that many.
func dictionary(most int, name func(c *requestChecker, path, name string), value valueCheck) valueCheck {
	return isOf(ojson.ObjectKind, "an object", func(c *requestChecker, path string, v ojson.Value) {
		if n := len(v.Members()); n > most {
			c.report(boundsPhase, Bad(path, "object_above_max_properties",
				"Invalid '%s': too many properties. Expected an object with at most %d properties, but got an object with %d properties instead.", path, most, n))
		}
		for _, m := range v.Members() {
			name(c, path, m.Name)
			value(c, path+"."+m.Name, m.Value)
		}
	})
}

// variant is one of the objects that a discriminating member tells apart.
type variant struct {
	value   string
	members []bodyMember
}

// variants is an object whose member key says which other members there are.
func variants(key string, list ...variant) valueCheck {
	var values []string
	for _, v := range list {
		values = append(values, v.value)
	}
	return isOf(ojson.ObjectKind, "an object", func(c *requestChecker, path string, v ojson.Value) {
		c.members(path, v, []bodyMember{need(key, oneOf(values...))})
		for _, choice := range list {
			if v.Get(key).Text() == choice.value {
				all := append([]bodyMember{may(key, anyValue)}, choice.members...)
				c.members(path, v, all)
				c.unknown(path, v, all)
			}
		}
	})
}

// textOr is a string or something else; expected names both.
func textOr(expected string, text valueCheck, kind ojson.Kind, other valueCheck) valueCheck {
	return func(c *requestChecker, path string, v ojson.Value) {
		switch v.Kind() {
		case ojson.StringKind:
			text(c, path, v)
		case kind:
			other(c, path, v)
		default:
			c.report(typePhase, invalidType(path, expected, v))
		}
	}
}
