package recording

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// deriveConditions derives a condition for each request in own. The condition matches its request
// and, as far as conditions can tell them apart, no other request in own and none in
// others. How is one of [MatchTurn], [MatchLast] and [MatchExact].
func deriveConditions(how Matching, own, others []*scenarios.Request) []scenarios.When {
	rivalsOf := rivals(slices.Concat(own, others))
	list := make([]scenarios.When, len(own))
	for i, req := range own {
		list[i] = basic(req, how)
		holds := list[i].Test()
		for _, other := range rivalsOf(req) {
			if other != req && holds(other) {
				list[i], holds = narrowed(list[i], req, other)
			}
		}
	}
	return list
}

// rivals returns a function that finds the requests which the condition of a request may match. Each
// condition asks for the path, and for the beginning and the end of the text of the last user message, if there
// are any: so these are the requests that agree in these, and all if there is neither, or one with
// placeholders, which stand for any text.
func rivals(all []*scenarios.Request) func(*scenarios.Request) []*scenarios.Request {
	alike := map[string][]*scenarios.Request{}
	asked := func(req *scenarios.Request) string {
		text := req.LastUser
		return req.Path + text[:min(partOfText/2, len(text))] + text[max(0, len(text)-partOfText/2):]
	}
	for _, req := range all {
		of := asked(req)
		alike[of] = append(alike[of], req)
	}
	return func(req *scenarios.Request) []*scenarios.Request {
		if of := req.Path + req.LastUser; of == "" || placeholderPattern().MatchString(of) {
			return all
		}
		return alike[asked(req)]
	}
}

// narrowed is a condition with the first refinement with which it no longer matches the other
// request, if there is one.
func narrowed(w scenarios.When, req, other *scenarios.Request) (scenarios.When, func(*scenarios.Request) bool) {
	for _, narrower := range slices.Concat(refinements, bodyRefinements(req, other)) {
		refined := w
		narrower(&refined, req)
		if holds := refined.Test(); !holds(other) {
			return refined, holds
		}
	}
	return w, w.Test()
}
