package yamlfile_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

// The schema and the decoder are made from one table. This test compares their behaviour, with
// a JSON Schema validator of others.

func TestSchemaAcceptsWhatTheDecoderAccepts(t *testing.T) {
	t.Parallel()
	v := newValidator(t)
	files := append(filesLike(t, "../testdata/ok/*.yaml"), filesLike(t, "../../fixtures/*.yaml")...)
	for _, file := range files {
		for i, doc := range documentsOf(t, mustRead(t, file)) {
			if err := v.schema.Validate(doc); err != nil {
				t.Errorf("%s, document %d: %v", filepath.Base(file), i+1, err)
			}
		}
	}
	for word, used := range v.used {
		if !used {
			t.Errorf("no file in scenarios/testdata/ok uses %s; add a scenario that does", word)
		}
	}
}

// beyondSchema are the mistakes in testdata/err that a schema cannot express, with the reasons.
var beyondSchema = map[string]string{
	"layout_of_another_surface":     "what two keys say together",
	"anchor_of_another_document":    "this library remembers anchors",
	"bad_body_path":                 "the notation of paths",
	"bad_near":                      "what another rule says",
	"bad_body_file":                 "the notation of paths",
	"bad_url_path":                  "the notation of paths",
	"path_that_never_holds":         "which keys go together",
	"answers_of_apis_on_a_path":     "which keys go together",
	"bad_farewell":                  "which steps can be sent at a shutdown",
	"alias_bomb":                    "the file is refused for its size",
	"bad_regexp":                    "the syntax of regular expressions",
	"deep":                          "the file is refused for its depth",
	"merge_key":                     "other readers of YAML merge",
	"modifiers_without_object":      "which keys go together",
	"nothing":                       "a missing value is null to other readers of YAML",
	"octal_number":                  "it is a number to other readers of YAML",
	"pieces_that_do_not_spell":      "what two keys say together",
	"places_that_are_nowhere":       "what the stream holds",
	"end_after_the_whole_answer":    "what the answer holds",
	"expect_contradicted":           "what the answer says",
	"end_before_done":               "what two keys say together",
	"quirks_of_steps":               "which rules there are",
	"split_gap":                     "a duration of nothing",
	"steps_that_exclude":            "which keys go together",
	"tags":                          "other readers of YAML know more tags",
	"two_answers":                   "which keys go together",
	"two_of_a_name":                 "what another scenario says",
	"unknown_function":              "templates",
	"when_asked_of_nothing":         "which keys go together",
	"unreachable_reply":             "what another reply says",
	"bad_shares":                    "what another reply says",
	"without_effect":                "which keys go together",
	"words_without_effect":          "which keys go together",
	"words_that_change_nothing":     "what a word has an effect on",
	"words_of_an_api_that_refuses":  "which keys go together",
	"places_of_an_api_that_refuses": "what the answer holds",
}

func TestSchemaRefusesWhatTheDecoderRefuses(t *testing.T) {
	t.Parallel()
	v := newValidator(t)
	for _, file := range filesLike(t, "../testdata/err/*.yaml") {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		src := mustRead(t, file)
		docs, ok := readDocuments(src)
		if !ok || len(docs) == 0 || !utf8.Valid(src) {
			continue // the file is not valid YAML
		}
		refused := slices.ContainsFunc(docs, func(doc any) bool { return v.schema.Validate(doc) != nil })
		if why := beyondSchema[name]; refused == (why != "") {
			t.Errorf("%s: refused by the schema: %v; a reason why it cannot: %q", name, refused, why)
		}
	}
}

func TestEveryWordIsDescribed(t *testing.T) {
	t.Parallel()
	words := yamlfile.Words()
	if len(words) < 100 {
		t.Errorf("got %d words", len(words))
	}
	for _, w := range words {
		if w.Doc == "" || w.Type == "" || w.List == "" || !strings.HasSuffix(w.Doc, ".") {
			t.Errorf("%s of %s: type %q, doc %q", w.Name, w.List, w.Type, w.Doc)
		}
	}
}

// A validator checks documents against the schema.
type validator struct {
	schema *jsonschema.Schema
	used   map[string]bool // says of each word, as "section: key", whether a document used it
}

func newValidator(t *testing.T) *validator {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(yamlfile.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	v := &validator{used: map[string]bool{}}
	for name, section := range doc.(map[string]any)["definitions"].(map[string]any) {
		v.markWords(strings.ReplaceAll(name, "_", " "), section.(map[string]any))
	}
	c := jsonschema.NewCompiler()
	c.RegisterVocabulary(&jsonschema.Vocabulary{URL: "https://example.com/words", Compile: v.compileWord})
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	if v.schema, err = c.Compile("schema.json"); err != nil {
		t.Fatal(err)
	}
	return v
}

// markWords wraps the schema of each key of a section, to see which keys are used.
func (v *validator) markWords(section string, schema map[string]any) {
	properties, _ := schema["properties"].(map[string]any)
	for name, value := range properties {
		word := section + ": " + name
		properties[name], v.used[word] = map[string]any{"word": word, "value": value}, false
	}
	for _, keyword := range []string{"allOf", "anyOf"} {
		alternatives, _ := schema[keyword].([]any)
		for _, a := range alternatives {
			v.markWords(section, a.(map[string]any))
		}
	}
}

// keywords are the keywords of JSON Schema that our schema uses. The validator ignores unknown
// keywords, so that a misspelt one would allow everything.
var keywords = []string{
	"$schema", "$ref", "title", "description", "definitions", "allOf", "anyOf", "type", "enum", "const", "properties",
	"additionalProperties", "required", "maxProperties", "items", "minItems", "maxItems", "minimum", "maximum",
	"exclusiveMinimum", "minLength", "pattern",
	// These keywords are for editors.
	"examples", "markdownDescription", "enumDescriptions", "markdownEnumDescriptions", "patternErrorMessage", "errorMessage",
	"defaultSnippets", "doNotSuggest",
}

// compileWord makes a validator of the keyword that markWords adds.
func (v *validator) compileWord(ctx *jsonschema.CompilerContext, schema map[string]any) (jsonschema.SchemaExt, error) {
	if name, ok := schema["word"].(string); ok {
		return usedWord{name, ctx.Enqueue([]string{"value"}), v.used}, nil
	}
	for keyword := range schema {
		if !slices.Contains(keywords, keyword) {
			return nil, fmt.Errorf("the test does not know the keyword %s", keyword)
		}
	}
	return nil, nil
}

// A usedWord records each valid value of a key.
type usedWord struct {
	name  string
	value *jsonschema.Schema
	used  map[string]bool
}

func (w usedWord) Validate(ctx *jsonschema.ValidatorContext, value any) {
	if err := ctx.Validate(w.value, value, nil); err != nil {
		ctx.AddErr(err)
		return
	}
	w.used[w.name] = true
}

func documentsOf(t *testing.T, src []byte) []any {
	t.Helper()
	docs, ok := readDocuments(src)
	if !ok {
		t.Fatal("the file is not YAML")
	}
	return docs
}

// readDocuments reads a file like an editor: with YAML's own types.
func readDocuments(src []byte) (docs []any, ok bool) {
	dec := yaml.NewDecoder(strings.NewReader(string(src)))
	for {
		var node yaml.Node
		if err := dec.Decode(&node); err != nil {
			return docs, err.Error() == "EOF"
		}
		var doc any
		if err := node.Decode(&doc); err != nil {
			return nil, false
		}
		data, err := json.Marshal(doc)
		if err != nil || json.Unmarshal(data, &doc) != nil {
			return nil, false
		}
		if doc != nil {
			docs = append(docs, doc)
		}
	}
}
