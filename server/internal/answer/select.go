package answer

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
)

// Counter counts how often replies were given.
type Counter interface {
	scenarios.Counter
	// Take uses up one of the limit times that a reply is given to an API key, and
	// reports whether there was one left.
	Take(apiKey, scenario string, reply, limit int) bool
}

// Select picks the reply for a request, lets check look at the request with it,
// and only then uses the reply up: a request that is refused takes nothing from
// others. Of its results exactly one is not nil.
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
		// Another request may have taken the last one meanwhile; then there is another
		// reply to be found.
		if limit := sel.Reply.Times; limit == 0 || counter.Take(req.APIKey, sel.Scenario.Name, sel.Index, limit) {
			return sel, nil, nil
		}
	}
}
