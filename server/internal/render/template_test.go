package render

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"text/template"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// Not parallel: templates that other tests render are cached, too.
func TestTemplatesOfEachAnswerAreParsedOnce(t *testing.T) {
	machines := func(source string) any {
		parsed, err := parseOnce(source)
		if err != nil {
			t.Fatal(err)
		}
		return parsed.machines
	}
	first := machines("{{ .turn }}")
	if machines("{{ .turn }}") != first {
		t.Error("a template is parsed again")
	}
	long := strings.Repeat("x", maxParsed/10)
	for i := range 20 {
		machines(fmt.Sprintf("{{ %d }}%s", i, long))
	}
	held := 0
	for source := range parsed.templates {
		held += len(source)
	}
	if held > maxParsed || held != parsed.size {
		t.Errorf("sources of %d bytes are remembered, and %d are counted, want at most %d", held, parsed.size, maxParsed)
	}
}

// Widths and the numbers of arguments take turns.
func TestAllWidthsOfAFormatCount(t *testing.T) {
	t.Parallel()
	for format, want := range map[string]int{"%5d|%-7s|%.2f %%": 14, "%[2]*.[1]*f": 2_000_003, "%99999999d": 1_000_000} {
		if got := padding(format); got != want {
			t.Errorf("%q: %d, want %d", format, got, want)
		}
	}
	if got := padding(strings.Repeat("%999999[1]d", 80)); got <= scenarios.MaxText {
		t.Errorf("eighty widths of a million count as %d", got)
	}
}

func TestAGeneratedTextEndsWithAWholeCharacter(t *testing.T) {
	t.Parallel()
	for bytes, want := range map[int64]string{1: "a", 2: "a", 3: "aé", 4: "aéa", 7: "aéaéa"} {
		got, err := generated(scenarios.Text{Repeat: "aé", Bytes: bytes})
		if got != want || err != nil {
			t.Errorf("%d bytes: got %q, %v, want %q", bytes, got, err, want)
		}
	}
	if _, err := generated(scenarios.Text{Repeat: "a", Bytes: scenarios.MaxText + 1}); err == nil {
		t.Error("a text beyond the limit is generated")
	}
}

// The page on templates must mention all functions and data of templates. They are not keys, so
// that no other test would notice if the page forgot one.
func TestTheReferenceNamesAllOfTemplates(t *testing.T) {
	t.Parallel()
	const reference = "../../../scenarios/docs/templates.md"
	data, err := os.ReadFile(reference)
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	for _, name := range templateFunctions {
		if !strings.Contains(page, "`"+name+"`") && !strings.Contains(page, "`"+name+" ") {
			t.Errorf("%s does not name the template function %s", reference, name)
		}
	}
	for _, name := range templateNames {
		if !strings.Contains(page, "`."+name) {
			t.Errorf("%s does not name the template data .%s", reference, name)
		}
	}
}

// Comparisons whose cost counts, and index, give what those of text/template give.
func TestComparisonsAreThoseOfTextTemplate(t *testing.T) {
	t.Parallel()
	seen := map[string]any{
		"text": "abc", "number": 3, "list": []any{1, "x", nil}, "texts": []string{"a"}, "members": map[string]any{"a": 1}, "names": map[string]string{"a": "1"},
	}
	values := []string{".text", ".number", ".list", ".texts", ".members", ".names", `"a"`, "1", "'a'", "1.5", "true", "nil", "0", "-1"}
	for _, name := range []string{"eq", "ne", "lt", "le", "gt", "ge", "index"} {
		for _, a := range values {
			for _, b := range append(values, "1 1") {
				source := fmt.Sprintf("{{ %s %s %s }}{{ %s | %s %s }}", name, a, b, b, name, a)
				rendered := func(functions template.FuncMap) string {
					tree, err := parseTree(source)
					if err != nil {
						return "no template"
					}
					if functions != nil {
						countReads(tree.Root)
					}
					var out strings.Builder
					if err := template.Must(template.New("").Funcs(functions).AddParseTree("", tree)).Execute(&out, seen); err != nil {
						return "an error"
					}
					return out.String()
				}
				if got, want := rendered(new(work).boundedFunctions()), rendered(nil); got != want {
					t.Errorf("%s: got %s, want %s", source, got, want)
				}
			}
		}
	}
}
