package answer

import (
	"fmt"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

// checkPace finds options for the pauses between chunks in a scenario whose replies
// have no such pauses. A scenario that others extend may leave the pauses to them.
func checkPace(s *scenarios.Scenario, replies []*scenarios.Selection, extended bool) diag.List {
	word := ""
	for _, sel := range replies {
		p := &sel.Manner.Pace
		switch {
		case p.Every != nil || p.Recorded != nil || p.TokensPerSecond > 0:
			return nil
		case p.Burst != nil:
			word = "burst"
		case p.Per != "":
			word = "per"
		case p.Distribution != "":
			word = "distribution"
		}
	}
	if word == "" || extended {
		return nil
	}
	return diag.List{{
		Pos:     s.Pos,
		Message: fmt.Sprintf("scenario %q: %s needs pauses between chunks, and the pace has none", s.Name, word),
		Hint:    "write every: 20ms or tokens_per_second: 50 beside it",
	}}
}

// extendedNames are the names of the scenarios that others extend.
func extendedNames(set *scenarios.Set) map[string]bool {
	names := map[string]bool{}
	for _, s := range set.Scenarios() {
		names[s.Extends] = true
	}
	return names
}
