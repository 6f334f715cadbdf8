package answer

import (
	"slices"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// The language and the server know the same APIs, the default first.
func TestTheLanguageNamesTheSurfaces(t *testing.T) {
	t.Parallel()
	var names []string
	for _, info := range infos() {
		names = append(names, info.Name)
	}
	if want := scenarios.Surfaces(); !slices.Equal(names, want) || names[0] != scenarios.DefaultSurface {
		t.Errorf("the server speaks %v, the language names %v, with %s as the default", names, want, scenarios.DefaultSurface)
	}
}
