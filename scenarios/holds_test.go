package scenarios_test

import (
	"slices"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

func TestHolds(t *testing.T) {
	t.Parallel()
	hold := func(names ...string) *[]scenarios.Step {
		steps := []scenarios.Step{{}}
		for _, name := range names {
			steps = append(steps, scenarios.Step{Hold: name})
		}
		return &steps
	}
	first := &scenarios.Scenario{Name: "first", Replies: []scenarios.Reply{{Stream: hold("b", "a", "b")}, {}, {Stream: hold("c")}}}
	second := &scenarios.Scenario{Name: "second", Replies: []scenarios.Reply{{Stream: hold("a", "d")}}}
	if got, want := first.Holds(), []string{"b", "a", "b", "c"}; !slices.Equal(got, want) {
		t.Errorf("a scenario's holds are %q, want %q", got, want)
	}
	set, _ := scenarios.Build(nil, first, second)
	if got, want := set.Holds(), []string{"b", "a", "c", "d"}; !slices.Equal(got, want) {
		t.Errorf("the set's holds are %q, want %q", got, want)
	}
	if got := (*scenarios.Set)(nil).Holds(); got != nil {
		t.Errorf("without scenarios there are the holds %q", got)
	}
}
