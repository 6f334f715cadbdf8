package answer

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/server/internal/lint"
	"github.com/fakeopenai/fakeopenai/server/internal/render"
)

// checkSet finds what is wrong with the scenarios of a set beyond what the set
// sees itself: in their templates, and in the streams that they become.
func Check(set *scenarios.Set) diag.List {
	var list diag.List
	for _, s := range set.Scenarios() {
		list = append(list, render.Check(s)...)
		list = append(list, lint.Scenario(s, set.InheritedQuirks(s.Name))...)
	}
	list.Sort()
	return list.Unique()
}
