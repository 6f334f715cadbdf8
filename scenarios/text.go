package scenarios

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Opt is a value that may be left out or null. The zero Opt is left out.
type Opt[T any] struct {
	Present bool
	Null    bool
	Value   T
}

// Some returns an Opt that is present and has the value v.
func Some[T any](v T) Opt[T] { return Opt[T]{Present: true, Value: v} }

// NullOf returns an Opt that is present and null.
func NullOf[T any]() Opt[T] { return Opt[T]{Present: true, Null: true} }

// Text is a text of a scenario. It may hold template actions in {{ }}, which
// see the request (see Templates in the language reference), or it is given by
// its size: Repeat written again and again until it is Bytes long.
type Text struct {
	Source string
	Repeat string // Repeat is the unit of a generated text; Source is empty then.
	Bytes  int64  // Bytes is the length of a generated text.
	Pos    diag.Pos

	Literal bool // Literal says that Source is not a template, even if it contains {{ }}.
}

// MaxText is the length of the longest text, in bytes: one that is written, rendered, or given by its size.
const MaxText = 64 << 20

// CutText is a text and the way it is cut into chunks.
type CutText struct {
	Text Text
	By   Cut
	Pos  diag.Pos
}

// Cut is how a text is cut into pieces: by Unit, which is "token" (the default:
// words with the space before them, as a tokenizer would), "word", "rune", "line"
// or "all" (one piece), or into pieces of Size characters.
type Cut struct {
	Unit string
	Size int
}

// Fake is generated content. Exactly one of its sources is set.
type Fake struct {
	Words      int    // Words is how many words are generated.
	Sentences  int    // Sentences is how many sentences are generated.
	Paragraphs int    // Paragraphs is how many paragraphs are generated.
	Template   string // Template is a gofakeit template.
	JSONSchema *JSONSchema
	Break      string // Break is how the text breaks its JSONSchema: one of Breaks; "" if it satisfies it.
	By         Cut
	Pos        diag.Pos
}

// JSONSchema asks for a JSON text that satisfies a schema.
type JSONSchema struct {
	FromRequest bool        // FromRequest takes the schema in the request's response_format.
	Schema      ojson.Value // Schema is the schema if FromRequest is false.
}

// The ways in which an invented JSON text can break its schema.
const (
	BreakMissingRequired = "missing_required" // BreakMissingRequired leaves a required member out.
	BreakWrongType       = "wrong_type"       // BreakWrongType has a value of a type that is not allowed.
	BreakCutOff          = "cut_off"          // BreakCutOff ends the text inside the JSON.
	BreakNotJSON         = "not_json"         // BreakNotJSON writes something around the JSON that is none.
	BreakEmpty           = "empty"            // BreakEmpty is an empty text.
)

// Breaks has the ways in which an invented JSON text can break its schema.
var Breaks = []string{BreakMissingRequired, BreakWrongType, BreakCutOff, BreakNotJSON, BreakEmpty}

// EscapeActions returns a template whose rendering is the given text, even if the
// text contains {{ }}.
func EscapeActions(text string) string { return strings.ReplaceAll(text, "{{", `{{ "{{" }}`) }

// IsTemplate reports whether the text holds template actions, so that it depends
// on the request.
func (t Text) IsTemplate() bool { return !t.Literal && strings.Contains(t.Source, "{{") }

// holdsForOne reports whether m holds for one of the texts, and captures from the first such text.
func (m *TextMatch) holdsForOne(texts []string, t *trial) bool {
	for _, text := range texts {
		if m.holds(text, t) {
			return true
		}
	}
	return false
}

func (m *TextMatch) holds(text string, t *trial) bool {
	switch {
	case !t.mayCompare(len(text)), m.Equals != nil && text != *m.Equals, m.Contains != nil && !strings.Contains(text, *m.Contains):
		return false
	case m.AnyOf != nil:
		return slices.ContainsFunc(m.AnyOf, func(one TextMatch) bool { return one.holds(text, t) })
	case m.Matches != nil:
		if t == nil || t.found == nil {
			return m.Matches.MatchString(text)
		}
		return m.capture(text, t.found)
	}
	return true
}

// Covers reports whether m holds for every text for which another condition does. A condition that
// captures covers none, because templates can use what it captures.
func (m *TextMatch) Covers(other *TextMatch) bool {
	switch {
	case other.Equals != nil:
		return (m.Matches == nil || m.Matches.NumSubexp() == 0) && m.holds(*other.Equals, nil)
	case other.Contains != nil && m.Contains != nil && m.Matches == nil:
		return strings.Contains(*other.Contains, *m.Contains)
	}
	return false
}

func (m *TextMatch) capture(text string, found map[string]string) bool {
	groups := m.Matches.FindStringSubmatch(text)
	for i, name := range m.Matches.SubexpNames() {
		if groups != nil && name != "" {
			found[name] = groups[i]
		}
	}
	return groups != nil
}

// describe is the condition in words, in full.
func (m *TextMatch) describe() private {
	if m.AnyOf != nil {
		return private(m.joinAlternatives(func(one *TextMatch) string { return string(one.describe()) }, " or "))
	}
	return private(m.inWords(0, " and ", func(text string) string { return text }))
}

// describeFailure says in words that the condition does not hold.
func (m *TextMatch) describeFailure() string {
	if m.AnyOf != nil {
		return diag.Shorten(m.joinAlternatives((*TextMatch).describeFailure, " and "))
	}
	return m.inWords(1, " or ", diag.Shorten)
}

// joinAlternatives describes each condition of AnyOf with say, and joins the descriptions.
func (m *TextMatch) joinAlternatives(say func(*TextMatch) string, between string) string {
	said := make([]string, len(m.AnyOf))
	for i := range said {
		said[i] = say(&m.AnyOf[i])
	}
	return strings.Join(said, between)
}

// alternatives returns the conditions in AnyOf, or m itself: one of them must hold.
func (m *TextMatch) alternatives() []TextMatch {
	switch {
	case m == nil:
		return nil
	case m.AnyOf != nil:
		return m.AnyOf
	}
	return []TextMatch{*m}
}

// inWords says what the text must be, with form 0, or what it is not, with form 1.
func (m *TextMatch) inWords(form int, between string, shown func(string) string) string {
	var said []string
	add := func(there bool, text func() string, forms ...string) {
		if there {
			said = append(said, forms[form]+" "+shown(text()))
		}
	}
	add(m.Equals != nil, func() string { return strconv.Quote(*m.Equals) }, "is", "is not")
	add(m.Contains != nil, func() string { return strconv.Quote(*m.Contains) }, "contains", "does not contain")
	add(m.Matches != nil, func() string { return m.Matches.String() }, "matches", "does not match")
	if len(said) == 0 {
		return []string{"is", "is not"}[form] + " any text"
	}
	return strings.Join(said, between)
}

func (m *TextMatch) groupNames() (names []string) {
	for _, one := range m.alternatives() {
		if one.Matches != nil {
			names = append(names, one.Matches.SubexpNames()...)
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

// GroupNames returns the names of the groups, and of the parts of paths, that the conditions can capture.
func (w *When) GroupNames() (names []string) {
	for _, c := range w.conditions() {
		names = append(names, c.captures...)
	}
	return names
}

// NamesModel reports whether w has a condition on the model and it holds for model.
func (w *When) NamesModel(model string) bool {
	return slices.ContainsFunc(w.Model, func(glob string) bool { return MatchesModel(glob, model) })
}

// NamedModels returns those of the models in the condition that are no patterns.
func (w *When) NamedModels() []string {
	return slices.DeleteFunc(slices.Clone(w.Model), func(glob string) bool { return strings.ContainsAny(glob, "*?") })
}

// CanShareModel reports whether a model can fit the conditions of both on it. Of two patterns it is not
// known which both fit.
func (w *When) CanShareModel(other *When) bool {
	isPattern := func(glob string) bool { return strings.ContainsAny(glob, "*?") }
	return len(w.Model) == 0 || len(other.Model) == 0 || slices.ContainsFunc(w.Model, func(glob string) bool {
		return other.NamesModel(glob) || isPattern(glob) && slices.ContainsFunc(other.Model, func(o string) bool {
			return isPattern(o) || MatchesModel(glob, o)
		})
	})
}

// CanHoldWith reports whether there can be a request for which both conditions hold, as far as their models, turns and texts
// of the user say.
func (w *When) CanHoldWith(other *When) bool {
	excludes := func(a, b *TextMatch) bool {
		return a != nil && b != nil && a.Equals != nil && !b.holds(*a.Equals, nil)
	}
	return w.CanShareModel(other) && !excludes(w.User, other.User) && !excludes(other.User, w.User) && (w.Turn == 0 || other.Turn == 0 || w.Turn == other.Turn)
}

// CoversModel reports whether a pattern of the condition model fits every name that the other pattern fits.
func CoversModel(pattern, other *string) bool {
	fits := func(star string) bool { return MatchesModel(*pattern, strings.ReplaceAll(*other, "*", star)) }
	return fits("") && fits("\x00\x00") // names in which * of the other stands for nothing, and for what no ? fits
}

// MatchesModel reports whether a model's name fits the whole of a pattern of the condition
// model: * stands for any text, the empty one included, ? for one character, and no other
// character is special.
func MatchesModel(pattern, model string) bool {
	star, retry := -1, 0 // where to go on when the text after the last * fails
	p, i := 0, 0
	for i < len(model) {
		_, size := utf8.DecodeRuneInString(model[i:])
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, retry = p, i
			p++
		case p < len(pattern) && pattern[p] == '?':
			p++
			i += size
		case p < len(pattern) && pattern[p] == model[i]:
			p++
			i++
		case star >= 0:
			_, size = utf8.DecodeRuneInString(model[retry:])
			retry += size
			p, i = star+1, retry
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}
