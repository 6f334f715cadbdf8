package scenarios

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// Trial is how a scenario, or one of its replies, fares with a request.
type Trial struct {
	Scenario   string    `json:"scenario"`
	Reply      int       `json:"reply"`            // Reply is the position of the reply, from 0; -1 for the scenario itself.
	Conditions []Verdict `json:"conditions"`       // Conditions are those of the scenario, and then those of the reply.
	Reason     string    `json:"reason,omitempty"` // Reason says why it did not answer, as a [NoMatch] does.
}

// Verdict says whether a condition holds.
type Verdict struct {
	Condition string `json:"condition"`
	Holds     bool   `json:"holds"`
	Reason    string `json:"reason,omitempty"` // Reason says why the condition does not hold.
	Value     string `json:"value,omitempty"`  // Value is what of the request made it hold; "" if the condition says that.
}

// Explain tries the scenarios that [Set.Match] tries, with this defaultName, on a request, and says how that
// reply of the scenario picked fares which answered, and how the others do, the nearest first: the first of
// them is that of the [NoMatch] if none answered. The pick is nil if it is not among the scenarios.
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
		m.lookAt(set.named(set.unconditional), false)
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
		t := f.told(req)
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

// told tells all conditions of what was tried.
func (f *failure) told(req *Request) Trial {
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
