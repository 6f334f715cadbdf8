package answer

import (
	"cmp"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// Spoken lists, by scenario name, the surfaces on which each scenario of a set answers:
// those that can express all of its replies, except replies for another surface alone.
func Spoken(set *scenarios.Set) map[string][]string {
	type place struct{ scenario, surface string }
	said := map[place]bool{} // said says whether the surface can express the replies so far.
	maker := NewMaker(0)
	for sel := range set.Selections(1) {
		only := cmp.Or(sel.Reply.When.Surface, sel.Scenario.When.Surface)
		for _, on := range surfaces {
			at := place{sel.Scenario.Name, on.Info().Name}
			if before, known := said[at]; known && !before || only != "" && only != at.surface {
				continue
			}
			sel.Request = &scenarios.Request{Surface: at.surface, Model: on.Info().DefaultModel, Stream: true, N: 1}
			said[at] = maker.Sayable(Ask(on, sel, false)) == nil
		}
	}
	spoken := map[string][]string{}
	for _, s := range set.Scenarios() {
		for _, on := range surfaces {
			if said[place{s.Name, on.Info().Name}] {
				spoken[s.Name] = append(spoken[s.Name], on.Info().Name)
			}
		}
	}
	return spoken
}
