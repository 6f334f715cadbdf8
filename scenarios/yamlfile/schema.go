package yamlfile

import (
	_ "embed" // for editor.json

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/schema"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

// Rule is a rule of the protocol that a scenario can list under quirks.
type Rule struct{ Name, Doc string }

// Schema is the JSON Schema (draft-07) of a scenario, for editors: it completes
// keys and values and shows what they mean. It is made from the table that [Parse]
// reads with. What several keys together must fulfil is left to [Parse] and
// [scenarios.NewSet]. Rules are the quirks that there are; without any, every name
// is one.
func Schema(rules ...Rule) []byte {
	w := schema.NewWriter()
	w.Editor = editor(rules)
	root := ojson.Object(
		ojson.M("$schema", ojson.String("http://json-schema.org/draft-07/schema#")),
		ojson.M("$ref", language().Schema(w).Get("$ref")),
	)
	root.Set("definitions", w.Definitions)
	return append(ojson.Style{Indent: "  "}.Append(nil, root), '\n')
}

// editorHelp says what editors offer and show: for each page of the reference the
// sections that it is about, examples for keys and nouns, and snippets for sections.
//
//go:embed editor.json
var editorHelp []byte

// editor is what editors offer and show.
func editor(rules []Rule) *schema.Editor {
	e := schema.NewEditor(editorHelp, "https://github.com/fakeopenai/fakeopenai/blob/main/scenarios/docs/")
	e.Messages[table.DurationPattern] = "a duration needs a unit: write 50ms, 1.5s or 2m"
	for _, r := range rules {
		e.Only["scenario.quirks"] = append(e.Only["scenario.quirks"], schema.Choice(r))
	}
	return e
}

// Word is a key of the language.
type Word struct {
	Section string // Section is where the word stands: scenario, reply, step and so on.
	Name    string
	Type    string // Type is what its value is, in words.
	Doc     string // Doc is what it means, in a sentence or two.
}

// Words are all keys of the language, section by section in the order in which a
// reader meets them. They come from the table that [Parse] reads with.
func Words() []Word {
	w := schema.NewWriter()
	language().Schema(w)
	list := make([]Word, len(w.Words))
	for i, word := range w.Words {
		list[i] = Word(word)
	}
	return list
}
