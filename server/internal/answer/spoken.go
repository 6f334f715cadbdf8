package answer

import "github.com/fakeopenai/fakeopenai/scenarios"

// Spoken lists, by scenario name, the surfaces on which each scenario of a set answers:
// those that can express all of its replies, except replies for another surface alone.
func Spoken(set *scenarios.Set) map[string][]string {
	maker := NewMaker(0)
	replies, said := map[string]map[string]int{}, map[string]map[string]int{}
	for sel := range set.Selections(1) {
		name := sel.Scenario.Name
		if replies[name] == nil {
			replies[name], said[name] = map[string]int{}, map[string]int{}
		}
		for _, on := range surfaces {
			if only := boundTo(sel); only != "" && only != on.Info().Name {
				continue
			}
			replies[name][on.Info().Name]++
			sel.Request = &scenarios.Request{Surface: on.Info().Name, Model: on.Info().DefaultModel, Stream: true, N: 1}
			if maker.Sayable(Ask(on, sel, false)) == nil {
				said[name][on.Info().Name]++
			}
		}
	}
	spoken := map[string][]string{}
	for name := range replies {
		for _, on := range surfaces {
			if n := said[name][on.Info().Name]; n > 0 && n == replies[name][on.Info().Name] {
				spoken[name] = append(spoken[name], on.Info().Name)
			}
		}
	}
	return spoken
}

// boundTo is the surface that the conditions of a reply name; "" for any.
func boundTo(sel *scenarios.Selection) string {
	if sel.Reply.When.Surface != "" {
		return sel.Reply.When.Surface
	}
	return sel.Scenario.When.Surface
}
