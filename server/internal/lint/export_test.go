package lint

import (
	"slices"
	"testing"
)

// Checks are the rules that belong to no surface, for tests of all rules.
func Checks() (names []string) {
	for name := range checks {
		names = append(names, name)
	}
	return names
}

func TestChecksBelongToRules(t *testing.T) {
	t.Parallel()
	for name := range checks {
		if !slices.ContainsFunc(Rules(), func(r Rule) bool { return r.Name == name }) {
			t.Errorf("the check %s belongs to no rule", name)
		}
	}
}
