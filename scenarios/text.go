package scenarios

import (
	"strings"

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
