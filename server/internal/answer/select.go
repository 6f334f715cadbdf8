package answer

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
)

// Counter counts how often each reply was given.
type Counter interface {
	scenarios.Counter
	// Take uses up one of the limit times that a reply is given to an API key. It
	// reports whether one was left.
	Take(apiKey, scenario string, reply, limit int) bool
}

// Select picks the reply for a request, calls check with it, and then takes the reply.
// A request that check refuses uses up nothing. Exactly one result is not nil.
func Select(set *scenarios.Set, req *scenarios.Request, counter Counter, defaultName string, seed int64,
	check func(*scenarios.Selection) error) (*scenarios.Selection, *scenarios.NoMatch, error) {
	for {
		sel, none := set.Match(req, counter, defaultName, seed)
		if none != nil {
			return nil, none, nil
		}
		if err := check(sel); err != nil {
			return nil, nil, err
		}
		// If another request took the last one meanwhile, match again: another reply
		// may answer.
		if limit := sel.Reply.Times; limit == 0 || counter.Take(req.APIKey, sel.Scenario.Name, sel.Index, limit) {
			return sel, nil, nil
		}
	}
}
