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
)

// layout is which members a model family's chunks have, in which order, and
// what stands in those that say nothing.
type layout struct {
	members     []string // of the chunk, in order; obfuscation is always the last
	fingerprint ojson.Value
	obfuscation bool
	logprobs    bool // choices have a logprobs member
	refusal     bool // the first delta has refusal: null
	filtered    bool // choices have content_filter_results
	sorted      bool // members stand in alphabetical order at every level
}

var (
	modern = []string{"id", "object", "created", "model", "service_tier", "system_fingerprint", "choices", "usage"}
	older  = []string{"id", "object", "created", "model", "system_fingerprint", "choices", "usage"}
	fp     = hole.Value(holeFingerprint)
)

var layouts = map[scenarios.Layout]layout{
	scenarios.LayoutGPT4o: {members: modern, fingerprint: fp, obfuscation: true, logprobs: true, refusal: true},
	scenarios.LayoutParallel: {
		members:     []string{"id", "object", "created", "model", "service_tier", "system_fingerprint", "usage", "choices"},
		fingerprint: fp, obfuscation: true, logprobs: true, refusal: true,
	},
	scenarios.LayoutReasoning: {members: modern, fingerprint: ojson.Null(), obfuscation: true, refusal: true},
	scenarios.LayoutSearch:    {members: older, fingerprint: ojson.String(""), refusal: true},
	scenarios.Layout2024:      {members: older, fingerprint: fp, logprobs: true, refusal: true},
	scenarios.LayoutAudio:     {members: modern, fingerprint: fp, obfuscation: true, refusal: true},
	scenarios.LayoutAzure:     {members: modern, fingerprint: fp, obfuscation: true, logprobs: true, refusal: true, filtered: true, sorted: true},
	scenarios.LayoutMinimal:   {members: []string{"id", "object", "created", "model", "choices", "usage"}},
}

// LayoutFor is the layout in which the real service answers for a model.
func LayoutFor(model string) scenarios.Layout {
	model = strings.ToLower(model)
	switch {
	case strings.Contains(model, "search-preview"), strings.Contains(model, "search-api"):
		return scenarios.LayoutSearch
	case strings.Contains(model, "audio"):
		return scenarios.LayoutAudio
	}
	for _, family := range []string{"gpt-5", "gpt-6", "o1", "o3", "o4"} {
		if strings.HasPrefix(model, family) {
			return scenarios.LayoutReasoning
		}
	}
	return scenarios.LayoutGPT4o
}

// snapshots are the dated models that the real service names in its answers
// when it is asked for the alias.
var snapshots = map[string]string{
	"gpt-4o":                     "gpt-4o-2024-08-06",
	"gpt-4o-mini":                "gpt-4o-mini-2024-07-18",
	"gpt-4o-search-preview":      "gpt-4o-search-preview-2025-03-11",
	"gpt-4o-mini-search-preview": "gpt-4o-mini-search-preview-2025-03-11",
	"gpt-4o-audio-preview":       "gpt-4o-audio-preview-2025-06-03",
	"gpt-4.1":                    "gpt-4.1-2025-04-14",
	"gpt-4.1-mini":               "gpt-4.1-mini-2025-04-14",
	"gpt-4.1-nano":               "gpt-4.1-nano-2025-04-14",
	"gpt-4":                      "gpt-4-0613",
	"gpt-4-turbo":                "gpt-4-turbo-2024-04-09",
	"gpt-3.5-turbo":              "gpt-3.5-turbo-0125",
	"gpt-5":                      "gpt-5-2025-08-07",
	"gpt-5-mini":                 "gpt-5-mini-2025-08-07",
	"gpt-5-nano":                 "gpt-5-nano-2025-08-07",
	"o1":                         "o1-2024-12-17",
	"o3":                         "o3-2025-04-16",
	"o3-mini":                    "o3-mini-2025-01-31",
	"o4-mini":                    "o4-mini-2025-04-16",
}

// DefaultModel answers where a request names no model.
const DefaultModel = "gpt-4o"

// Snapshot is the name under which a model answers: the dated snapshot of an
// alias, any other name as it is.
func Snapshot(model string) string {
	if s, ok := snapshots[model]; ok {
		return s
	}
	return model
}

// sorted is v with the members of every object in alphabetical order.
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
