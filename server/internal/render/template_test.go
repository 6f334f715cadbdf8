package render

import (
	"fmt"
	"strings"
	"testing"
)

// Not parallel: templates that other tests render are cached, too.
func TestTemplatesOfEachAnswerAreParsedOnce(t *testing.T) {
	tree := func(source string) any {
		parsed, err := parseOnce(source)
		if err != nil {
			t.Fatal(err)
		}
		return parsed.tree
	}
	first := tree("{{ .turn }}")
	if tree("{{ .turn }}") != first {
		t.Error("a template is parsed again")
	}
	long := strings.Repeat("x", maxParsed/10)
	for i := range 20 {
		tree(fmt.Sprintf("{{ %d }}%s", i, long))
	}
	held := 0
	for source := range parsed.templates {
		held += len(source)
	}
	if held > maxParsed || held != parsed.size {
		t.Errorf("sources of %d bytes are remembered, and %d are counted, want at most %d", held, parsed.size, maxParsed)
	}
}
