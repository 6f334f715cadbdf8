package responses

import (
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// layout is a layout of response objects and events.
type layout struct {
	members []string // members are the members of the response object, in order.
	old     bool     // old says that events are those of March 2025.
	// ranked says that the members of events have the order of 2025.
	ranked bool
	// sorted says that all members of events except type are in alphabetical order.
	sorted bool
}

// currentMembers are the members in recordings from July 2026.
var currentMembers = []string{
	"id", "object", "created_at", "status", "background", "completed_at", "error", "frequency_penalty", "incomplete_details",
	"instructions", "max_output_tokens", "max_tool_calls", "model", "moderation", "output", "parallel_tool_calls", "presence_penalty",
	"previous_response_id", "prompt", "prompt_cache_key", "prompt_cache_options", "prompt_cache_retention", "reasoning",
	"safety_identifier", "service_tier", "store", "temperature", "text", "tool_choice", "tool_usage", "tools", "top_logprobs", "top_p",
	"truncation", "usage", "user", "metadata",
}

// azureMembers are those of Azure, which adds the results of its content filter.
var azureMembers = slices.Insert(slices.Clone(currentMembers), slices.Index(currentMembers, "error"), "content_filters")

// oldMembers are the members in recordings from March 2025.
var oldMembers = []string{
	"id", "object", "created_at", "status", "error", "incomplete_details", "instructions", "max_output_tokens", "model", "output",
	"parallel_tool_calls", "previous_response_id", "reasoning", "store", "temperature", "text", "tool_choice", "tools", "top_p",
	"truncation", "usage", "user", "metadata",
}

// autumnMembers are the members in recordings from the second half of 2025.
var autumnMembers = []string{
	"id", "object", "created_at", "status", "background", "error", "incomplete_details", "instructions", "max_output_tokens", "max_tool_calls",
	"model", "output", "parallel_tool_calls", "previous_response_id", "prompt_cache_key", "prompt_cache_retention", "reasoning",
	"safety_identifier", "service_tier", "store", "temperature", "text", "tool_choice", "tools", "top_logprobs", "top_p", "truncation", "usage",
	"user", "metadata",
}

// layoutOf returns the layout that a scenario names, or else the one of the path.
func layoutOf(written scenarios.Layout, azure bool) scenarios.Layout {
	switch {
	case written.IsOn(surfaceName):
		return written
	case azure:
		return scenarios.LayoutAzure
	}
	return ""
}

func layoutNamed(name scenarios.Layout) layout {
	switch name {
	case scenarios.LayoutAzure:
		return layout{members: azureMembers}
	case scenarios.Layout202503:
		return layout{members: oldMembers, old: true}
	case scenarios.Layout202510:
		return layout{members: autumnMembers, ranked: true}
	case scenarios.Layout202602:
		return layout{members: currentMembers, sorted: true}
	}
	return layout{members: currentMembers}
}

// oldOrder is the order of the members of events, items and parts in March 2025. Others come
// last.
var oldOrder = []string{
	"type", "id", "item_id", "output_index", "content_index", "summary_index", "annotation_index", "status", "role", "call_id", "name",
	"delta", "text", "item", "part",
}

// notYet are members that events, items and parts did not have in March 2025.
var notYet = []string{"sequence_number", "obfuscation", "logprobs"}

// rankedOrder is the order of the members of events until the end of 2025. Others come last.
var rankedOrder = []string{
	"type", "sequence_number", "item_id", "output_index", "content_index", "summary_index", "command_index", "annotation_index", "annotation",
	"partial_image_index", "partial_image_b64", "size", "quality", "background", "output_format", "command", "delta", "text", "logprobs",
	"obfuscation",
}

// indexFirst are the beginnings of the types of events, without "response.", that had
// output_index before item_id.
var indexFirst = []string{"web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "mcp_"}

// event returns an event in the layout.
func (l layout) event(v ojson.Value) ojson.Value {
	switch {
	case l.ranked:
		return withoutCacheWrites(inRankedOrder(v))
	case l.sorted:
		return v.Sorted().First("type")
	case !l.old:
		return v
	}
	v = older(v)
	for _, name := range []string{"item", "part"} {
		if inner := v.Get(name); inner.Kind() == ojson.ObjectKind {
			v.Set(name, older(inner))
		}
	}
	if r := v.Get("response"); r.Kind() == ojson.ObjectKind {
		r = r.Clone()
		r.Set("output", olderAll(r.Get("output")))
		v.Set("response", r)
	}
	return withoutCacheWrites(v)
}

// withoutCacheWrites returns an event without cache_write_tokens in its usage.
func withoutCacheWrites(v ojson.Value) ojson.Value {
	if v.Get("response").Get("usage").Get("input_tokens_details").Get("cache_write_tokens").IsAbsent() {
		return v
	}
	v = v.Clone()
	v.Remove(ojson.Path{{Name: "response"}, {Name: "usage"}, {Name: "input_tokens_details"}, {Name: "cache_write_tokens"}})
	return v
}

// inRankedOrder returns an event with its members in the order of 2025.
func inRankedOrder(v ojson.Value) ojson.Value {
	name := strings.TrimPrefix(v.Get("type").Text(), "response.")
	v = v.First(rankedOrder...)
	if slices.ContainsFunc(indexFirst, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
		v = v.First("type", "sequence_number", "output_index")
	}
	return v
}

// older returns an event, an item or a part as it was in March 2025.
func older(v ojson.Value) ojson.Value {
	old := ojson.Object(slices.DeleteFunc(slices.Clone(v.Members()), func(m ojson.Member) bool { return slices.Contains(notYet, m.Name) })...).First(oldOrder...)
	for _, name := range []string{"content", "summary"} {
		if list := old.Get(name); list.Kind() == ojson.ArrayKind {
			old.Set(name, olderAll(list))
		}
	}
	return old
}

func olderAll(list ojson.Value) ojson.Value {
	all := ojson.Array()
	for _, v := range list.Items() {
		all.Push(older(v))
	}
	return all
}
