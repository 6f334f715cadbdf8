package invent_test

import (
	"testing"

	_ "github.com/fakeopenai/fakeopenai/fixtures/testflag" // knows -update
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/invent"
)

func TestDrawsDependOnSeedScenarioPurposeAndOnlyThenOnTheRequest(t *testing.T) {
	t.Parallel()
	sel := &scenarios.Selection{
		Scenario: &scenarios.Scenario{Name: "spoken"}, Request: &scenarios.Request{RawBody: []byte(`{"n":1}`)}, Seed: 7,
	}
	drawn := func(change func(*scenarios.Selection)) [2]uint64 {
		other, request, scenario := *sel, *sel.Request, *sel.Scenario
		other.Request, other.Scenario = &request, &scenario
		change(&other)
		return [2]uint64{invent.Rand(&other, "x").Uint64(), invent.RequestRand(&other, "x").Uint64()}
	}
	first := drawn(func(*scenarios.Selection) {})
	if again := drawn(func(s *scenarios.Selection) { s.Index = 3 }); again != first {
		t.Error("the same seed, scenario and request draw something else")
	}
	for name, change := range map[string]func(*scenarios.Selection){
		"seed":     func(s *scenarios.Selection) { s.Seed++ },
		"scenario": func(s *scenarios.Selection) { s.Scenario.Name = "other" },
	} {
		if got := drawn(change); got[0] == first[0] || got[1] == first[1] {
			t.Errorf("another %s draws the same", name)
		}
	}
	got := drawn(func(s *scenarios.Selection) { s.Request.RawBody = []byte("{}") })
	if got[0] != first[0] || got[1] == first[1] {
		t.Error("another request must change RequestRand and nothing else")
	}
	if invent.Rand(sel, "x").Uint64() == invent.Rand(sel, "y").Uint64() {
		t.Error("another purpose draws the same")
	}
}
