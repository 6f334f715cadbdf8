package render

import (
	"os"
	"strings"
	"testing"
)

// The functions and data of templates, and what else a page can forget that is
// not a key, must at least be named.
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
