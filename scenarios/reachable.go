package scenarios

import (
	"fmt"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

// unreachableReplies finds replies that can never be given, because one before
// them takes every request that they would.
func unreachableReplies(s *Scenario) diag.List {
	var diags diag.List
	for i := range s.Replies {
		for j := range s.Replies[:i] {
			before := &s.Replies[j]
			if before.Times > 0 || !before.When.holdsWhenever(&s.Replies[i].When) {
				continue
			}
			diags = append(diags, diag.Problem{
				Pos:     s.Replies[i].Pos,
				Message: fmt.Sprintf("reply %d of %q is never given: reply %d takes every request that it would", i+1, s.Name, j+1),
				Hint:    "limit the one before with when or times, or put it last",
			})
			break
		}
	}
	return diags
}

// holdsWhenever reports whether w surely holds for every request for which
// other does: all its conditions are among the other's.
func (w *When) holdsWhenever(other *When) bool {
	known := map[string]bool{}
	for _, c := range other.conditions() {
		known[c.description] = true
	}
	for _, c := range w.conditions() {
		if !known[c.description] {
			return false
		}
	}
	return true
}
