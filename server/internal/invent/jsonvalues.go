package invent

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// array generates an array. Without bounds it has one to three items; beyond the depth
// limit it has as few as allowed.
func (s *satisfier) array(schema ojson.Value, name string, depth int) ojson.Value {
	list := ojson.Array()
	shape := s.shape(schema, depth)
	var known map[string]bool
	if schema.Get("uniqueItems").Text() == "true" {
		known = map[string]bool{}
	}
	for i := range shape.size {
		items := shape.others
		if i < len(shape.first) {
			items = shape.first[i]
		}
		item := s.item(known, items, name, depth)
		if item.IsAbsent() && i < shape.least {
			s.fail("no %d different items were found", shape.least)
		}
		if item.IsAbsent() || s.err != nil {
			break
		}
		list.Push(item)
	}
	return list
}

// arrayShape is the plan of an array: how many items it gets, and of which schemas.
type arrayShape struct {
	first       []ojson.Value // first are the schemas of the first items.
	others      ojson.Value   // others is the schema of all items after the first.
	least, size int           // least is how many items the schema requires, size is how many are generated.
}

// shape plans the items of an array. A tuple is complete if the schema allows it,
// because readers of tuples expect all items.
func (s *satisfier) shape(schema ojson.Value, depth int) arrayShape {
	least, most := limitOf(schema, "minItems", 0), limitOf(schema, "maxItems", math.MaxInt)
	first, others := itemSchemas(schema)
	if others.Kind() == ojson.BoolKind && others.Text() == "false" {
		most = min(most, len(first))
	}
	if least > most {
		s.fail("it asks for at least %d items and for at most %d", least, most)
		return arrayShape{}
	}
	size := max(least, min(most, max(1+s.IntN(3), len(first))))
	if depth >= enoughNesting {
		size = least
	}
	if size > maxValues {
		s.fail("it asks for more than %d values", maxValues)
		return arrayShape{}
	}
	return arrayShape{first: first, others: others, least: least, size: size}
}

// item generates one item. If known is not nil, the item must differ from all in known;
// it is Absent if no such item was found.
func (s *satisfier) item(known map[string]bool, schema ojson.Value, name string, depth int) ojson.Value {
	const tries = 100
	for range tries {
		item := s.value(schema, strings.TrimSuffix(name, "s"), depth+1)
		if known == nil {
			return item
		}
		text := item.String()
		if !s.spend(len(text)/textPerStep) || !known[text] {
			known[text] = true
			return item
		}
	}
	return ojson.Value{}
}

// itemSchemas returns the schemas of the first items of an array, and the schema of all
// others.
func itemSchemas(schema ojson.Value) (first []ojson.Value, others ojson.Value) {
	first, others = schema.Get("prefixItems").Items(), schema.Get("items")
	if others.Kind() == ojson.ArrayKind {
		first, others = others.Items(), schema.Get("additionalItems")
	}
	if others.IsAbsent() {
		others = ojson.Object()
	}
	return first, others
}

// limitOf is the value of a word that counts something; fallback if the schema does not
// have it.
func limitOf(schema ojson.Value, word string, fallback int) int {
	f, err := strconv.ParseFloat(schema.Get(word).Text(), 64)
	if err != nil || f < 0 {
		return fallback
	}
	return int(min(f, math.MaxInt32)) // more than any value may have
}

// mostDecimals limits the decimals of a number: float64 has no use for more.
const mostDecimals = 400

// number generates a number within the schema's bounds, by default 0 to 100. Numbers
// that are not integers have two decimals, or those of multipleOf.
func (s *satisfier) number(schema ojson.Value, whole bool) ojson.Value {
	unit, decimals := 0.01, 2
	if whole {
		unit, decimals = 1, 0
	}
	if m := schema.Get("multipleOf"); m.Kind() == ojson.NumberKind {
		if f, err := strconv.ParseFloat(m.Text(), 64); err == nil && f > 0 {
			unit, decimals = f, min(decimalsOf(m.Text()), mostDecimals)
		}
	}
	low, high := bounds(schema, unit)
	if whole && decimals > 0 {
		s.fail("a whole number is asked to be a multiple of a fraction")
	}
	first, last := math.Ceil(low/unit-1e-9), math.Floor(high/unit+1e-9)
	const most = 1e18
	switch {
	case max(math.Abs(first), math.Abs(last)) > most:
		s.fail("its numbers are too large or too fine for fake; write the value instead")
	case first > last:
		return s.between(low, high, whole)
	}
	k := first + math.Floor(s.Float64()*(min(last-first, 1e9)+1))
	return ojson.Number(strconv.FormatFloat(min(k, last)*unit, 'f', decimals, 64))
}

// between generates a number between bounds that are closer together than the usual
// decimals.
func (s *satisfier) between(low, high float64, whole bool) ojson.Value {
	if whole || low > high {
		s.fail("there is no number from %v to %v as it asks for", low, high)
	}
	return ojson.Number(strconv.FormatFloat(low+(high-low)/2, 'f', -1, 64))
}

// bounds are the smallest and the largest number that a schema allows. An exclusive bound
// moves by one unit.
func bounds(schema ojson.Value, unit float64) (low, high float64) {
	low, hasLow := bound(schema, "minimum", "exclusiveMinimum", unit)
	high, hasHigh := bound(schema, "maximum", "exclusiveMaximum", -unit)
	const span = 100
	switch {
	case !hasLow && !hasHigh:
		low, high = 0, max(span, unit)
	case !hasHigh:
		high = low + max(span, unit)
	case !hasLow:
		low = min(0, high-max(span, unit))
	}
	return low, high
}

// bound reads a bound. The exclusive word holds the bound itself or, in old schemas, is
// true.
func bound(schema ojson.Value, word, exclusive string, unit float64) (float64, bool) {
	f, err := strconv.ParseFloat(schema.Get(word).Text(), 64)
	other, otherErr := strconv.ParseFloat(schema.Get(exclusive).Text(), 64)
	switch {
	case otherErr == nil && (err != nil || (other-f)*unit >= 0):
		return other + unit, true
	case err == nil && schema.Get(exclusive).Text() == "true":
		return f + unit, true
	}
	return f, err == nil
}

func decimalsOf(spelling string) int {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(spelling), "e")
	_, fraction, _ := strings.Cut(mantissa, ".")
	e, _ := strconv.Atoi(exponent)
	return max(0, len(strings.TrimRight(fraction, "0"))-e)
}

// object generates an object with all members that the schema names; beyond the depth
// limit, only the required ones.
func (s *satisfier) object(schema ojson.Value, depth int) ojson.Value {
	object := inventedObject{satisfier: s, schema: schema, depth: depth, at: map[string]int{}}
	required := schema.Get("required").Items()
	must := map[string]bool{}
	for _, name := range required {
		must[name.Text()] = true
	}
	most := limitOf(schema, "maxProperties", math.MaxInt)
	for _, p := range schema.Get("properties").Members() {
		if !must[p.Name] && (depth >= enoughNesting || p.Value.Text() == "false" || len(object.members)+len(required) >= most) {
			continue
		}
		object.add(p.Name, p.Value)
	}
	for _, name := range required {
		if _, there := object.at[name.Text()]; !there {
			object.add(name.Text(), ojson.Value{})
		}
	}
	least := limitOf(schema, "minProperties", 0)
	for n := 1; len(object.members) < least && s.err == nil; n++ {
		name := object.newName(n)
		object.add(name, schema.Get("properties").Get(name))
	}
	return ojson.Object(object.members...)
}

type inventedObject struct {
	*satisfier
	schema  ojson.Value
	depth   int
	members []ojson.Member
	at      map[string]int // at is the index of each member.
}

// add generates the member of this name. Own is its schema in properties; Absent if it
// has none.
func (o *inventedObject) add(name string, own ojson.Value) {
	if o.err != nil {
		return
	}
	if own.IsAbsent() {
		own = o.additional(name)
	}
	v := o.value(own, name, o.depth+1)
	if i, there := o.at[name]; there {
		o.members[i].Value = v
		return
	}
	o.at[name] = len(o.members)
	o.members = append(o.members, ojson.M(name, v))
}

// additional is the schema of a member that properties does not describe.
func (o *inventedObject) additional(name string) ojson.Value {
	other := o.schema.Get("additionalProperties")
	if other.Kind() == ojson.BoolKind && other.Text() == "false" {
		o.fail("it asks for a member %.100q and for no additional properties", name)
	}
	if other.IsAbsent() || other.Kind() == ojson.BoolKind {
		return ojson.Object(ojson.M("type", ojson.String("string")))
	}
	return other
}

// newName generates the name of the nth additional member, which propertyNames allows.
func (o *inventedObject) newName(n int) string {
	const tries = 100
	if n > len(o.members)+tries {
		o.fail("no %d different member names were found", limitOf(o.schema, "minProperties", 0))
	}
	if names := o.schema.Get("propertyNames"); names.Kind() == ojson.ObjectKind {
		text := ojson.Object(ojson.M("type", ojson.String("string")))
		return o.value(ojson.Object(ojson.M("allOf", ojson.Array(names, text))), "", o.depth+1).Text()
	}
	return fmt.Sprintf("%s_%d", o.words(1), n)
}

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
		return s.formattedMatch(formatted, compiled), true
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

// formattedMatch returns a function that generates texts of the format that also match the pattern. If there seem to be
// none, it generates texts for the pattern alone.
func (s *satisfier) formattedMatch(formatted func() (string, bool), p *pattern) func() (string, bool) {
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
