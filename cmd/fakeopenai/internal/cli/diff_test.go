package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
)

// Whatever a scenario sends, and however it ends, it does not differ from itself. Three
// of the bundled ones answer no plain request.
func TestNoBundledScenarioDiffersFromItself(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	const fixtures = "../../../../fixtures/*.yaml"
	var stdout, stderr bytes.Buffer
	Main(t.Context(), []string{"diff", "--text", fixtures, fixtures}, nil, strings.NewReader(""), &stdout, &stderr)
	if !strings.Contains(stdout.String(), "4 differences, ") || strings.Count(stdout.String(), "gets no answer to compare") != 4 || stderr.Len() > 0 {
		t.Errorf("%s%s", &stdout, &stderr)
	}
}

func TestAScenarioIsNamedOnce(t *testing.T) {
	t.Parallel()
	for want, all := range map[string][]string{
		"a, b":               {"a", "b", "a", "a"},
		"a, b, c and 2 more": {"a", "b", "c", "d", "e"},
	} {
		if got := shownNames(all); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
