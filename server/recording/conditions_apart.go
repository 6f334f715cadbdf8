package recording

import (
	"slices"
	"strconv"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// deriveConditions derives a condition for each request in own. The condition matches its request
// and, as far as conditions can tell them apart, no other request in own and none in
// others. How is one of [MatchTurn], [MatchLast] and [MatchExact].
func deriveConditions(how Matching, own, others []*scenarios.Request) []scenarios.When {
	d := derivation{how: how}
	d.derive(own, others)
	list := make([]scenarios.When, len(d.list))
	for i, r := range d.list {
		list[i] = r.when
	}
	return list
}

// derivation derives the conditions of requests together.
type derivation struct {
	how   Matching
	list  []*derived
	tried int // tried counts the evaluations of conditions, for tests.
}

// derived is the condition of one request.
type derived struct {
	request *scenarios.Request
	when    scenarios.When
	holds   func(*scenarios.Request) bool // holds evaluates the condition.
	against []*scenarios.Request          // against are the other requests that it may match.
}

func (d *derivation) derive(own, others []*scenarios.Request) {
	for _, req := range own {
		r := &derived{request: req}
		r.ask(basic(req, d.how))
		d.list = append(d.list, r)
	}
	d.findRivals(slices.Concat(own, others))
	for _, r := range d.list {
		for _, other := range r.against {
			if d.holdsFor(r, other) {
				d.narrow(r, other)
			}
		}
	}
}

// ask sets the condition.
func (r *derived) ask(w scenarios.When) { r.when, r.holds = w, w.Test() }

func (d *derivation) holdsFor(r *derived, req *scenarios.Request) bool {
	d.tried++
	return r.holds(req)
}

// findRivals finds for each condition the other requests that it may match, in their
// order, with the index of a [scenarios.Set].
func (d *derivation) findRivals(all []*scenarios.Request) {
	list := make([]*scenarios.Scenario, len(d.list))
	var always []*derived // always have no condition that the index can use.
	for i, r := range d.list {
		list[i] = &scenarios.Scenario{Name: strconv.Itoa(i), When: d.indexed(r), Replies: []scenarios.Reply{{Message: new(scenarios.Message)}}}
		if len(list[i].When.Conditions()) == 0 {
			always = append(always, r)
		}
	}
	set, _ := scenarios.Build(list...)
	for i, req := range all {
		rivals := slices.Clone(always)
		for sc := range set.Candidates(req) {
			n, _ := strconv.Atoi(sc.Name)
			rivals = append(rivals, d.list[n])
		}
		for _, r := range rivals {
			if i >= len(d.list) || d.list[i] != r {
				r.against = append(r.against, req)
			}
		}
	}
}

// indexed is the part of a condition that the index can use. A condition on the whole
// body implies one on the last user message.
func (d *derivation) indexed(r *derived) scenarios.When {
	if d.how == MatchExact && r.request.LastUser != "" && isPlain(r.request.Body.String()) {
		return scenarios.When{User: textIs(r.request.LastUser)}
	}
	return r.when
}

// narrow adds the first refinement with which the condition no longer matches the other
// request, if there is one.
func (d *derivation) narrow(r *derived, against *scenarios.Request) {
	before := r.when
	for _, narrower := range slices.Concat(refinements, bodyRefinements(r.request, against)) {
		w := before
		narrower(&w, r.request)
		if r.ask(w); !d.holdsFor(r, against) {
			return
		}
	}
	r.ask(before)
}
