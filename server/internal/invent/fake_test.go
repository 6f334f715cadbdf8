package invent_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server/internal/invent"
	"github.com/fakeopenai/fakeopenai/server/internal/render"
)

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

func TestEveryFakeGivesTheSameForTheSameSeed(t *testing.T) {
	t.Parallel()
	names := invent.Names()
	if len(names) < 150 {
		t.Fatalf("only %d fakes are known", len(names))
	}
	for _, name := range names {
		first, err := invent.New(seeded(9)).Value(name)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		for range 5 {
			if again, _ := invent.New(seeded(9)).Value(name); again != first {
				t.Errorf("fake %s: %q, then %q from the same seed", name, first, again)
				break
			}
		}
	}
}

func TestFakeText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		fake  scenarios.Fake
		check func(string) bool
	}{
		{"words are as many as asked for", scenarios.Fake{Words: 40}, func(s string) bool { return len(strings.Fields(s)) == 40 }},
		{"sentences end with a full stop", scenarios.Fake{Sentences: 3}, func(s string) bool { return strings.Count(s, ".") == 3 }},
		{"paragraphs are apart", scenarios.Fake{Paragraphs: 2}, func(s string) bool { return strings.Count(s, "\n\n") == 1 }},
		{"slots are filled in and nothing else", scenarios.Fake{Template: "Dear {firstname}, how are you? #1 {number:5,5}"}, func(s string) bool {
			return strings.HasPrefix(s, "Dear ") && !strings.Contains(s, "{") && strings.HasSuffix(s, ", how are you? #1 5")
		}},
		{"gofakeit's own templates work", scenarios.Fake{Template: `{{ToUpper "x"}}{{FirstName}}`}, func(s string) bool { return len(s) > 2 && s[0] == 'X' }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			first, err := invent.FakeText(&tt.fake, seeded(1), ojson.Value{})
			if err != nil || !tt.check(first) {
				t.Fatalf("got %q, %v", first, err)
			}
			if again, _ := invent.FakeText(&tt.fake, seeded(1), ojson.Value{}); again != first {
				t.Errorf("the same seed gives %q, then %q", first, again)
			}
		})
	}
}

func TestAnotherSeedGivesAnotherText(t *testing.T) {
	t.Parallel()
	f := scenarios.Fake{Words: 20}
	a, _ := invent.FakeText(&f, seeded(1), ojson.Value{})
	b, _ := invent.FakeText(&f, seeded(2), ojson.Value{})
	if a == b {
		t.Errorf("seeds 1 and 2 both give %q", a)
	}
}

func TestFakesAreCheckedAtLoad(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, fake, want string }{
		{"an unknown slot", `{ template: "{frstname}" }`, `there is no fake "frstname"`},
		{"an unknown function", `{ template: "{{Frstname}}" }`, `function "Frstname" not defined`},
		{"a schema that nothing satisfies", `{ json_schema: { type: integer, minimum: 5, maximum: 4 } }`, "there is no number from 5 to 4"},
		{"a reference that leads nowhere", `{ json_schema: { $ref: "#/$defs/x" } }`, `"#/$defs/x" leads nowhere`},
		{"a word beyond it", `{ json_schema: { not: { type: string } } }`, `it uses "not", which is beyond what fake can do`},
		{"references in a circle", `{ json_schema: { $ref: "#" } }`, "go round in a circle"},
		{"an object that holds itself", `{ json_schema: { type: object, properties: { a: { $ref: "#" } }, required: [a] } }`, "without end"},
		{"an array beyond all bounds", `{ json_schema: { type: array, minItems: 2000000 } }`, "more than 100000 values"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			list, diags := yamlfile.Parse("x.yaml", []byte("name: x\nstream:\n  - role: assistant\n  - fake: "+tt.fake+"\n  - finish: stop\n"))
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			got := render.Check(list[0]).Error()
			if !strings.HasPrefix(got, "x.yaml:4:") || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want it to hold %q", got, tt.want)
			}
		})
	}
}

func TestWhatIsInventedSatisfiesItsSchema(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile("testdata/schemas.json")
	if err != nil {
		t.Fatal(err)
	}
	var schemas map[string]json.RawMessage
	if err := json.Unmarshal(src, &schemas); err != nil {
		t.Fatal(err)
	}
	for name, schema := range schemas {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			validator := compiled(t, schema)
			v, err := ojson.Parse(schema)
			if err != nil {
				t.Fatal(err)
			}
			for seed := range uint64(200) {
				text, err := invent.Satisfying(invent.New(seeded(seed)), v)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
				if err != nil {
					t.Fatalf("seed %d: %s: %v", seed, text, err)
				}
				if err := validator.Validate(value); err != nil {
					t.Fatalf("seed %d: %s: %v", seed, text, err)
				}
			}
		})
	}
}

func compiled(t *testing.T, schema []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestMembersStandInTheOrderOfTheSchema(t *testing.T) {
	t.Parallel()
	schema, err := ojson.Parse([]byte(`{"type":"object","properties":{"z":{"const":1},"a":{"const":2},"m":{"const":null}},"required":["a"]}`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := invent.Satisfying(invent.New(seeded(1)), schema)
	if want := `{"z":1,"a":2,"m":null}`; got != want || err != nil {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

func TestMemberNamesMakeTextsPlausible(t *testing.T) {
	t.Parallel()
	schema, err := ojson.Parse([]byte(`{"type":"object","properties":{"email":{"type":"string"},"first_name":{"type":"string"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := invent.Satisfying(invent.New(seeded(1)), schema)
	if err != nil || !strings.Contains(got, "@") {
		t.Errorf("got %s, %v, want an address with @", got, err)
	}
}

func FuzzSatisfying(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"type":["string","null"],"maxLength":3}}}`)
	f.Add(`{"anyOf":[{"$ref":"#/$defs/x"}],"$defs":{"x":{"enum":[1,"2",null]}}}`)
	f.Add(`{"type":"number","multipleOf":0.01,"minimum":1e300}`)
	f.Fuzz(func(t *testing.T, text string) {
		schema, err := ojson.Parse([]byte(text))
		if err != nil {
			return
		}
		got, err := invent.Satisfying(invent.New(seeded(1)), schema)
		if err == nil && !json.Valid([]byte(got)) {
			t.Errorf("%s gives %s, which is no JSON", text, got)
		}
	})
}
