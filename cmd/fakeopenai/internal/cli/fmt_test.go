package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
)

// The bundled scenarios are laid out as fmt lays files out.
func TestBundledScenariosAreLaidOut(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	var stdout, stderr bytes.Buffer
	code := Main(t.Context(), []string{"fmt", "--check", "../../../../fixtures"}, nil, strings.NewReader(""), &stdout, &stderr)
	if code != 0 {
		t.Errorf("run fakeopenai fmt fixtures: it ends with %d and would change\n%s%s", code, &stdout, &stderr)
	}
}
