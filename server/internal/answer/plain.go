package answer

import (
	"context"
	"slices"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// plainScenarios are the scenarios that answer the requests to the APIs that are never streamed if no other scenario does:
// a program that embeds texts on its way needs no scenario for that.
var plainScenarios = sync.OnceValue(func() *scenarios.Set {
	set, _ := scenarios.Build(nil,
		&scenarios.Scenario{Name: "plain-embeddings", Replies: []scenarios.Reply{{Embeddings: &scenarios.Embeddings{}}}},
		&scenarios.Scenario{Name: "plain-moderations", Replies: []scenarios.Reply{{Moderations: &scenarios.Moderations{}}}},
	)
	return set
})

// PlainReply is the reply of the plain scenarios to a request; nil if they have none. A client names
// its scenario with all of its requests: one without a reply for the API leaves them to the plain
// scenarios.
func PlainReply(set *scenarios.Set, req *scenarios.Request, seed int64) *scenarios.Selection {
	if req.Scenario != "" {
		named := set.Lookup(req.Scenario)
		if named == nil || slices.ContainsFunc(named.Replies, func(r scenarios.Reply) bool { return r.Whole() == req.Surface }) {
			return nil
		}
	}
	unnamed := *req
	unnamed.Scenario = ""
	sel, _ := plainScenarios().Match(context.Background(), &unnamed, nil, "", seed)
	if sel != nil {
		sel.Request = req
	}
	return sel
}
