package yamlfile

import (
	"cmp"
	_ "embed" // for editor.json and the sheet
	"encoding/json"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

// Rule is the name of a rule of the protocol, which a scenario can list under quirks, and its meaning.
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
// sections are in the order in which they are first met in the table. A key that several
// sections share is listed once, with all the types that it has in them and with the doc of
// the section in whose list it stands.
func Words() (words []Word) {
	w := table.NewWriter()
	language().Schema(w)
	for _, word := range w.Words {
		if needs := scenarios.Needs(word.Section, word.Name); needs != "" {
			word.Doc += " It needs " + needs + "."
		}
		word.List = cmp.Or(word.List, word.Section)
		i := slices.IndexFunc(words, func(other Word) bool { return other.List == word.List && other.Name == word.Name })
		if i < 0 {
			words = append(words, word)
			continue
		}
		if words[i].Type != word.Type {
			words[i].Type = table.OneOf([]string{words[i].Type, word.Type})
		}
		if word.Section == word.List {
			words[i].Doc = word.Doc
		}
	}
	return words
}

//go:embed sheet.md
var sheet string

// Sheet returns a page of Markdown with the whole language: all words by the mapping in which
// they stand, with an example of each. Its sections begin with "## " and the name of the mapping.
func Sheet() string { return sheet }
