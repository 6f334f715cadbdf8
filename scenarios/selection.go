package scenarios

import "iter"

// Counter knows how often replies were given.
type Counter interface {
	// Left reports whether there is one left of the limit times that the reply is
	// given to the API key.
	Left(apiKey, scenario string, reply, limit int) bool
}

// Selection is the reply that was picked for a request.
type Selection struct {
	Scenario *Scenario
	Reply    *Reply
	Index    int // the reply's position in the scenario
	Request  *Request
	Match    map[string]string // what named groups of the conditions' regular expressions captured
	Manner   Manner            // the scenario's, with the reply's laid over it
	Seed     int64             // the scenario's, or the server's
}

// NoMatch says why no scenario answers a request.
type NoMatch struct {
	Scenario string // the nearest scenario, "" if there is none
	Reason   string // the first of its conditions that failed, in words
}

// Selections are all replies of the set, each as if a request had picked it that
// there is not yet. Seed is that of scenarios without their own.
func (s *Set) Selections(seed int64) iter.Seq[*Selection] {
	return func(yield func(*Selection) bool) {
		for _, sc := range s.Scenarios() {
			e := s.byName[sc.Name]
			for j := range e.replies {
				sel := &Selection{
					Scenario: e.scenario, Reply: &e.scenario.Replies[j], Index: j, Request: &Request{},
					Manner: e.replies[j].manner, Seed: sc.seedOr(seed),
				}
				if !yield(sel) {
					return
				}
			}
		}
	}
}
