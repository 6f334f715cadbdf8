package condition

import (
	"slices"
	"strconv"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// Derive is a condition for each of the requests in own, that holds for it. It holds
// for no other of them and for none of others, as far as there are words that tell
// them apart. How is one of [Turn], [Last] and [Exact].
func Derive(how string, own, others []*scenarios.Request) []scenarios.When {
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
	how   string
	list  []*derived
	tried int // tried is how often a condition was tried on a request.
}

// derived is the condition of one request.
type derived struct {
	request *scenarios.Request
	when    scenarios.When
	holds   func(*scenarios.Request) bool // holds tries the condition.
	against []*scenarios.Request          // against are the other requests that it may hold for.
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

// ask makes a condition that of the request.
func (r *derived) ask(w scenarios.When) { r.when, r.holds = w, w.Test() }

func (d *derivation) holdsFor(r *derived, req *scenarios.Request) bool {
	d.tried++
	return r.holds(req)
}

// findRivals finds for each condition the other requests that it may hold for, in
// their order: those that the index of a set lets through, as the server has one.
func (d *derivation) findRivals(all []*scenarios.Request) {
	list := make([]*scenarios.Scenario, len(d.list))
	var always []*derived // always have no condition that an index could look at.
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

// indexed is what is asked by a request's condition that an index can look at. A body
// that is asked for as it is has the same last text of the user.
func (d *derivation) indexed(r *derived) scenarios.When {
	if d.how == Exact && r.request.LastUser != "" && isPlain(r.request.Body.String()) {
		return scenarios.When{User: Is(r.request.LastUser)}
	}
	return r.when
}

// narrow adds the first condition that holds for the request and not for another one,
// if there is one.
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
