package invent_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/invent"
)

// reasons are the kinds of mistakes that a validator finds in a text, and "not JSON".
func reasons(t *testing.T, of *jsonschema.Schema, text string) []string {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil || !json.Valid([]byte(text)) {
		return []string{"not JSON"}
	}
	err = of.Validate(value)
	wrong, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok && err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	var look func(e *jsonschema.ValidationError)
	look = func(e *jsonschema.ValidationError) {
		for _, cause := range e.Causes {
			look(cause)
		}
		switch e.ErrorKind.(type) {
		case *kind.Required:
			found[scenarios.BreakMissingRequired] = true
		case *kind.Type:
			found[scenarios.BreakWrongType] = true
		case *kind.Schema, *kind.Group, *kind.Reference, *kind.AnyOf, *kind.OneOf, *kind.AllOf:
		default:
			found[fmt.Sprintf("%T", e.ErrorKind)] = true
		}
	}
	if wrong != nil {
		look(wrong)
	}
	return slices.Sorted(maps.Keys(found))
}

// checkBreaks breaks a schema in every way, and checks that a validator refuses each text for the
// reason of its break. It returns the breaks that the schema has.
func checkBreaks(t *testing.T, schema []byte, seed uint64) (had []string) {
	t.Helper()
	v, err := ojson.Parse(schema)
	if err != nil {
		t.Fatal(err)
	}
	validator := compiled(t, schema)
	whole, err := invent.Satisfying(invent.New(seeded(seed)), v, "", nil)
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	for _, how := range scenarios.Breaks {
		text, err := invent.Satisfying(invent.New(seeded(seed)), v, how, nil)
		if err != nil {
			if !strings.Contains(err.Error(), "break: "+how+" cannot break the JSON schema: it has no ") {
				t.Errorf("%s, %s: %v", schema, how, err)
			}
			continue
		}
		had = append(had, how)
		if again, _ := invent.Satisfying(invent.New(seeded(seed)), v, how, nil); again != text {
			t.Errorf("%s, %s: %s, then %s from the same seed", schema, how, text, again)
		}
		got, want := reasons(t, validator, text), how
		switch how {
		case scenarios.BreakCutOff, scenarios.BreakNotJSON, scenarios.BreakEmpty:
			want = "not JSON"
		}
		alternatives := strings.Contains(string(schema), `"anyOf"`) || strings.Contains(string(schema), `"oneOf"`)
		if !slices.Contains(got, want) || len(got) > 1 && !alternatives { // those that were not meant have reasons of their own
			t.Errorf("%s, %s, seed %d: %s, of which %s is refused for %v", schema, how, seed, whole, text, got)
		}
		if how == scenarios.BreakCutOff && (text == "" || !strings.HasPrefix(whole, text)) {
			t.Errorf("%s: %q is not the beginning of %s", schema, text, whole)
		}
	}
	return had
}

func TestABrokenTextBreaksItsSchemaForOneReason(t *testing.T) {
	t.Parallel()
	forEachSchema(t, func(t *testing.T, schema []byte) {
		for seed := range uint64(5) {
			checkBreaks(t, schema, seed)
		}
	})
}

// generated is a schema as tools have them, drawn from r.
func generated(r *rand.Rand, depth int) map[string]any {
	kinds := []string{"string", "integer", "number", "boolean", "enum", "const", "nullable", "anyOf", "pattern", "ref"}
	if depth < 3 {
		kinds = append(kinds, "object", "object", "object", "array", "allOf")
	}
	if depth == 0 {
		kinds = []string{"object"}
	}
	switch k := kinds[r.IntN(len(kinds))]; k {
	case "object":
		properties, required := map[string]any{}, []string{}
		for i := range r.IntN(4) {
			name := fmt.Sprintf("m%d", i)
			properties[name] = generated(r, depth+1)
			if r.IntN(2) == 0 {
				required = append(required, name)
			}
		}
		schema := map[string]any{"type": "object", "properties": properties, "required": required}
		if r.IntN(2) == 0 {
			schema["additionalProperties"] = false
		}
		if depth == 0 {
			schema["$defs"] = map[string]any{"shared": generated(r, 3)}
		}
		return schema
	case "array":
		return map[string]any{"type": "array", "items": generated(r, depth+1), "minItems": r.IntN(3)}
	case "enum":
		return map[string]any{"type": "string", "enum": []string{"red", "green"}[:1+r.IntN(2)]}
	case "const":
		return map[string]any{"const": []any{"a", 1, true}[r.IntN(3)]}
	case "nullable":
		return map[string]any{"type": []string{"string", "null"}}
	case "pattern":
		return map[string]any{"type": "string", "pattern": "^[a-z]{3}$", "minLength": 3}
	case "anyOf":
		return map[string]any{"anyOf": []any{generated(r, depth+1), map[string]any{"type": "null"}, generated(r, depth+1)}}
	case "allOf":
		return map[string]any{"allOf": []any{generated(r, 1)}}
	case "ref":
		if depth >= 3 {
			return map[string]any{"type": "null"}
		}
		return map[string]any{"$ref": "#/$defs/shared"}
	default:
		return map[string]any{"type": k}
	}
}

// Of many schemas of tools each is broken in each way that it has.
func TestBreaksOfGeneratedSchemas(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	count := map[string]int{}
	for seed := range uint64(200) {
		schema, err := json.Marshal(generated(seeded(seed), 0))
		if err != nil {
			t.Fatal(err)
		}
		for _, how := range checkBreaks(t, schema, seed) {
			count[how]++
		}
	}
	for _, how := range scenarios.Breaks {
		if count[how] < 50 {
			t.Errorf("only %d of 200 schemas could be broken with %s", count[how], how)
		}
	}
}
