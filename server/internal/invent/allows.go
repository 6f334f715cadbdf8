package invent

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// allows reports whether the words of a schema about texts and numbers allow a value of
// its enum or const.
func (s *satisfier) allows(schema, v ojson.Value) bool {
	switch v.Kind() {
	case ojson.StringKind:
		return s.allowsText(schema, v.Text())
	case ojson.NumberKind:
		return allowsNumber(schema, v.Text())
	}
	return true
}

func (s *satisfier) allowsText(schema ojson.Value, text string) bool {
	n := utf8.RuneCountInString(text)
	if n < limitOf(schema, "minLength", 0) || n > limitOf(schema, "maxLength", math.MaxInt) {
		return false
	}
	source := schema.Get("pattern")
	return source.Kind() != ojson.StringKind || s.matches(source.Text(), text)
}

func allowsNumber(schema ojson.Value, spelling string) bool {
	f, err := strconv.ParseFloat(spelling, 64)
	if err != nil {
		return true
	}
	for word, sign := range map[string]float64{"minimum": 1, "exclusiveMinimum": 1, "maximum": -1, "exclusiveMaximum": -1} {
		limit, err := strconv.ParseFloat(schema.Get(word).Text(), 64)
		if err != nil {
			continue
		}
		// In old schemas, the word for an excluded bound is true.
		excluded := word[0] == 'e' || schema.Get("exclusive"+strings.ToUpper(word[:1])+word[1:]).Text() == "true"
		if distance := (f - limit) * sign; distance < 0 || distance == 0 && excluded {
			return false
		}
	}
	unit, err := strconv.ParseFloat(schema.Get("multipleOf").Text(), 64)
	return err != nil || unit <= 0 || math.Abs(math.Remainder(f, unit)) <= 1e-9*unit
}
