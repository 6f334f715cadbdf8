package scenarios

import (
	"cmp"
	"slices"
)

// Trial is how a scenario, or one of its replies, fares with a request.
type Trial struct {
	Scenario   string    `json:"scenario"`
	Reply      int       `json:"reply"`      // Reply is the position of the reply, from 0; -1 for the scenario itself.
	Conditions []Verdict `json:"conditions"` // Conditions are those of the scenario, and then those of the reply.
}

// Verdict says whether a condition holds.
type Verdict struct {
	Condition string `json:"condition"`
	Holds     bool   `json:"holds"`
	Reason    string `json:"reason,omitempty"` // Reason says why the condition does not hold.
	Value     string `json:"value,omitempty"`  // Value is what of the request made it hold; "" if the condition says that.
}

// Explain tries a scenario on a request, and each of its replies if the conditions of the scenario hold
// or, with named, need not hold.
func (set *Set) Explain(req *Request, scenario string, named bool) (list []Trial) {
	e := set.entry(scenario)
	if e == nil {
		return nil
	}
	own := verdicts(req, e.when)
	if !named && slices.ContainsFunc(own, func(v Verdict) bool { return !v.Holds }) {
		return []Trial{{scenario, -1, own}}
	}
	for i := range e.replies {
		conditions := slices.Clone(e.replies[i].when)
		for _, form := range e.replies[i].forms {
			if !form.holds(req, nil) {
				conditions = append(conditions, form)
			}
		}
		list = append(list, Trial{scenario, i, append(slices.Clip(own), verdicts(req, conditions)...)})
	}
	return list
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

// Nearer compares trials: one with fewer conditions that do not hold comes first, then one with more
// that hold.
func (t Trial) Nearer(other Trial) int {
	held := func(t Trial) (n int) {
		for _, v := range t.Conditions {
			if v.Holds {
				n++
			}
		}
		return n
	}
	a, b := held(t), held(other)
	return cmp.Or(cmp.Compare(len(t.Conditions)-a, len(other.Conditions)-b), cmp.Compare(b, a))
}
