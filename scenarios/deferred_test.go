package scenarios_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// A deferred scenario is read on first use, together with the scenario that it extends.
// A call that needs all scenarios reads the others, too.
func TestDeferredScenariosAreReadWhenAskedFor(t *testing.T) {
	t.Parallel()
	list := []*scenarios.Scenario{
		{Name: "base", Tags: []string{"a"}, Replies: replying("one")},
		{Name: "derived", Extends: "base"},
		{Name: "other", Replies: replying("two")},
	}
	whole, err := scenarios.NewSet(list...)
	if err != nil {
		t.Fatal(err)
	}
	var read []string
	set := scenarios.Deferred([]string{"base", "derived", "other"}, func(name string) *scenarios.Scenario {
		read = append(read, name)
		return list[slices.IndexFunc(list, func(s *scenarios.Scenario) bool { return s.Name == name })]
	})
	step := func(what string, want ...string) {
		t.Helper()
		if !slices.Equal(read, want) {
			t.Errorf("after %s: %v were read, want %v", what, read, want)
		}
	}
	if set.Len() != 3 || !set.IsDeferred() || whole.IsDeferred() {
		t.Errorf("Len() = %d, IsDeferred() = %v", set.Len(), set.IsDeferred())
	}
	if set.Lookup("nothing") != nil {
		t.Error("there is a scenario that has no name")
	}
	step("the beginning")
	for range 2 {
		if sel, miss := set.Match(t.Context(), &scenarios.Request{Model: "gpt-4o"}, nil, "other", 1); miss != nil || sel.Scenario.Name != "other" {
			t.Errorf("the default does not answer: %+v", miss)
		}
	}
	step("two requests for the default", "other")
	if _, miss := set.Match(t.Context(), &scenarios.Request{Scenario: "othre"}, nil, "other", 1); miss == nil || miss.Scenario != "other" {
		t.Errorf("a name that is nearly right: %+v", miss)
	}
	step("a name that there is not", "other")
	if sel, miss := set.Match(t.Context(), &scenarios.Request{Scenario: "derived"}, nil, "other", 1); miss != nil || sel.Scenario != set.Lookup("derived") {
		t.Errorf("what is asked for does not answer: %+v", miss)
	}
	step("a request by name", "other", "derived", "base")
	if sel, miss := set.Match(t.Context(), &scenarios.Request{Model: "gpt-4o"}, nil, "", 1); miss != nil || sel.Scenario.Name != "base" {
		t.Errorf("without a default the first does not answer: %+v", miss)
	}
	if !reflect.DeepEqual(set.Scenarios(), whole.Scenarios()) {
		t.Error("the scenarios are not those of a set that was built at once")
	}
	if over := set.With(scenarios.Manner{}, nil); over.IsDeferred() || !reflect.DeepEqual(over.Scenarios(), whole.Scenarios()) {
		t.Error("a manner is not laid over all scenarios")
	}
	var selected []string
	for sel := range set.Selections(1) {
		selected = append(selected, sel.Scenario.Name)
	}
	if want := []string{"base", "derived", "other"}; !slices.Equal(selected, want) {
		t.Errorf("selections are of %v, want %v", selected, want)
	}
	step("all", "other", "derived", "base")
}
