package answer

import (
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// Plain are the scenarios that answer the requests to the APIs that are never streamed if no other scenario does:
// a program that embeds texts on its way needs no scenario for that.
var Plain = sync.OnceValue(func() *scenarios.Set {
	set, _ := scenarios.Build(
		&scenarios.Scenario{Name: "plain-embeddings", Replies: []scenarios.Reply{{Embeddings: &scenarios.Embeddings{}}}},
		&scenarios.Scenario{Name: "plain-moderations", Replies: []scenarios.Reply{{Moderations: &scenarios.Moderations{}}}},
	)
	return set
})
