package scenarios

import (
	"slices"
	"testing"
)

func TestHolds(t *testing.T) {
	t.Parallel()
	hold := func(names ...string) *[]Step {
		steps := []Step{{}}
		for _, name := range names {
			steps = append(steps, Step{Hold: name})
		}
		return &steps
	}
	first := &Scenario{Name: "first", Replies: []Reply{{Stream: hold("b", "a", "b")}, {}, {Stream: hold("c")}}}
	second := &Scenario{Name: "second", Replies: []Reply{{Stream: hold("a", "d")}}}
	if got, want := first.Holds(), []string{"b", "a", "b", "c"}; !slices.Equal(got, want) {
		t.Errorf("a scenario's holds are %q, want %q", got, want)
	}
	set, _ := Build(nil, first, second)
	if got, want := set.Holds(), []string{"b", "a", "c", "d"}; !slices.Equal(got, want) {
		t.Errorf("the set's holds are %q, want %q", got, want)
	}
	if got := (*Set)(nil).Holds(); got != nil {
		t.Errorf("without scenarios there are the holds %q", got)
	}
}
