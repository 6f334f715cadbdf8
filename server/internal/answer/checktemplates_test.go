package answer

import (
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

// A template that cannot be read is a problem of its text and of its stream; only
// the one with the hint is told.
func TestABrokenTemplateIsReportedOnce(t *testing.T) {
	t.Parallel()
	_, found := yamlfile.Check(Check, yamlfile.Source{Name: "a.yaml", Data: []byte("name: a\nmessage: 'Hi {{ .match.1 }}'\n")})
	if len(found) != 1 || !strings.Contains(found[0].Hint, "groups have names here") {
		t.Errorf("found %v", found)
	}
}
