package chat

import (
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// layout describes the chunks of a model family: which members they have, in which
// order, and what stands in members that are empty.
type layout struct {
	// members lists the members of a chunk, in order. Obfuscation is always the last.
	members     []string
	onlyUsage   []string // onlyUsage lists those of a chunk with only usage, if their order differs.
	tier        ojson.Value
	fingerprint ojson.Value
	obfuscation bool
	logprobs    bool // logprobs says that choices have a logprobs member.
	refusal     bool // refusal says that the first delta has refusal: null.
	filtered    bool // filtered says that choices have content_filter_results.
	sorted      bool // sorted says that members stand in alphabetical order at every level.
}

var (
	chunkOrder      = []string{"id", "object", "created", "model", "service_tier", "system_fingerprint", "choices", "usage"}
	fingerprintHole = hole.Value(surface.HoleFingerprint)
	tierHole        = hole.Value(surface.HoleTier)
)

var layouts = map[scenarios.Layout]layout{
	scenarios.LayoutGPT4o: {members: chunkOrder, tier: tierHole, fingerprint: fingerprintHole, obfuscation: true, logprobs: true, refusal: true},
	scenarios.LayoutParallel: {
		members: []string{"id", "object", "created", "model", "service_tier", "system_fingerprint", "usage", "choices"},
		tier:    tierHole, fingerprint: fingerprintHole, obfuscation: true, logprobs: true, refusal: true,
	},
	scenarios.LayoutReasoning: {members: chunkOrder, tier: tierHole, fingerprint: ojson.Null(), obfuscation: true, refusal: true},
	scenarios.LayoutSearch:    {members: chunkOrder, fingerprint: ojson.String(""), refusal: true},
	scenarios.Layout2024:      {members: chunkOrder, fingerprint: fingerprintHole, logprobs: true, refusal: true},
	scenarios.LayoutAudio:     {members: chunkOrder, tier: tierHole, fingerprint: fingerprintHole, obfuscation: true, refusal: true},
	scenarios.LayoutAzure:     {members: chunkOrder, tier: tierHole, fingerprint: fingerprintHole, obfuscation: true, logprobs: true, refusal: true, filtered: true, sorted: true},
	scenarios.LayoutMinimal:   {members: chunkOrder},
}

// LayoutFor is the layout in which the real service answers for a model. Unlike there,
// upper case does not matter.
func LayoutFor(name string) scenarios.Layout {
	switch facts := surface.ModelNamed(strings.ToLower(name)); {
	case facts.Search:
		return scenarios.LayoutSearch
	case facts.Audio:
		return scenarios.LayoutAudio
	case facts.Reasoning:
		return scenarios.LayoutReasoning
	}
	return scenarios.LayoutGPT4o
}

// messageLayout is the layout in which the gpt-4o models send this message.
func messageLayout(m *scenarios.Message) scenarios.Layout {
	list := m.Choices
	if len(list) == 0 {
		list = []scenarios.Message{*m}
	}
	layout := scenarios.LayoutGPT4o
	for i := range list {
		switch c := &list[i]; {
		case c.Audio != nil:
			return scenarios.LayoutAudio
		case len(c.ToolCalls)+len(c.CustomToolCalls) > 1:
			layout = scenarios.LayoutParallel
		}
	}
	return layout
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
