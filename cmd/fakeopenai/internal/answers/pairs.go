package answers

import (
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

// pair is two scenarios to compare; one is nil if it has no counterpart.
type pair struct{ a, b *scenarios.Scenario }

// pairsOf finds the counterpart of each scenario on the other side: the one with the same
// name and conditions, else with the same conditions, which stand for the request, else
// with the same name. If both sides have one scenario, these are a pair.
func pairsOf(a, b []*scenarios.Scenario) []pair {
	if len(a) == 1 && len(b) == 1 {
		return []pair{{a[0], b[0]}}
	}
	partner, taken := map[*scenarios.Scenario]*scenarios.Scenario{}, map[*scenarios.Scenario]bool{}
	when := map[*scenarios.Scenario]string{}
	for _, list := range [][]*scenarios.Scenario{a, b} {
		for _, s := range list {
			when[s] = conditions(s)
		}
	}
	for _, key := range []func(s *scenarios.Scenario) string{
		func(s *scenarios.Scenario) string { return s.Name + "\n" + when[s] },
		func(s *scenarios.Scenario) string { return when[s] },
		func(s *scenarios.Scenario) string { return s.Name },
	} {
		waiting := map[string][]*scenarios.Scenario{}
		for _, y := range b {
			if k := key(y); k != "" && !taken[y] {
				waiting[k] = append(waiting[k], y)
			}
		}
		for _, x := range a {
			if list := waiting[key(x)]; len(list) > 0 && partner[x] == nil {
				partner[x], taken[list[0]], waiting[key(x)] = list[0], true, list[1:]
			}
		}
	}
	var pairs []pair
	for _, x := range a {
		pairs = append(pairs, pair{x, partner[x]})
	}
	for _, y := range b {
		if !taken[y] {
			pairs = append(pairs, pair{nil, y})
		}
	}
	return pairs
}

// conditions returns the conditions of a scenario as a text; "" for none.
func conditions(s *scenarios.Scenario) string {
	text, err := yamlfile.FormatLine(&scenarios.Scenario{Name: "x", When: s.When})
	_, when, found := strings.Cut(string(text), "when:")
	if err != nil || !found {
		return ""
	}
	return when
}
