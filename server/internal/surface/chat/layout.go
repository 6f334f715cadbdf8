// Package chat is the surface of chat completions: it reads and checks requests,
// derives the stream of a message, speaks beats as chunks, and folds chunks into
// one answer for a request that does not stream.
//
// The layouts are those of recordings of the real service, not those that its
// reference documents show.
package chat

import (
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/model"
)

// layout describes the chunks of a model family: which members they have, in which
// order, and what stands in members that are empty.
type layout struct {
	// members lists the members of a chunk, in order. Obfuscation is always the last.
	members     []string
	fingerprint ojson.Value
	obfuscation bool
	logprobs    bool // logprobs says that choices have a logprobs member.
	refusal     bool // refusal says that the first delta has refusal: null.
	filtered    bool // filtered says that choices have content_filter_results.
	sorted      bool // sorted says that members stand in alphabetical order at every level.
}

var (
	currentMembers  = []string{"id", "object", "created", "model", "service_tier", "system_fingerprint", "choices", "usage"}
	olderMembers    = []string{"id", "object", "created", "model", "system_fingerprint", "choices", "usage"}
	fingerprintHole = hole.Value(holeFingerprint)
)

var layouts = map[scenarios.Layout]layout{
	scenarios.LayoutGPT4o: {members: currentMembers, fingerprint: fingerprintHole, obfuscation: true, logprobs: true, refusal: true},
	scenarios.LayoutParallel: {
		members:     []string{"id", "object", "created", "model", "service_tier", "system_fingerprint", "usage", "choices"},
		fingerprint: fingerprintHole, obfuscation: true, logprobs: true, refusal: true,
	},
	scenarios.LayoutReasoning: {members: currentMembers, fingerprint: ojson.Null(), obfuscation: true, refusal: true},
	scenarios.LayoutSearch:    {members: olderMembers, fingerprint: ojson.String(""), refusal: true},
	scenarios.Layout2024:      {members: olderMembers, fingerprint: fingerprintHole, logprobs: true, refusal: true},
	scenarios.LayoutAudio:     {members: currentMembers, fingerprint: fingerprintHole, obfuscation: true, refusal: true},
	scenarios.LayoutAzure:     {members: currentMembers, fingerprint: fingerprintHole, obfuscation: true, logprobs: true, refusal: true, filtered: true, sorted: true},
	scenarios.LayoutMinimal:   {members: []string{"id", "object", "created", "model", "choices", "usage"}},
}

// LayoutFor is the layout in which the real service answers for a model. Unlike there,
// upper case does not matter.
func LayoutFor(name string) scenarios.Layout {
	switch facts := model.Lookup(strings.ToLower(name)); {
	case facts.Search:
		return scenarios.LayoutSearch
	case facts.Audio:
		return scenarios.LayoutAudio
	case facts.Reasoning:
		return scenarios.LayoutReasoning
	}
	return scenarios.LayoutGPT4o
}

// sorted returns v with the members of all objects in alphabetical order.
func sorted(v ojson.Value) ojson.Value {
	switch v.Kind() {
	case ojson.ArrayKind:
		items := slices.Clone(v.Items())
		for i := range items {
			items[i] = sorted(items[i])
		}
		return ojson.Array(items...)
	case ojson.ObjectKind:
		members := slices.Clone(v.Members())
		for i := range members {
			members[i].Value = sorted(members[i].Value)
		}
		slices.SortStableFunc(members, func(a, b ojson.Member) int { return strings.Compare(a.Name, b.Name) })
		return ojson.Object(members...)
	}
	return v
}
