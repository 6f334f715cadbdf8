package server

import (
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// plainScenarios answer the requests to the APIs that are never streamed if no other scenario does:
// a program that embeds texts on its way needs no scenario for that.
var plainScenarios = sync.OnceValue(func() *scenarios.Set {
	set, _ := scenarios.Build(
		&scenarios.Scenario{Name: "plain-embeddings", Replies: []scenarios.Reply{{Embeddings: &scenarios.Embeddings{}}}},
		&scenarios.Scenario{Name: "plain-moderations", Replies: []scenarios.Reply{{Moderations: &scenarios.Moderations{}}}},
	)
	return set
})
