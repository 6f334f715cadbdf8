package scenarios

import (
	"context"
	"iter"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Counter counts how often replies were given to the API key of a request, and draws those that have a chance.
type Counter interface {
	// Available reports whether a reply, named by its scenario and its position from 0, was
	// given to the API key of the request fewer than limit times. It does not count.
	Available(scenario string, reply, limit int) bool
	// Drawn reports whether the chance of a reply gives it to the request.
	Drawn(sel *Selection) bool
}

// Selection is the reply that was picked for a request.
type Selection struct {
	Scenario *Scenario
	Reply    *Reply
	Index    int // Index is the reply's position in the scenario, from 0.
	Request  *Request
	// Match is what the named groups of regular expressions captured; nil if the
	// conditions have no named groups.
	Match map[string]string
	// Manner is the scenario's manner with the reply's laid over it. All requests share
	// it, so it must not be changed.
	Manner *Manner
	Seed   int64 // Seed is the request's own or, if it has none, the scenario's or, without that, the server's.
	// Heard are the messages that have ended waits of the reply's steps so far, in the order of the steps.
	Heard []Heard
	// Context is done when nobody waits for the answer any more, so that long work on
	// it can stop. A nil Context is never done.
	Context context.Context
	// Spending is what the request's API key has spent of its limits. It includes this
	// request, but not yet the tokens of its answer.
	Spending Spending
}

// Heard is a message that has ended the wait of a step; Absent if the stream went on without one.
type Heard struct {
	Step    int // Step is the index of the step in its stream.
	Message ojson.Value
}

// Done returns a channel that is closed when nobody waits for the answer any more, or
// nil if there is no Context.
func (s *Selection) Done() <-chan struct{} {
	if s.Context == nil {
		return nil
	}
	return s.Context.Done()
}

// Spending is how much of a limit an API key has used up within the window, and how
// much is left.
type Spending struct {
	Requests, RemainingRequests int
	Tokens, RemainingTokens     int
}

// NoMatch says why no scenario answers a request.
type NoMatch struct {
	// Scenario is the name of the nearest scenario: one whose reply is used up or, if
	// there is none, the one with the most conditions that hold; "" if none is near.
	Scenario string
	Reason   string // Reason is all conditions of that scenario that failed, in words.
	// Unfinished says that the context ended before all conditions were tried.
	Unfinished bool
}

// Selections returns all replies of the set, each selected for an empty request. They
// are for checks before any request. Seed is the seed of scenarios that have none.
func (set *Set) Selections(seed int64) iter.Seq[*Selection] {
	return func(yield func(*Selection) bool) {
		for _, e := range set.all() {
			for _, sel := range set.SelectionsOf(e.scenario.Name, seed) {
				if !yield(sel) {
					return
				}
			}
		}
	}
}

// SelectionsOf returns the [Set.Selections] of one scenario.
func (set *Set) SelectionsOf(scenario string, seed int64) []*Selection {
	e := set.entry(scenario)
	if e == nil {
		return nil
	}
	list := make([]*Selection, len(e.replies))
	for i := range list {
		list[i] = e.selection(i, &Request{}, seed)
	}
	return list
}
