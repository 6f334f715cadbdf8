package invent

import (
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// text generates a string: for its pattern, its format, the name of its member, or else
// a few words.
func (s *satisfier) text(schema ojson.Value, name string) string {
	least, most := limitOf(schema, "minLength", 0), limitOf(schema, "maxLength", math.MaxInt)
	if least > scenarios.MaxText {
		s.fail("it asks for a text of %d characters", least)
	}
	if least > most {
		s.fail("it asks for a text of at least %d and at most %d characters", least, most)
	}
	candidate, exact := s.candidates(schema, name)
	const tries = 200
	for range tries {
		if s.err != nil {
			return ""
		}
		text, ok := candidate()
		s.spend(1 + len(text)/textPerStep)
		if n := utf8.RuneCountInString(text); ok && n >= least && n <= most {
			return text
		}
	}
	if exact {
		s.fail("no text of %d to %d characters was found for its pattern or format", least, most)
		return ""
	}
	return s.wordsOfLength(least, most)
}

// candidates returns a function that generates texts to try. Exact says that no other
// texts will do.
func (s *satisfier) candidates(schema ojson.Value, name string) (next func() (string, bool), exact bool) {
	format := schema.Get("format").Text()
	known := format != "" && s.formatted(format) != ""
	formatted := func() (string, bool) { return s.formatted(format), true }
	if p := schema.Get("pattern"); p.Kind() == ojson.StringKind {
		compiled := s.pattern(p.Text())
		if !known {
			return func() (string, bool) { return s.matching(compiled) }, true
		}
		return s.either(formatted, compiled), true
	}
	if known {
		return formatted, true
	}
	if function := strings.ToLower(withoutGaps.Replace(name)); Function(function) != nil {
		return func() (string, bool) {
			text, err := s.Faker.Value(function)
			return text, err == nil
		}, false
	}
	return func() (string, bool) { return s.words(1 + s.IntN(4)), true }, false
}

// either generates texts of the format that also match the pattern. If there seem to be
// none, it generates texts for the pattern alone.
func (s *satisfier) either(formatted func() (string, bool), p *pattern) func() (string, bool) {
	const tries = 20
	n := 0
	return func() (string, bool) {
		if n++; n > tries {
			return s.matching(p)
		}
		text, _ := formatted()
		return text, s.matches(p.String(), text)
	}
}

// withoutGaps removes what separates the words of a name.
var withoutGaps = strings.NewReplacer("_", "", "-", "", " ", "")

// wordsOfLength generates words, cut to a length within bounds.
func (s *satisfier) wordsOfLength(least, most int) string {
	const usual = 20
	size := max(least, min(usual, most))
	var text strings.Builder
	text.WriteString(s.words(1))
	for text.Len() < size {
		word := " " + s.words(1)
		if text.Len()/textPerStep != (text.Len()+len(word))/textPerStep && !s.spend(1) {
			return ""
		}
		text.WriteString(word)
	}
	return text.String()[:size]
}

// The range of invented dates is fixed, so that they stay the same every year.
var (
	firstDate = time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)
	dateSpan  = int64(30 * 365 * 24 * time.Hour / time.Second)
)

// formatted generates a text in a format of JSON Schema; "" for an unknown format.
func (s *satisfier) formatted(format string) string {
	moment := firstDate.Add(time.Duration(s.Int64N(dateSpan)) * time.Second)
	octet := func() int { return 1 + s.IntN(254) }
	word := func() string { return strings.ToLower(s.words(1)) }
	switch format {
	case "date-time":
		return moment.Format(time.RFC3339)
	case "date":
		return moment.Format(time.DateOnly)
	case "time":
		return moment.Format("15:04:05Z")
	case "duration":
		return fmt.Sprintf("PT%dM", 1+s.IntN(59))
	case "email", "idn-email":
		return word() + "." + word() + "@example.com"
	case "hostname", "idn-hostname":
		return word() + ".example.com"
	case "ipv4":
		return fmt.Sprintf("%d.%d.%d.%d", octet(), octet(), octet(), octet())
	case "ipv6":
		return fmt.Sprintf("2001:db8::%x:%x", octet(), octet())
	case "uuid":
		h := Text(s.Rand, Hex, 30)
		return h[:8] + "-" + h[8:12] + "-4" + h[12:15] + "-a" + h[15:18] + "-" + h[18:]
	case "uri", "iri", "url":
		return "https://example.com/" + word()
	case "uri-reference", "iri-reference", "json-pointer":
		return "/" + word()
	case "regex":
		return "^" + word() + "$"
	}
	return ""
}
