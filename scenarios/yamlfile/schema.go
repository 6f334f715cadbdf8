package yamlfile

import (
	_ "embed" // for editor.json
	"encoding/json"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

// Rule is the name of a rule of the protocol, which a scenario can list under quirks, and
// what it says.
type Rule = table.Choice

// Schema returns the JSON Schema (draft-07) of a scenario. With it editors complete
// keys and values and show what they mean. It is generated from the table with which
// [Parse] reads. Only [Parse] and [scenarios.NewSet] check rules about several keys.
// Rules are the names that quirks can have; without any, every name is allowed.
func Schema(rules ...Rule) []byte {
	w := table.NewWriter()
	w.Editor = editor(rules)
	root := ojson.Object(
		ojson.M("$schema", ojson.String("http://json-schema.org/draft-07/schema#")),
	)
	root.SetAll(language().Schema(w).Members())
	root.Set("definitions", w.Definitions)
	return append(ojson.Style{Indent: "  "}.Append(nil, root), '\n')
}

// editorHelp has additions to the schema for editors: for each section the page of the
// reference about it, example values for keys, and snippets for sections.
//
//go:embed editor.json
var editorHelp []byte

// editor returns the additions to the schema for editors.
func editor(rules []Rule) *table.Editor {
	e := &table.Editor{Base: "https://github.com/fakeopenai/fakeopenai/blob/main/scenarios/docs/"}
	if err := json.Unmarshal(editorHelp, e); err != nil {
		panic("the help for editors: " + err.Error()) // a mistake in the program
	}
	e.Only = map[string][]table.Choice{"scenario.quirks": rules}
	return e
}

// Word is a key of the language.
type Word = table.Word

// Words returns all keys of the language, from the table with which [Parse] reads. The
// sections are in the order in which they are first met in the table.
func Words() []Word {
	w := table.NewWriter()
	language().Schema(w)
	for i, word := range w.Words {
		if needs := scenarios.Needs(word.Section, word.Name); needs != "" {
			w.Words[i].Doc += " It needs " + needs + "."
		}
	}
	return w.Words
}
