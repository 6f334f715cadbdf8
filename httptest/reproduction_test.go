package fakeopenai

import (
	"testing"

	"github.com/fakeopenai/fakeopenai/server/tools/sweep"
)

// A variant whose scenarios were not asked for is printed with a NAME to fill in.
func TestReproductionBeforeAnythingWasAsked(t *testing.T) {
	t.Parallel()
	fake := NewServer(t, YAML(greeting), InMemory(), AllowUnused())
	got := reproduction(sweep.Case{Variant: sweep.Variant{Name: "crlf", YAML: "wire: { newline: crlf }"}}, fake)
	if want := "{ name: NAME-crlf, extends: NAME, wire: { newline: crlf } }"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
