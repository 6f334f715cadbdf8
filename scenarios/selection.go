package scenarios

import (
	"context"
	"iter"
)

// Counter knows how often replies were given.
type Counter interface {
	// Available reports whether the reply, given by its scenario's name and its
	// position from 0, was given to the API key fewer than limit times. It takes
	// nothing.
	Available(apiKey, scenario string, reply, limit int) bool
}

// Selection is the reply that was picked for a request.
type Selection struct {
	Scenario *Scenario
	Reply    *Reply
	Index    int // Index is the reply's position in the scenario, from 0.
	Request  *Request
	// Match is what named groups of the conditions' regular expressions
	// captured; nil if there are no groups.
	Match map[string]string
	// Manner is the scenario's, with the reply's laid over it. It is the same for all
	// requests, so nobody changes it.
	Manner *Manner
	Seed   int64 // Seed is the scenario's or, if it has none, the server's.
	// Context ends when nobody waits for the answer any more, so that long work on
	// it can stop. Nil is never.
	Context context.Context
	// Spending is what the request's API key has spent of its limits, this request
	// included; of its tokens only those of the prompt.
	Spending Spending
}

// Done is closed when nobody waits for the answer any more; nil is never.
func (s *Selection) Done() <-chan struct{} {
	if s.Context == nil {
		return nil
	}
	return s.Context.Done()
}

// Spending is what an API key has spent of a limit within the window, and what is
// left of it.
type Spending struct {
	Requests, RemainingRequests int
	Tokens, RemainingTokens     int
}

// NoMatch says why no scenario answers a request.
type NoMatch struct {
	// Scenario is the nearest scenario: one that is used up or, if there is none,
	// the one with the most conditions that hold. It is "" if there is none.
	Scenario string
	Reason   string // Reason is all of its conditions that failed, in words.
}

// Selections are all replies of the set, each selected for a request that is
// empty, for those who look at replies before there are requests. Seed is for
// scenarios that have none.
func (set *Set) Selections(seed int64) iter.Seq[*Selection] {
	return func(yield func(*Selection) bool) {
		for _, sc := range set.all() {
			for _, sel := range set.SelectionsOf(sc.Name, seed) {
				if !yield(sel) {
					return
				}
			}
		}
	}
}

// SelectionsOf are the [Set.Selections] of one scenario.
func (set *Set) SelectionsOf(scenario string, seed int64) []*Selection {
	e := set.entry(scenario)
	if e == nil {
		return nil
	}
	list := make([]*Selection, len(e.replies))
	for j := range e.replies {
		list[j] = &Selection{
			Scenario: e.scenario, Reply: &e.scenario.Replies[j], Index: j, Request: &Request{},
			Manner: e.replies[j].manner, Seed: e.scenario.seedOr(seed),
		}
	}
	return list
}
