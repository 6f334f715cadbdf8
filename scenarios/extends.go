package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

// A resolvedScenario is a scenario with everything that it takes over from the
// scenario that it extends.
type resolvedScenario struct {
	*Scenario
	// inherited is as in entry.
	inherited []Quirk
}

// resolveExtends resolves the extends of scenarios and keeps their order. A scenario
// that extends one that is neither in the list nor in base is a problem and left out.
func resolveExtends(list []*Scenario, base *Set) ([]*resolvedScenario, diag.List) {
	r := extender{byName: map[string]*Scenario{}, resolved: map[string]*resolvedScenario{}}
	for _, s := range base.Scenarios() {
		if !slices.ContainsFunc(list, func(own *Scenario) bool { return own.Name == s.Name }) {
			r.byName[s.Name] = s
			r.names = append(r.names, s.Name)
			r.resolved[s.Name] = &resolvedScenario{Scenario: s, inherited: base.InheritedQuirks(s.Name)}
		}
	}
	for _, s := range list {
		r.byName[s.Name] = s
		r.names = append(r.names, s.Name)
	}
	var resolved []*resolvedScenario
	for _, s := range list {
		if done := r.resolve(s, nil); done != nil {
			resolved = append(resolved, done)
		}
	}
	return resolved, r.diags
}

type extender struct {
	byName map[string]*Scenario
	names  []string
	// resolved is the scenarios that were resolved so far, nil if that failed.
	resolved map[string]*resolvedScenario
	diags    diag.List
}

// resolve resolves one scenario. Chain is the names of the scenarios on the way to it,
// each of which extends the next; a name that comes twice is a circle.
func (x *extender) resolve(s *Scenario, chain []string) *resolvedScenario {
	if done, ok := x.resolved[s.Name]; ok {
		return done
	}
	if slices.Contains(chain, s.Name) {
		x.report(s, "extends goes in a circle: "+strings.Join(append(chain, s.Name), " -> "), "")
		return nil
	}
	x.resolved[s.Name] = x.extend(s, append(chain, s.Name))
	return x.resolved[s.Name]
}

func (x *extender) extend(s *Scenario, chain []string) *resolvedScenario {
	if s.Extends == "" {
		return &resolvedScenario{Scenario: s}
	}
	base := x.byName[s.Extends]
	if base == nil {
		x.report(s, fmt.Sprintf("extends %q, but there is no scenario of that name", s.Extends), diag.DidYouMean(s.Extends, x.names))
		return nil
	}
	from := x.resolve(base, chain)
	if from == nil {
		return nil
	}
	return from.extendedBy(s)
}

// extendedBy returns s with what it takes over from the scenario from.
func (from *resolvedScenario) extendedBy(s *Scenario) *resolvedScenario {
	return &resolvedScenario{Scenario: s.extending(from.Scenario), inherited: slices.Concat(from.Quirks, from.inherited)}
}

func (x *extender) report(s *Scenario, message, hint string) {
	x.diags = append(x.diags, diag.Problem{Pos: s.Pos, Message: message, Hint: hint})
}

// extending returns s with what it takes over from base. Replies, conditions and tags
// of s replace those of base; the manner of s is laid over that of base, and over that
// of the replies of base.
func (s *Scenario) extending(base *Scenario) *Scenario {
	result := *s
	from := base.Clone()
	if len(s.Replies) > 0 {
		if !slices.ContainsFunc(s.Replies, func(r Reply) bool { return r.Error == nil }) {
			from.Wire.ContentType = nil // It is the type of the base's answers, not that of errors.
		}
		result.Manner = from.Manner.Overlay(s.Manner)
	} else {
		result.Replies = from.Replies
		result.Manner = from.Manner.Overlay(s.Manner)
		result.Damage = from.Damage // the damage of s is added to each reply below
		for i := range result.Replies {
			r := &result.Replies[i]
			r.Manner = r.Manner.Overlay(s.Manner)
		}
	}
	if s.When.IsZero() {
		result.When = from.When
	}
	if len(s.Tags) == 0 {
		result.Tags = from.Tags
	}
	if s.Seed == nil {
		result.Seed = from.Seed
	}
	if s.Strict == nil {
		result.Strict = from.Strict
	}
	if s.CheckHistory == nil {
		result.CheckHistory = from.CheckHistory
	}
	if s.Limits.IsZero() {
		result.Limits = from.Limits
	}
	return &result
}

// IsZero reports whether w holds for every request.
func (w *When) IsZero() bool { return len(w.conditions()) == 0 }
