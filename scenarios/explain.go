package scenarios

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// Trial is how a scenario, or one of its replies, fares with a request.
type Trial struct {
	Scenario   string    `json:"scenario"`
	Reply      int       `json:"reply"`            // Reply is the position of the reply, from 0; -1 for the scenario itself.
	Conditions []Verdict `json:"conditions"`       // Conditions are the conditions of the scenario, and then those of the reply.
	Reason     string    `json:"reason,omitempty"` // Reason says why the scenario did not answer, as a [NoMatch] does.
}

// Verdict says whether a condition holds.
type Verdict struct {
	Condition string `json:"condition"`
	Holds     bool   `json:"holds"`
	Reason    string `json:"reason,omitempty"` // Reason says why the condition does not hold.
	Value     string `json:"value,omitempty"`  // Value is the part of the request for which the condition holds; "" if the condition itself says it.
}

// Explain tries the scenarios that [Set.Match] tries, with this defaultName, on a request. Pick is the trial of the
// reply that answered, given by its scenario and number; nil if the set does not have it. Others are the trials of the
// other scenarios, the nearest first; if none answered, the first of them is the one of the [NoMatch].
func (set *Set) Explain(req *Request, defaultName, picked string, reply int) (pick *Trial, others []Trial) {
	if set.Len() == 0 {
		return nil, nil
	}
	var tried []failure
	m := matcher{req: req, first: set.names[0], all: &tried, trial: trial{ctx: context.Background()}}
	name := cmp.Or(req.Scenario, defaultName)
	if req.Scenario == "" {
		m.lookAt(set.conditional, false)
	}
	if e := set.entry(name); e != nil {
		m.lookAt([]*entry{e}, true)
	} else if name == "" {
		m.lookAt(set.entriesNamed(set.unconditional), false)
	}
	at := slices.IndexFunc(tried, func(f failure) bool { return f.entry.scenario.Name == picked && f.reply == reply })
	order := map[*failure]int{}
	var list []*failure
	for i := range tried {
		order[&tried[i]], list = i, append(list, &tried[i])
	}
	slices.SortStableFunc(list, func(a, b *failure) int {
		if a.nearerThan(b) {
			return -1
		}
		return map[bool]int{true: 1}[b.nearerThan(a)]
	})
	for _, f := range list {
		t := f.trialOf(req)
		switch i := order[f]; {
		case i == at:
			pick = &t
			continue
		case len(f.failed) == 0 && f.entry.scenario.Replies[f.reply].Times == 0 && (at < 0 || i < at):
			t.Reason = "it would answer now"
		case at < 0 || i < at || slices.ContainsFunc(t.Conditions, func(v Verdict) bool { return !v.Holds }):
			t.Reason = f.reason(req)
		case t.Scenario == picked:
			t.Reason = fmt.Sprintf("reply %d comes before it", reply+1)
		default:
			t.Reason = fmt.Sprintf("%q comes before it", picked)
		}
		others = append(others, t)
	}
	return pick, others
}

// Try selects a reply of a scenario for a request, whether its conditions hold or not, and tells them. Seed is that of
// scenarios that have none. The set must have the reply.
func (set *Set) Try(req *Request, scenario string, reply int, seed int64) (*Selection, []Verdict) {
	e := set.entry(scenario)
	m := matcher{req: req, trial: trial{ctx: context.Background()}}
	m.matchReply(e, reply)
	sel := e.selection(reply, req, seed)
	sel.Match = m.trial.found
	return sel, (&failure{entry: e, reply: reply}).trialOf(req).Conditions
}

func (f *failure) trialOf(req *Request) Trial {
	conditions := verdicts(req, f.entry.when)
	if f.reply >= 0 {
		of := &f.entry.replies[f.reply]
		conditions = append(conditions, verdicts(req, of.when)...)
		for _, form := range of.forms {
			if !form.holds(req, nil) {
				conditions = append(conditions, verdicts(req, []condition{form})...)
			}
		}
	}
	return Trial{Scenario: f.entry.scenario.Name, Reply: f.reply, Conditions: conditions}
}

func verdicts(req *Request, conditions []condition) []Verdict {
	list := []Verdict{}
	for i := range conditions {
		c := &conditions[i]
		v := Verdict{Condition: string(c.description), Holds: c.holds(req, nil)}
		switch {
		case !v.Holds:
			v.Reason = c.reason(req)
		case c.value != nil:
			v.Value = c.value(req)
		}
		list = append(list, v)
	}
	return list
}

// A failure is the reason why a scenario, or one of its replies, does not answer a
// request.
type failure struct {
	entry *entry
	reply int // reply is the position of the reply that failed, -1 for the scenario itself.
	// failed is the conditions that do not hold. If it is empty, the reply is used up.
	failed []*condition
	held   int // held is the number of conditions that hold.
}

// lookAt finds which of the scenarios, none of which answers the request, comes
// nearest to it, and sets m.nearest. It tries every condition, so it is only called
// when no scenario answers. Scenarios of APIs are near to no request to another path.
func (m *matcher) lookAt(list []*entry, named bool) {
	m.trial.found = nil
	for _, e := range list {
		if m.req.Surface == SurfaceOther && !e.scenario.AnswersElsewhere() {
			continue
		}
		own := failure{entry: e, reply: -1}
		if !named {
			own.try(m, e.when)
		}
		if len(own.failed) > 0 {
			m.noteFailure(own)
			continue
		}
		for i := range e.replies {
			f := failure{entry: e, reply: i, held: own.held}
			f.try(m, e.replies[i].when)
			for j := range e.replies[i].forms {
				if form := &e.replies[i].forms[j]; !form.holds(m.req, &m.trial) {
					f.failed = append(f.failed, form)
					f.held -= form.weight
				}
			}
			if len(f.failed) == 0 && !named && m.isForOthers(e, i) {
				f.failed = []*condition{{reason: func(r *Request) string {
					return "it has no condition such as surface: " + r.Surface + ", and is not the first"
				}}}
			}
			if chance := e.scenario.Replies[i].Chance; len(f.failed) == 0 && chance != nil && m.isLeft(e, i) {
				f.failed = []*condition{{reason: func(*Request) string { return fmt.Sprintf("its chance of %v did not give it", *chance) }}}
			}
			m.noteFailure(f)
		}
	}
}

func (f *failure) try(m *matcher, conditions []condition) {
	for i := range conditions {
		if conditions[i].holds(m.req, &m.trial) {
			f.held++
		} else {
			f.failed = append(f.failed, &conditions[i])
			f.held -= conditions[i].weight
		}
	}
}

func (m *matcher) noteFailure(f failure) {
	if m.all != nil {
		*m.all = append(*m.all, f)
	}
	if m.nearest == nil || f.nearerThan(m.nearest) {
		m.nearest = &f
	}
}

// nearerThan reports whether f is a better reason to give than other. A reply that is
// only used up is best, then the one with more conditions that hold, then the one with
// fewer that fail.
func (f *failure) nearerThan(other *failure) bool {
	if usedUp := len(f.failed) == 0; usedUp != (len(other.failed) == 0) {
		return usedUp
	}
	if f.held != other.held {
		return f.held > other.held
	}
	return len(f.failed) < len(other.failed)
}

// noMatch says why the nearest scenario does not answer.
func (m *matcher) noMatch() *NoMatch {
	switch {
	case m.trial.over:
		return &NoMatch{Reason: "the client left before all conditions were tried", Unfinished: true}
	case m.nearest == nil:
		return &NoMatch{Reason: "no scenario has a reply"}
	}
	return &NoMatch{Scenario: m.nearest.entry.scenario.Name, Reason: m.nearest.reason(m.req)}
}

// reason says why the scenario or the reply does not answer the request.
func (f *failure) reason(req *Request) string {
	s := f.entry.scenario
	var reasons []string
	for _, c := range f.failed {
		reasons = append(reasons, c.reason(req))
	}
	if len(f.failed) == 0 {
		reasons = []string{fmt.Sprintf("it was given %d of %d times", s.Replies[f.reply].Times, s.Replies[f.reply].Times)}
	}
	reason := strings.Join(reasons, "; ")
	if f.reply >= 0 && len(s.Replies) > 1 {
		reason = fmt.Sprintf("reply %d: %s", f.reply+1, reason)
	}
	return reason
}

// reachedBy is what to write so that reply i of a scenario is sent, before which reply j answers all that it could.
func reachedBy(s *Scenario, i, j int) string {
	first, plain, where := &s.Replies[j], len(s.Replies[i].When.Conditions()) == 0, fmt.Sprintf("reply %d", i)
	switch {
	case !plain:
		return fmt.Sprintf("put reply %d last, or give it a when, times or a chance", j+1)
	case first.Message != nil && len(first.Message.ToolCalls) > 0:
		return fmt.Sprintf("write when: { turn: 1 } in reply %d, or give it times or a chance", j+1)
	}
	if s.Replies[j].Error == nil && s.Replies[i-1].Error != nil { // which is sent, since it answers more requests
		last := i - 2
		for s.Replies[last].Error != nil {
			last--
		}
		where = fmt.Sprintf("reply %d and in reply %d", last+1, i)
	}
	return fmt.Sprintf("write times: 1 in %s, so that reply %d follows; or give it a when or a chance, or put it last", where, i+1)
}
