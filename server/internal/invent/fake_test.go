package invent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
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
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			first, err := invent.FakeText(&tt.fake, seeded(1), ojson.Value{}, nil)
			if err != nil || !tt.check(first) {
				t.Fatalf("got %q, %v", first, err)
			}
			if again, _ := invent.FakeText(&tt.fake, seeded(1), ojson.Value{}, nil); again != first {
				t.Errorf("the same seed gives %q, then %q", first, again)
			}
		})
	}
}

func TestAnotherSeedGivesAnotherText(t *testing.T) {
	t.Parallel()
	f := scenarios.Fake{Words: 20}
	a, _ := invent.FakeText(&f, seeded(1), ojson.Value{}, nil)
	b, _ := invent.FakeText(&f, seeded(2), ojson.Value{}, nil)
	if a == b {
		t.Errorf("seeds 1 and 2 both give %q", a)
	}
}

func TestFakesAreCheckedAtLoad(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	for _, tt := range []struct{ name, fake, want string }{
		{"an unknown slot", `{ template: "{frstname}" }`, `there is no fake "frstname"`},
		{"more digits than there may be", `{ template: "a {digitn:20000000}" }`, `digitn asks for 20000000, and fake makes 1000000 at a time at most`},
		{"a long password", `{ template: "{password:true,true,true,true,true,1000000000}" }`, `password asks for 1000000000`},
		{"many long paragraphs", `{ template: "{loremipsumparagraph:1000,1000,1000,x}" }`, `loremipsumparagraph asks for 1000000000`},
		{"many slots of many digits", `{ template: "` + strings.Repeat("{digitn:1000000}", 80) + `" }`, `it takes more than 250000 steps`},
		{"a pattern without end", `{ template: "{regex:` + strings.Repeat("(", 40) + "a" + strings.Repeat("*)", 40) + `}" }`, `is beyond what fake can do`},
		{"actions", `{ template: "{{FirstName}}" }`, `a fake template has slots such as {firstname} and no actions`},
		{"a schema that nothing satisfies", `{ json_schema: { type: integer, minimum: 5, maximum: 4 } }`, "there is no number from 5 to 4"},
		{"a reference that leads nowhere", `{ json_schema: { $ref: "#/$defs/x" } }`, `"#/$defs/x" leads nowhere`},
		{"a closed object without room for a member", `{ json_schema: { type: object, required: [a], additionalProperties: false } }`, `asks for a member "a" and for no additional properties`},
		{"an enum of which nothing is left", `{ json_schema: { enum: [a, b], minLength: 3 } }`, "the words beside an enum or a const allow none of its values"},
		{"more items than there may be", `{ json_schema: { type: array, minItems: 3, maxItems: 2 } }`, "at least 3 items and for at most 2"},
		{"more member names than there are", `{ json_schema: { type: object, propertyNames: { enum: [a, b] }, minProperties: 3 } }`, "no 3 different member names were found"},
		{"a word beyond it", `{ json_schema: { not: { type: string } } }`, `it uses "not", which is beyond what fake can do`},
		{"numbers beyond it", `{ json_schema: { type: number, minimum: -1.797e308 } }`, `its numbers are too large or too fine for fake`},
		{"another word beyond it", `{ json_schema: { type: array, contains: { const: x } } }`, `it uses "contains", which is beyond what fake can do`},
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
	forEachSchema(t, func(t *testing.T, schema []byte) {
		validator := compiled(t, schema)
		v, err := ojson.Parse(schema)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(200) {
			text, err := invent.Satisfying(invent.New(seeded(seed)), v, "", nil)
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

// forEachSchema runs a test with each of testdata/schemas.json.
func forEachSchema(t *testing.T, test func(t *testing.T, schema []byte)) {
	t.Helper()
	testflag.NoRace(t)
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
			test(t, schema)
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
	got, err := invent.Satisfying(invent.New(seeded(1)), schema, "", nil)
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
	got, err := invent.Satisfying(invent.New(seeded(1)), schema, "", nil)
	if err != nil || !strings.Contains(got, "@") {
		t.Errorf("got %s, %v, want an address with @", got, err)
	}
}

// hostile are schemas of a few kilobytes at most whose satisfaction would take endless work, or
// numbers that do not exist.
var hostile = map[string]string{
	"allOf twice in 25 levels": nested(25, `{"allOf":[{"$ref":"#/$defs/%d"},{"$ref":"#/$defs/%d"}]}`),
	"allOf written out":        strings.Repeat(`{"allOf":[{"properties":{"a":`, 20) + `{}` + strings.Repeat(`}},{"properties":{"a":{"type":"object"}}}]}`, 20),
	"properties that double":   nested(25, `{"type":"object","properties":{"a":{"$ref":"#/$defs/%d"},"b":{"$ref":"#/$defs/%d"}},"required":["a","b"]}`),
	"many members":             `{"minProperties":200000}`,
	"more members":             `{"minProperties":1e300}`,
	"a long text":              `{"minLength":60000000}`,
	"long texts":               `{"minItems":90000,"items":{"type":"string","minLength":200000}}`,
	"many items":               `{"minItems":99999,"items":{"allOf":[{"type":"object","minProperties":9},{"type":"object"}]}}`,
	"more items":               `{"minItems":1e10}`,
	"different items":          `{"minItems":99999,"uniqueItems":true,"items":{"type":"integer","maximum":99000}}`,
	"stars in stars":           `{"pattern":"` + strings.Repeat("(", 40) + strings.Repeat("()*)*", 40) + `"}`,
	"many threads":             `{"pattern":"^` + strings.Repeat("(a?){900}", 10) + `b$"}`,
	"a pattern of no text":     `{"minItems":99999,"items":{"pattern":"^[a-z]{100}$","maxLength":3}}`,
	"many decimals":            `{"minItems":99999,"items":{"type":"number","multipleOf":1.` + strings.Repeat("0", 3000) + `1}}`,
	"a reference of parts":     `{"minItems":99999,"items":{"$ref":"#` + strings.Repeat("/a", 2000) + `"},"a":{"a":{}}}`,
	"the least number":         `{"type":"number","minimum":-1.797e308}`,
	"the largest number":       `{"type":"number","exclusiveMinimum":1.7e308,"maximum":1.797e308}`,
	"all numbers":              `{"type":"number","minimum":-1.797e308,"maximum":1.797e308}`,
	"all whole numbers":        `{"type":"integer","minimum":-1.797e308,"maximum":1.797e308,"multipleOf":1e-300}`,
	"beyond all numbers":       `{"type":"number","exclusiveMinimum":1.7976931348623157e308}`,
	"a huge unit":              `{"type":"number","minimum":-1e308,"multipleOf":1.5e308}`,
}

// nested returns a schema with this many levels of definitions. Each is written by format, and
// can refer to the next.
func nested(levels int, format string) string {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/0","$defs":{`)
	for i := range levels {
		fmt.Fprintf(&b, `"%d":`+format+`,`, i, i+1, i+1)
	}
	fmt.Fprintf(&b, `"%d":{}}}`, levels)
	return b.String()
}

// For each schema, the work ends soon, either with valid JSON or with an error.
func TestHostileSchemasCostLittle(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	late, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // without a bound of its own the work would never end
	defer cancel()
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			schema, err := ojson.Parse([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			got, err := invent.Satisfying(invent.New(seeded(1)), schema, "", late.Done())
			if err == nil && !json.Valid([]byte(got)) {
				t.Errorf("it gives %.200s, which is no JSON", got)
			}
			_, _ = invent.Satisfying(invent.New(seeded(1)), schema, scenarios.BreakWrongType, late.Done())
			if late.Err() != nil {
				t.Errorf("it does not end: %v", err)
			}
		})
	}
	schema, _ := ojson.Parse([]byte(hostile["allOf twice in 25 levels"]))
	_, err := invent.Satisfying(invent.New(seeded(1)), schema, "", late.Done())
	if want := "it takes more than 250000 steps to satisfy it; ask for fewer or smaller values, or write the value in the scenario"; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Inventing stops when the context ends.
func TestInventingStops(t *testing.T) {
	t.Parallel()
	done := make(chan struct{})
	close(done)
	schema, err := ojson.Parse([]byte(`{"minItems":9}`))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := invent.Satisfying(invent.New(seeded(1)), schema, "", done); err == nil {
		t.Errorf("it gives %s", got)
	}
}

// Of several reasons why there is no value the first one is told, to which the others are due.
func TestTheFirstReasonIsTold(t *testing.T) {
	t.Parallel()
	schema, err := ojson.Parse([]byte(`{"if":{},"not":{}}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := invent.Satisfying(invent.New(seeded(1)), schema, "", nil); err == nil || !strings.Contains(err.Error(), `it uses "not"`) {
		t.Errorf("got %v", err)
	}
}

func FuzzSatisfying(f *testing.F) {
	testflag.Heavy(f)
	f.Add(`{"type":"object","properties":{"a":{"type":["string","null"],"maxLength":3}}}`)
	f.Add(`{"anyOf":[{"$ref":"#/$defs/x"}],"$defs":{"x":{"enum":[1,"2",null]}}}`)
	f.Add(`{"type":"number","multipleOf":0.01,"minimum":1e300}`)
	for _, text := range hostile {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		schema, err := ojson.Parse([]byte(text))
		if err != nil {
			return
		}
		// The fuzzer fails inputs that take 10 s, and many steps take long under it.
		enough := make(chan struct{})
		defer time.AfterFunc(time.Second, func() { close(enough) }).Stop()
		got, err := invent.Satisfying(invent.New(seeded(1)), schema, "", enough)
		if err == nil && !json.Valid([]byte(got)) {
			t.Errorf("%s gives %s, which is no JSON", text, got)
		}
		for _, how := range scenarios.Breaks {
			if broken, err := invent.Satisfying(invent.New(seeded(1)), schema, how, enough); err == nil && broken == got {
				t.Errorf("%s, broken with %s, gives the same %s", text, how, got)
			}
		}
	})
}
