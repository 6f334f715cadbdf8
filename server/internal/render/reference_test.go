package render

import (
	"os"
	"strings"
	"testing"
)

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
