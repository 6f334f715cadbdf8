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

func TestWhatClientsDoIsSaidOfRules(t *testing.T) {
	t.Parallel()
	for name, text := range clients {
		i := slices.IndexFunc(Rules(), func(r Rule) bool { return r.Name == name })
		if i < 0 || Rules()[i].Clients != text || text == "" {
			t.Errorf("what clients do belongs to no rule %s", name)
		}
	}
}

func TestChecksBelongToRules(t *testing.T) {
	t.Parallel()
	for name := range checks {
		if !slices.ContainsFunc(Rules(), func(r Rule) bool { return r.Name == name }) {
			t.Errorf("the check %s belongs to no rule", name)
		}
	}
}
