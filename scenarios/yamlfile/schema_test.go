package yamlfile_test

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

// The schema and the decoder are made from one table. Here they are held against
// each other from the outside, with a validator of its own.

func TestSchemaAcceptsWhatTheDecoderAccepts(t *testing.T) {
	t.Parallel()
	v := newValidator(t)
	files := append(filesLike(t, "../testdata/ok/*.yaml"), filesLike(t, "../../fixtures/*.yaml")...)
	for _, file := range files {
		for i, doc := range documentsOf(t, mustRead(t, file)) {
			if err := v.check(v.root, doc, "document"); err != nil {
				t.Errorf("%s, document %d: %v", filepath.Base(file), i+1, err)
			}
		}
	}
	for _, w := range yamlfile.Words() {
		if !v.used[w.Section+": "+w.Name] {
			t.Errorf("no file in testdata/ok uses %s of %s", w.Name, w.Section)
		}
	}
}

// beyondSchema are the mistakes in testdata/err that a schema cannot see, and
// why not.
var beyondSchema = map[string]string{
	"bad_farewell":             "which steps can be sent at a shutdown",
	"alias_bomb":               "the file is refused for its size",
	"bad_regexp":               "the syntax of regular expressions",
	"deep":                     "the file is refused for its depth",
	"merge_key":                "other readers of YAML merge",
	"modifiers_without_object": "which keys go together",
	"no_answer":                "which keys go together",
	"nothing":                  "a missing value is null to other readers of YAML",
	"octal_number":             "it is a number to other readers of YAML",
	"split_gap":                "a duration of nothing",
	"steps_that_exclude":       "which keys go together",
	"tags":                     "other readers of YAML know more tags",
	"two_answers":              "which keys go together",
	"two_of_a_name":            "what another scenario says",
	"unknown_function":         "templates",
	"unreachable_reply":        "what another reply says",
}

func TestSchemaRefusesWhatTheDecoderRefuses(t *testing.T) {
	t.Parallel()
	v := newValidator(t)
	for _, file := range filesLike(t, "../testdata/err/*.yaml") {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		src := mustRead(t, file)
		docs, ok := readDocuments(src)
		if !ok || len(docs) == 0 || !utf8.Valid(src) {
			continue // no reader of YAML takes it
		}
		refused := slices.ContainsFunc(docs, func(doc any) bool { return v.check(v.root, doc, "document") != nil })
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
		if w.Doc == "" || w.Type == "" || w.Section == "" || !strings.HasSuffix(w.Doc, ".") {
			t.Errorf("%s of %s: type %q, doc %q", w.Name, w.Section, w.Type, w.Doc)
		}
	}
}

func TestSchemaIsTheSameEachTime(t *testing.T) {
	t.Parallel()
	if string(yamlfile.Schema()) != string(yamlfile.Schema()) {
		t.Error("two calls give different schemas")
	}
	if !strings.Contains(string(yamlfile.Schema()), `"$schema": "http://json-schema.org/draft-07/schema#"`) {
		t.Error("the schema does not say which draft it follows")
	}
}

// validator is as much of JSON Schema as our schema uses. An unknown keyword is
// an error, so that nothing is passed over.
type validator struct {
	root        map[string]any
	definitions map[string]any
	used        map[string]bool // section: key
}

func newValidator(t *testing.T) *validator {
	t.Helper()
	var root map[string]any
	if err := json.Unmarshal(yamlfile.Schema(), &root); err != nil {
		t.Fatal(err)
	}
	return &validator{root: root, definitions: root["definitions"].(map[string]any), used: map[string]bool{}}
}

func (v *validator) check(schema map[string]any, value any, section string) error {
	for keyword, want := range schema {
		if err := v.keyword(schema, keyword, want, value, section); err != nil {
			return err
		}
	}
	return nil
}

func (v *validator) keyword(schema map[string]any, keyword string, want, value any, section string) error {
	object, _ := value.(map[string]any)
	array, _ := value.([]any)
	text, isText := value.(string)
	number, isNumber := value.(float64)
	fail := func(broken bool) error {
		if broken {
			return fmt.Errorf("%s: %v breaks %s: %v", section, value, keyword, want)
		}
		return nil
	}
	switch keyword {
	case "$schema", "title", "description", "definitions":
	case "$ref":
		name := strings.TrimPrefix(want.(string), "#/definitions/")
		return v.check(v.definitions[name].(map[string]any), value, strings.ReplaceAll(name, "_", " "))
	case "allOf":
		for _, s := range want.([]any) {
			if err := v.check(s.(map[string]any), value, section); err != nil {
				return err
			}
		}
	case "anyOf":
		var errs []error
		for _, s := range want.([]any) {
			err := v.check(s.(map[string]any), value, section)
			if err == nil {
				return nil
			}
			errs = append(errs, err)
		}
		return fmt.Errorf("none of: %v", errs)
	case "type":
		types, ok := want.([]any)
		if !ok {
			types = []any{want}
		}
		return fail(!slices.ContainsFunc(types, func(t any) bool { return isType(t.(string), value) }))
	case "enum":
		return fail(!slices.Contains(want.([]any), value))
	case "const":
		return fail(want != value)
	case "properties":
		for name, member := range object {
			s, known := want.(map[string]any)[name]
			if !known {
				continue
			}
			if err := v.check(s.(map[string]any), member, section+"."+name); err != nil {
				return err
			}
			v.used[section+": "+name] = true
		}
	case "additionalProperties":
		known, _ := schema["properties"].(map[string]any)
		for name, member := range object {
			if known[name] != nil {
				continue
			}
			if s, ok := want.(map[string]any); ok {
				if err := v.check(s, member, section+"."+name); err != nil {
					return err
				}
			} else if err := fail(want == false); err != nil {
				return fmt.Errorf("%w: %s", err, name)
			}
		}
	case "required":
		for _, name := range want.([]any) {
			if _, there := object[name.(string)]; !there && object != nil {
				return fail(true)
			}
		}
	case "maxProperties":
		return fail(len(object) > int(want.(float64)))
	case "items":
		for _, item := range array {
			if err := v.check(want.(map[string]any), item, section); err != nil {
				return err
			}
		}
	case "minItems":
		return fail(array != nil && len(array) < int(want.(float64)))
	case "maxItems":
		return fail(len(array) > int(want.(float64)))
	case "minimum":
		return fail(isNumber && number < want.(float64))
	case "maximum":
		return fail(isNumber && number > want.(float64))
	case "exclusiveMinimum":
		return fail(isNumber && number <= want.(float64))
	case "minLength":
		return fail(isText && utf8.RuneCountInString(text) < int(want.(float64)))
	case "pattern":
		return fail(isText && !regexp.MustCompile(want.(string)).MatchString(text))
	default:
		return fmt.Errorf("the test does not know the keyword %s", keyword)
	}
	return nil
}

func isType(name string, value any) bool {
	switch v := value.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case float64:
		return name == "number" || name == "integer" && v == math.Trunc(v)
	case string:
		return name == "string"
	case []any:
		return name == "array"
	}
	return name == "object"
}

func documentsOf(t *testing.T, src []byte) []any {
	t.Helper()
	docs, ok := readDocuments(src)
	if !ok {
		t.Fatal("the file is not YAML")
	}
	return docs
}

// readDocuments is a file as an editor sees it: with YAML's own types.
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
