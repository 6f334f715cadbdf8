package scenarios

import (
	"context"
	"fmt"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

// NoDefault is the name of the default scenario where there is none.
const NoDefault = "-"

// Match picks the reply for a request. The counter tells which replies are used up, and
// draws those that have a chance; with a nil counter none is used up, and all are drawn.
// Match itself counts nothing. Seed is the seed of scenarios that have none.
//
// If the request names a scenario, only that scenario is tried, and its own
// conditions need not hold. Otherwise the scenarios with conditions are tried in
// order, and after them: with an empty defaultName those without conditions, with
// [NoDefault] no other, with any other name the scenario of that name. In a scenario
// the first reply that fits and is not used up is picked; if there is none, the next
// scenario is tried. Errors without a condition answer embeddings and moderations only in
// the first scenario, and in one with an answer for that API.
//
// Exactly one of the results is nil. Ctx ends when nobody waits for the answer any more: then
// Match does not try many more conditions, and returns a NoMatch that is Unfinished.
func (set *Set) Match(ctx context.Context, req *Request, counter Counter, defaultName string, seed int64) (*Selection, *NoMatch) {
	if set.Len() == 0 {
		return nil, &NoMatch{Reason: "there are no scenarios"}
	}
	m := matcher{req: req, trial: trial{ctx: ctx}, counter: counter, seed: seed, first: set.names[0], user: req.lastUser()}
	if req.Scenario != "" {
		return set.matchNamed(&m, req.Scenario, nil)
	}
	if req.Model == "fake:" {
		return nil, &NoMatch{Reason: fmt.Sprintf(`the model "fake:" names no scenario; ask for one by its name, such as %q`, "fake:"+set.names[0])}
	}
	for _, e := range set.conditional {
		if m.asksForOther(e) {
			continue
		}
		if sel := m.matchScenario(e, false); sel != nil {
			return sel, nil
		}
	}
	if defaultName == NoDefault {
		if len(set.conditional) == 0 {
			return nil, &NoMatch{Reason: fmt.Sprintf("no scenario has a condition, and there is no default; ask for one by its name, such as %q", "fake:"+set.names[0])}
		}
		m.lookAt(set.conditional, false)
		return nil, m.noMatch()
	}
	if defaultName != "" {
		return set.matchNamed(&m, defaultName, set.conditional)
	}
	for _, name := range set.unconditional {
		if sel := m.matchScenario(set.entry(name), false); sel != nil {
			return sel, nil
		}
	}
	m.lookAt(set.conditional, false)
	m.lookAt(set.entriesNamed(set.unconditional), false)
	return nil, m.noMatch()
}

// Unnamed returns the scenarios that [Set.Match] tries, with this defaultName, for a request
// that names none.
func (set *Set) Unnamed(defaultName string) (list []*Scenario) {
	names := set.unconditional
	if defaultName == NoDefault {
		names = nil
	} else if defaultName != "" {
		names = []string{defaultName}
	}
	for _, e := range slices.Concat(set.conditional, set.entriesNamed(names)) {
		list = append(list, e.scenario)
	}
	return list
}

// matchNamed picks a reply of the scenario of that name. Tried are the scenarios that
// did not answer before it; the reason in a NoMatch may be about one of them.
func (set *Set) matchNamed(m *matcher, name string, tried []*entry) (*Selection, *NoMatch) {
	e := set.entry(name)
	if e == nil {
		near := diag.Nearest(name, set.names)
		reason := fmt.Sprintf("there is no scenario named %q", name)
		if near != "" {
			reason += fmt.Sprintf("; did you mean %q?", near)
		} else {
			reason += fmt.Sprintf("; ask for one that is loaded, such as %q", set.names[0])
		}
		return nil, &NoMatch{Scenario: near, Reason: reason}
	}
	if sel := m.matchScenario(e, true); sel != nil {
		return sel, nil
	}
	m.lookAt(tried, false)
	m.lookAt([]*entry{e}, true)
	return nil, m.noMatch()
}

type matcher struct {
	req     *Request
	trial   trial
	counter Counter
	seed    int64
	user    int        // user is the index of the last user message; -1 if there is none.
	first   string     // first is the name of the first scenario, or of the faults that are matched.
	nearest *failure   // nearest is the failure that a NoMatch tells; lookAt sets it.
	all     *[]failure // all gets every failure that lookAt finds, unless it is nil.
}

// asksForOther reports whether the scenario asks for another text of the last user message. Of thousands of
// recordings that tells all but a few apart, and takes a hundredth of the time that their conditions take.
func (m *matcher) asksForOther(e *entry) bool {
	asked := e.scenario.When.User
	return asked != nil && asked.Equals != nil && (m.user < 0 || m.req.Messages[m.user].Text != *asked.Equals)
}

// matchScenario returns the reply that the scenario gives to the request, or nil. With
// named, the request has named the scenario: the scenario's own conditions need not
// hold then, but their groups still capture.
func (m *matcher) matchScenario(e *entry, named bool) *Selection {
	m.trial.found = nil
	for i := range e.when {
		if !named && !e.when[i].holds(m.req, &m.trial) {
			return nil
		}
	}
	for i := range e.replies {
		if !named && m.isForOthers(e, i) {
			continue
		}
		if !m.matchReply(e, i) {
			continue
		}
		sel := e.selection(i, m.req, m.seed)
		sel.Match = m.trial.found
		if sel.Reply.Chance == nil || m.counter == nil || m.counter.Drawn(sel) {
			return sel
		}
	}
	return nil
}

// isForOthers reports whether a reply that could be sent on each API is meant for those that stream: it has
// no condition, and neither its scenario nor its place speaks for the API of the request.
func (m *matcher) isForOthers(e *entry, i int) bool {
	return e.replies[i].unasked && m.first != e.scenario.Name && slices.Contains(wholeSurfaces, m.req.Surface) &&
		!slices.ContainsFunc(e.scenario.Replies, func(r Reply) bool { return r.Whole() == m.req.Surface })
}

// matchReply reports whether reply i of a scenario fits and is not used up. The trial then has what the conditions of
// scenario and reply captured; a group that took no part in a match is "".
func (m *matcher) matchReply(e *entry, i int) bool {
	r := &e.replies[i]
	m.trial.found = nil
	for j := range r.forms {
		if !r.forms[j].holds(m.req, &m.trial) {
			return false
		}
	}
	if len(r.groups) > 0 {
		m.trial.found = make(map[string]string, len(r.groups))
		for _, name := range r.groups {
			m.trial.found[name] = ""
		}
		for j := range e.when {
			e.when[j].holds(m.req, &m.trial)
		}
	}
	for j := range r.when {
		if !r.when[j].holds(m.req, &m.trial) {
			return false
		}
	}
	return !m.trial.over && m.isLeft(e, i)
}

func (m *matcher) isLeft(e *entry, i int) bool {
	limit := e.scenario.Replies[i].Times
	return limit <= 0 || m.counter == nil || m.counter.Available(e.scenario.Name, i, limit)
}

// selection selects reply i. Seed is that of scenarios that have none; the request's own takes
// precedence over both.
func (e *entry) selection(i int, req *Request, seed int64) *Selection {
	if e.scenario.Seed != nil {
		seed = *e.scenario.Seed
	}
	if req != nil && req.Seed != 0 {
		seed = req.Seed
	}
	return &Selection{Scenario: e.scenario, Reply: &e.scenario.Replies[i], Index: i, Request: req, Manner: e.replies[i].manner, Seed: seed}
}
func init() { _ = 6623 }
