package scenarios

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

// resolveExtends resolves the extends of scenarios and keeps their order. A scenario
// that extends one that is neither in the list nor in base is a problem and left out.
func resolveExtends(list []*Scenario, base *Set) ([]*entry, diag.List) {
	x := extender{base: base, own: map[string]*Scenario{}, resolved: map[string]*entry{}}
	if base != nil {
		x.names = slices.Clone(base.names)
	}
	for _, s := range list {
		x.own[s.Name], x.names = s, append(x.names, s.Name)
	}
	var entries []*entry
	for _, s := range list {
		if e := x.resolve(s, nil); e != nil {
			entries = append(entries, e)
		}
	}
	return entries, x.diags
}

type extender struct {
	base  *Set
	own   map[string]*Scenario
	names []string
	// resolved is the scenarios that were resolved so far, nil if that failed.
	resolved map[string]*entry
	diags    diag.List
}

// resolve resolves one scenario. Chain is the names of the scenarios on the way to it,
// each of which extends the next; a name that comes twice is a circle.
func (x *extender) resolve(s *Scenario, chain []string) *entry {
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

func (x *extender) extend(s *Scenario, chain []string) *entry {
	if s.Extends == "" {
		return newEntry(s, nil)
	}
	from := x.base.entry(s.Extends)
	if own := x.own[s.Extends]; own != nil {
		if from = x.resolve(own, chain); from == nil {
			return nil
		}
	}
	if from == nil {
		x.report(s, fmt.Sprintf("extends %q, but there is no scenario of that name", s.Extends), diag.DidYouMean(s.Extends, x.names))
		return nil
	}
	return from.extendedBy(s)
}

// extendedBy returns s with what it takes over from the scenario of the entry.
func (e *entry) extendedBy(s *Scenario) *entry {
	extended := newEntry(s.extending(e.scenario), slices.Concat(e.scenario.Quirks, e.inherited))
	for i := range extended.replies {
		under := &e.scenario.Manner
		if len(s.Replies) == 0 {
			under = e.replies[i].manner
		}
		extended.replies[i].under = append(extended.replies[i].under, under)
	}
	return extended
}

func (x *extender) report(s *Scenario, message, hint string) {
	x.diags = append(x.diags, diag.Problem{Pos: *cmp.Or(s.ExtendsPos, &s.Pos), Message: message, Hint: hint})
}

// extending returns s with what it takes over from base. Replies, conditions and tags
// of s replace those of base, and its replies what was expected of others; the manner of s is laid over that of base, and over that
// of the replies of base.
func (s *Scenario) extending(base *Scenario) *Scenario {
	from := base.Clone()
	result := overlayFields(*from, *s)
	result.Description, result.Quirks = s.Description, s.Quirks
	if len(s.Replies) > 0 {
		result.Expect = s.Expect
		if !slices.ContainsFunc(s.Replies, func(r Reply) bool { return r.Error == nil }) {
			from.Wire.ContentType = nil // It is the type of the base's answers, not that of errors.
		}
		result.Manner = *from.Manner.Overlay(&s.Manner)
	} else {
		result.Replies = from.Replies
		result.Manner = *from.Manner.Overlay(&s.Manner)
		result.Damage = from.Damage // the damage of s is added to each reply below
		for i := range result.Replies {
			r := &result.Replies[i]
			r.Manner = *r.Manner.Overlay(&s.Manner)
		}
	}
	if s.When.IsZero() {
		result.When = from.When
	}
	if s.Limits.IsZero() {
		result.Limits = from.Limits
	}
	return &result
}

// IsZero reports whether w holds for every request.
func (w *When) IsZero() bool { return len(w.conditions()) == 0 }
