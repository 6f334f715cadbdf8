package answer

import (
	"slices"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
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

// Sets can be made of the same scenarios without copies of what they say. What the check of a set finds out
// about a reply is not written to the scenario that another set is made of at the same time.
func TestSetsShareScenariosThatNothingWritesTo(t *testing.T) {
	t.Parallel()
	parsed, problems := yamlfile.Parse("x.yaml", []byte("name: x\nstream:\n  - reasoning: Hm.\n    content: a\n  - finish: stop\n"))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for range 2 {
		set, problems := scenarios.Build(nil, parsed...)
		if problems = append(problems, Check(set)...); len(problems) > 0 {
			t.Fatal(problems)
		}
		played := &set.Lookup("x").Replies[0]
		if len(played.RefusedOn) == 0 || parsed[0].Replies[0].RefusedOn != nil {
			t.Errorf("the reply is refused on %v, want one API; that which was parsed on %v, want none", played.RefusedOn, parsed[0].Replies[0].RefusedOn)
		}
		if played.Stream != parsed[0].Replies[0].Stream {
			t.Error("the steps were copied")
		}
	}
}
