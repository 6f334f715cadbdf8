package table

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

// StringCodec reads a text in which templates are not rendered, and refuses {{ }} in it.
// It refuses a number without quotes, which may be meant as a number.
func StringCodec(word string) Codec {
	return Validated(SourceCodec(word), func(d *Decoder, n *yaml.Node, v *string) bool { return d.refuseTemplate(n, *v) })
}

func (d *Decoder) refuseTemplate(n *yaml.Node, text string) bool {
	start := strings.Index(text, "{{")
	if start < 0 || !strings.Contains(text[start:], "}}") {
		return true
	}
	hint := "templates work in the texts that are sent, such as content, arguments, headers and the envelope"
	switch {
	case d.isInside("when") && d.isUnder("model", "tools", "id"):
		hint = "a condition cannot be a template"
	case d.isInside("when"):
		hint = "a condition cannot be a template; to match a text with braces, write { matches: " + InSingleQuotes("^"+regexp.QuoteMeta(text)+"$") + " }"
	}
	d.Report(n, hint, "{{ }} is not rendered here")
	return false
}

// SourceCodec reads a text that may contain {{ }}: a template, or a text for people.
func SourceCodec(word string) Codec {
	return NewCodec(
		Codec{Noun: word, Shapes: node.Text, AnyText: true, Schema: SchemaOf("string")},
		func(d *Decoder, n *yaml.Node) (string, bool) {
			if !utf8.ValidString(n.Value) {
				d.Report(n, "write it as an ordinary text; bytes that are not UTF-8 work only in texts that are sent, such as content", "%s must be UTF-8", word)
				return "", false
			}
			return n.Value, true
		},
		node.Quoted,
	)
}

// NameCodec reads a text that must not be empty.
func NameCodec(word string) Codec { return NotEmpty(word, StringCodec(word)) }

// NotEmpty returns c, which now refuses an empty text.
func NotEmpty(word string, c Codec) Codec {
	c = Refusing(c, func(v *string) bool { return *v == "" }, "", "expected "+word+", found an empty text")
	c.Schema = SchemaOf("string", ojson.M("minLength", ojson.Int(1)))
	return c
}

// LooseCodec reads a text, also a number or a boolean without quotes. It is for places
// where only a text can be meant.
func LooseCodec(word string) Codec {
	c := SourceCodec(word)
	c.Shapes = node.Text | node.Number | node.Bool
	c.Schema = SchemaOf("string number boolean")
	return c
}

// WordCodec reads one of the given words. A word made of digits needs no quotes.
func WordCodec(words ...string) Codec {
	choice := "one of " + strings.Join(words, ", ")
	if len(words) == 1 {
		choice = words[0]
	}
	c := Validated(StringCodec(choice), func(d *Decoder, n *yaml.Node, v *string) bool {
		if slices.Contains(words, *v) {
			return true
		}
		mended := cmp.Or(DidYouMean(d.ownSynonyms(*v, words)...), DidYouMean(diag.NearestLoosely(*v, words)), sizeHint(n))
		d.Report(n, mended, "expected %s, found %q", choice, node.Abbreviate(*v))
		return false
	})
	c.AnyText = false
	values := ojson.Array()
	for _, w := range words {
		values.Push(ojson.String(w))
		if n, err := strconv.ParseInt(w, 10, 64); err == nil {
			c.Shapes |= node.Number
			values.Push(ojson.Int(n))
		}
	}
	c.Write = func(from any) *yaml.Node {
		if n := node.Plain(*from.(*string)); node.ShapeOf(n) == node.Text {
			return n
		}
		return node.Quoted(*from.(*string))
	}
	c.Schema = func(*Writer) ojson.Value { return ojson.Object(ojson.M("enum", values)) }
	return c
}

// BoolCodec reads true or false.
func BoolCodec() Codec {
	return NewCodec(
		Codec{Noun: "true or false", Shapes: node.Bool, Schema: SchemaOf("boolean")},
		func(_ *Decoder, n *yaml.Node) (bool, bool) { return strings.EqualFold(n.Value, "true"), true },
		func(v bool) *yaml.Node { return node.Plain(strconv.FormatBool(v)) },
	)
}

// TrueCodec reads true.
func TrueCodec() Codec {
	c := Refusing(BoolCodec(), func(v *bool) bool { return !*v }, "leave it out", "expected true, found false")
	c.Noun = "true"
	c.Schema = func(*Writer) ojson.Value { return ojson.Object(ojson.M("const", ojson.Bool(true))) }
	return c
}

// MaxCount is the largest number of repetitions.
const MaxCount = 1_000_000

// MaxSeconds is the year 9999, in seconds since 1970.
const MaxSeconds = 253402300799

// IntCodec reads a whole number within bounds.
func IntCodec[T int | int64](word string, least, most T) Codec {
	bounds := []ojson.Member{ojson.M("minimum", ojson.Int(int64(least)))}
	if int64(most) < math.MaxInt64 {
		bounds = append(bounds, ojson.M("maximum", ojson.Int(int64(most))))
	}
	return NewCodec(
		Codec{Noun: word, Shapes: node.Number, Schema: SchemaOf("integer", bounds...), Instead: func(_ *Decoder, n *yaml.Node) string {
			if slices.Contains([]string{"forever", "infinite", "infinity", "unlimited"}, n.Value) {
				return fmt.Sprintf("write %d, which is the most", most)
			}
			return sizeHint(n)
		}},
		func(d *Decoder, n *yaml.Node) (T, bool) {
			v, err := strconv.ParseInt(n.Value, 10, 64)
			switch {
			case node.IsOddNumber(n):
				d.Report(n, node.PlainNumber(n.Value), "expected %s, found %s", word, n.Value)
			case err != nil:
				d.Report(n, "", "expected %s, found %s", word, node.InWords(n))
			case v < int64(least):
				d.Report(n, "", "expected %s, found %d: it must be at least %d", word, v, least)
			case v > int64(most):
				d.Report(n, "", "expected %s, found %d: it must be at most %d", word, v, most)
			default:
				return T(v), true
			}
			return 0, false
		},
		func(v T) *yaml.Node { return node.Plain(strconv.FormatInt(int64(v), 10)) },
	)
}

// FloatCodec reads a number greater than zero and not greater than most.
func FloatCodec(word string, most float64) Codec {
	bounds := []ojson.Member{ojson.M("exclusiveMinimum", ojson.Int(0)), ojson.M("maximum", ojson.Number(formatFloat(most)))}
	return floatCodec(word, bounds, func(v float64) bool { return v > 0 && v <= most }, "greater than 0 and at most "+formatFloat(most))
}

// NumberCodec reads a number from least to most.
func NumberCodec(word string, least, most float64) Codec {
	bounds := []ojson.Member{ojson.M("minimum", ojson.Number(formatFloat(least))), ojson.M("maximum", ojson.Number(formatFloat(most)))}
	return floatCodec(word, bounds, func(v float64) bool { return v >= least && v <= most }, fmt.Sprintf("at least %s and at most %s", formatFloat(least), formatFloat(most)))
}

// floatCodec reads a number that is within bounds, which inWords names.
func floatCodec(word string, bounds []ojson.Member, within func(float64) bool, inWords string) Codec {
	return NewCodec(
		Codec{Noun: word, Shapes: node.Number, Schema: SchemaOf("number", bounds...)},
		func(d *Decoder, n *yaml.Node) (float64, bool) {
			v, err := strconv.ParseFloat(n.Value, 64)
			switch {
			case node.IsOddNumber(n):
				d.Report(n, node.PlainNumber(n.Value), "expected %s, found %s", word, n.Value)
			case err != nil || !within(v):
				d.Report(n, "", "expected %s, found %s: it must be %s", word, n.Value, inWords)
			default:
				return v, true
			}
			return 0, false
		},
		func(v float64) *yaml.Node { return node.Plain(formatFloat(v)) },
	)
}

func formatFloat(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// ChanceCodec reads a probability: a number up to 1, or a percentage.
func ChanceCodec() Codec {
	c := FloatCodec("a chance such as 0.25 or 25%", 1)
	get, number := c.Get, c.Schema
	c.Shapes |= node.Text
	c.Get = func(d *Decoder, n *yaml.Node, into any) bool {
		percent, isPercentage := strings.CutSuffix(n.Value, "%")
		v, err := strconv.ParseFloat(strings.TrimSuffix(percent, " "), 64)
		switch {
		case err == nil && v == 0:
			d.Report(n, "leave out what it stands beside", "a chance of 0 is never")
		case isPercentage && err == nil && v > 0 && v <= 100:
			*into.(*float64) = v / 100
			return true
		case isPercentage && err == nil:
			d.Report(n, "write at most 100%", "expected %s, found %s", c.Noun, n.Value)
		case node.ShapeOf(n) == node.Text:
			d.Report(n, "", "expected %s, found %s", c.Noun, node.InWords(n))
		default:
			return get(d, n, into)
		}
		return false
	}
	c.Schema = func(w *Writer) ojson.Value {
		return ojson.Object(ojson.M("anyOf", ojson.Array(number(w), ojson.Object(ojson.M("type", ojson.String("string")), ojson.M("pattern", ojson.String(`^[0-9.]+ ?%$`))))))
	}
	return c
}

// longestDuration is the longest duration in a scenario. The sum of all pauses of the
// longest possible stream still fits a [time.Duration].
const longestDuration = 24 * time.Hour

// DurationCodec reads a duration in Go's notation. Zero needs no unit.
func DurationCodec() Codec {
	const word = "a duration such as 50ms"
	return NewCodec(
		Codec{Noun: word, Shapes: node.Text | node.Number, Instead: func(_ *Decoder, n *yaml.Node) string { return cmp.Or(rangeHint(n), writeHint(otherUnits(n))) }, Schema: func(*Writer) ojson.Value {
			return ojson.Object(ojson.M("anyOf", ojson.Array(
				ojson.Object(ojson.M("type", ojson.String("string")), ojson.M("pattern", ojson.String(durationPattern))),
				ojson.Object(ojson.M("const", ojson.Int(0))),
			)))
		}},
		func(d *Decoder, n *yaml.Node) (time.Duration, bool) {
			v, err := time.ParseDuration(n.Value)
			switch {
			case err != nil && bareNumber().MatchString(n.Value):
				d.Report(n, fmt.Sprintf("write %sms or %ss", n.Value, n.Value), "expected %s, found %s without a unit", word, n.Value)
			case err != nil:
				d.Report(n, cmp.Or(rangeHint(n), writeHint(otherUnits(n)), "units are ns, us, ms, s, m, h"), "expected %s, found %s", word, node.InWords(n))
			case v < 0:
				d.Report(n, "", "a duration cannot be negative, found %s", n.Value)
			case v > longestDuration:
				d.Report(n, "", "a duration can be at most 24h, found %s", n.Value)
			default:
				return v, true
			}
			return 0, false
		},
		func(v time.Duration) *yaml.Node { return node.Plain(v.String()) },
	)
}

// pauseRange matches two durations, of which the first can be without a unit.
var pauseRange = node.Lazily(`^(?:between )?([0-9.]+) ?([a-z]*) *(-|–|\.\.+|to|and|±|\+/-|\+-) *([0-9.]+) ?([a-z]+)$`)

// Range returns the middle between two pauses, and half their difference. The value is a list, a mapping of bounds, in
// which numbers are milliseconds, or a text such as 1s-2s or 1s ± 200ms. Ok is false for another value.
func Range(n *yaml.Node) (middle, spread time.Duration, ok bool) {
	low, sign, high := "", "", ""
	if m := pauseRange().FindStringSubmatch(strings.ToLower(n.Value)); m != nil {
		low, sign, high = m[1]+cmp.Or(m[2], m[5]), m[3], m[4]+m[5]
	} else if len(n.Content) == 2 && n.Kind == yaml.SequenceNode {
		low, high = n.Content[0].Value, n.Content[1].Value
	}
	for _, p := range node.Members(n) {
		switch Snake(p.Name) {
		case "min", "lower", "low", "from", "min_ms", "minimum":
			low = p.Value.Value
		case "max", "upper", "high", "to", "max_ms", "maximum":
			high = p.Value.Value
		}
	}
	from, err := time.ParseDuration(cmp.Or(looseDuration(low), low+"ms"))
	to, err2 := time.ParseDuration(cmp.Or(looseDuration(high), high+"ms"))
	if strings.ContainsAny(sign, "±+") {
		return from, to, err == nil && err2 == nil
	}
	return (from + to) / 2, (to - from) / 2, err == nil && err2 == nil
}

// rangeHint returns the hint for pauses between two bounds, as a list or in one text, or around a mean.
func rangeHint(n *yaml.Node) string {
	if middle, spread, ok := Range(n); ok {
		return fmt.Sprintf("write every: %s, jitter: %s", middle, spread)
	}
	return ""
}

var (
	spelledUnit   = node.Lazily(`^(?:(?:after|for|about) )?([0-9.]+|half an?|an?|one|two|three|five|ten|thirty)[ _-]?(?:of a )?(?:(us|µs|micro\w*)|(ms|msecs?|milli\w*)|(s|secs?|seconds?)|(m|mins?|minutes?)|(h|hrs?|hours?))$`)
	bareNumber    = node.Lazily(`^[0-9]*\.?[0-9]+$`)
	spelledNumber = map[string]string{"half a": "0.5", "half an": "0.5", "a": "1", "an": "1", "one": "1", "two": "2", "three": "3", "five": "5", "ten": "10", "thirty": "30"}
)

// writeHint is a hint to write a value; "" if there is none.
func writeHint(value string) string {
	if value == "" {
		return ""
	}
	return "write " + value
}

// looseDuration returns a duration as the language spells it, such as 2s for "two seconds" or "2 SEC"; "" for another text.
func looseDuration(text string) string {
	m := spelledUnit().FindStringSubmatch(strings.ToLower(text))
	for i, unit := range []string{"us", "ms", "s", "m", "h"} {
		if m != nil && m[i+2] != "" {
			return cmp.Or(spelledNumber[m[1]], m[1]) + unit
		}
	}
	return ""
}

// otherUnits returns a duration in other words: with a unit in other letters, or as a mapping such as { value: 2, unit: seconds }
// or { seconds: 2 }; "" for another value.
func otherUnits(n *yaml.Node) string {
	value, unit := "", ""
	for _, p := range node.Members(n) {
		switch name := Snake(p.Name); {
		case strings.HasSuffix(name, "unit") || strings.HasSuffix(name, "units"):
			unit = p.Value.Value
		case looseDuration("1 "+name) != "" && len(n.Content) == 2:
			value, unit = p.Value.Value, name
		case p.Value.Kind == yaml.ScalarNode:
			value = p.Value.Value
		}
	}
	return cmp.Or(looseDuration(n.Value), looseDuration(value+" "+unit))
}

// durationMended is what editors say about a text that does not match.
const durationMended = "a duration needs a unit: write 50ms, 1.5s or 2m"

// durationPattern is the regular expression for durations in the JSON Schema.
const durationPattern = `^\+?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$`

// PathCodec reads a path: the name of a place in a JSON value.
func PathCodec() Codec {
	const word = "a path such as choices[0].delta.content"
	return NewCodec(
		Codec{Noun: word, Shapes: node.Text, Schema: SchemaOf("string", ojson.M("minLength", ojson.Int(1)))},
		func(d *Decoder, n *yaml.Node) (scenarios.Path, bool) { return d.Path(n) },
		func(p scenarios.Path) *yaml.Node { return node.Quoted(p.String()) },
	)
}

// Path reads the path in n.
func (d *Decoder) Path(n *yaml.Node) (scenarios.Path, bool) {
	p, err := ojson.ParsePath(n.Value)
	if err != nil {
		d.Report(n, pathHint(err), "%s", err)
		return scenarios.Path{}, false
	}
	if !d.refuseTemplate(n, n.Value) {
		return scenarios.Path{}, false
	}
	return scenarios.Path{Path: p, Pos: d.Pos(n)}, true
}

// pathHint returns what to write instead of a text that is no path.
func pathHint(err error) string {
	if bad, ok := errors.AsType[*ojson.PathError](err); ok && bad.Instead != "" {
		return "write " + bad.Instead
	}
	return "a path looks like choices[0].delta.content"
}

// InSingleQuotes returns a text in single quotes, in which YAML has no escapes.
func InSingleQuotes(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

var sizeWithUnit = node.Lazily(`^([0-9]{1,6}) ?([kKMG])(i?)B?$`)

var countWithNoun = node.Lazily(`^([0-9]{1,6}) ?(bytes?|characters?|chunks?|events?|frames?|pieces?|times|tokens?|words?)$`)

// sizeHint returns the hint for a number with a unit, such as 64 KiB or 3 chunks.
func sizeHint(n *yaml.Node) string {
	if node.ShapeOf(n) != node.Text {
		return ""
	}
	if m := countWithNoun().FindStringSubmatch(n.Value); m != nil {
		return "write " + m[1]
	}
	m := sizeWithUnit().FindStringSubmatch(n.Value)
	if m == nil {
		return ""
	}
	factor := int64(1000)
	if m[3] != "" {
		factor = 1024
	}
	size, _ := strconv.ParseInt(m[1], 10, 64) // six digits
	for range strings.Index("KMG", strings.ToUpper(m[2])) + 1 {
		size *= factor
	}
	return fmt.Sprintf("write %d", size)
}
