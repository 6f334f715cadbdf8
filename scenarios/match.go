package scenarios

import (
	"fmt"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

// Match picks the reply for a request. The counter knows what was given before;
// nil gives every reply without limit. Match uses nothing up. Seed is for
// scenarios that have none.
//
// A scenario that the request asks for by name answers alone, and its own
// conditions need not hold. Otherwise scenarios with conditions are tried in
// order, then those without. With a defaultName it is that scenario, and no
// other without conditions, that is tried last. In a scenario the first reply
// that fits and is not used up is picked; if there is none, the search goes on.
//
// Of Selection and NoMatch exactly one is nil.
func (set *Set) Match(req *Request, counter Counter, defaultName string, seed int64) (*Selection, *NoMatch) {
	if set == nil || len(set.list) == 0 {
		return nil, &NoMatch{Reason: "there are no scenarios"}
	}
	m := matcher{req: req, counter: counter, seed: seed}
	if req.Scenario != "" {
		return set.matchNamed(&m, req.Scenario)
	}
	for _, e := range set.conditional {
		if sel := m.matchScenario(e, false); sel != nil {
			return sel, nil
		}
	}
	if defaultName != "" {
		return set.matchNamed(&m, defaultName)
	}
	for _, e := range set.unconditional {
		if sel := m.matchScenario(e, false); sel != nil {
			return sel, nil
		}
	}
	return nil, m.nearest.noMatch(req)
}

func (set *Set) matchNamed(m *matcher, name string) (*Selection, *NoMatch) {
	e := set.byName[name]
	if e == nil {
		near := diag.Nearest(name, set.names())
		reason := fmt.Sprintf("there is no scenario named %q", name)
		if near != "" {
			reason += fmt.Sprintf("; did you mean %q?", near)
		}
		return nil, &NoMatch{Scenario: near, Reason: reason}
	}
	if sel := m.matchScenario(e, true); sel != nil {
		return sel, nil
	}
	return nil, m.nearest.noMatch(m.req)
}

// A matcher tries scenarios on one request and remembers which came nearest.
type matcher struct {
	req     *Request
	counter Counter
	seed    int64
	nearest failure
}

// A failure is how far a scenario got before a condition failed.
type failure struct {
	entry *entry
	reply int // reply is the position of the reply that failed, -1 for the scenario itself.
	// failed is the condition that does not hold; nil says that the reply is
	// used up.
	failed *condition
	// progress counts the conditions that hold. To get as far as the replies,
	// and to the end of one's conditions, counts as one more each.
	progress int
}

// matchScenario is the reply that the scenario gives to the request, or nil. If
// the request asks for the scenario by name, the scenario's own conditions need
// not hold; they only capture.
func (m *matcher) matchScenario(e *entry, named bool) *Selection {
	for i := range e.when {
		if !named && !e.when[i].holds(m.req, nil) {
			m.note(failure{entry: e, reply: -1, failed: &e.when[i], progress: i})
			return nil
		}
	}
	for i := range e.replies {
		found := m.matchReply(e, i)
		if found == nil {
			continue
		}
		return &Selection{
			Scenario: e.scenario, Reply: &e.scenario.Replies[i], Index: i, Request: m.req,
			Match: found, Manner: e.replies[i].manner, Seed: e.scenario.seedOr(m.seed),
		}
	}
	return nil
}

// matchReply is what the conditions captured if the reply can be given, or nil.
// A group that took no part in a match is "".
func (m *matcher) matchReply(e *entry, i int) map[string]string {
	r := &e.replies[i]
	found := make(map[string]string, len(r.groups))
	for _, name := range r.groups {
		found[name] = ""
	}
	for j := range e.when {
		e.when[j].holds(m.req, found)
	}
	for j := range r.when {
		if !r.when[j].holds(m.req, found) {
			m.note(failure{entry: e, reply: i, failed: &r.when[j], progress: len(e.when) + 1 + j})
			return nil
		}
	}
	limit := e.scenario.Replies[i].Times
	if limit > 0 && m.counter != nil && !m.counter.Available(m.req.APIKey, e.scenario.Name, i, limit) {
		m.note(failure{entry: e, reply: i, progress: len(e.when) + 1 + len(r.when) + 1})
		return nil
	}
	return found
}

func (s *Scenario) seedOr(fallback int64) int64 {
	if s.Seed != nil {
		return *s.Seed
	}
	return fallback
}

func (m *matcher) note(f failure) {
	if m.nearest.entry == nil || f.progress > m.nearest.progress {
		m.nearest = f
	}
}

func (f failure) noMatch(req *Request) *NoMatch {
	if f.entry == nil {
		return &NoMatch{Reason: "no scenario has a reply"}
	}
	s := f.entry.scenario
	reason := ""
	switch {
	case f.failed == nil:
		reason = fmt.Sprintf("it was given %d of %d times", s.Replies[f.reply].Times, s.Replies[f.reply].Times)
	default:
		reason = f.failed.reason(req)
	}
	if f.reply >= 0 && len(s.Replies) > 1 {
		reason = fmt.Sprintf("reply %d: %s", f.reply+1, reason)
	}
	return &NoMatch{Scenario: s.Name, Reason: reason}
}
