package scenarios

import (
	"fmt"
	"strings"
)

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
			m.note(own)
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
			m.note(f)
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

func (m *matcher) note(f failure) {
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
