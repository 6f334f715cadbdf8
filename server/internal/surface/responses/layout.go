package responses

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

type layout struct {
	era     era
	onAzure bool
}

// era is the time of the recordings that have a layout.
type era int

const (
	march2025 era = iota
	october2025
	february2026
	july2026
)

func (l layout) has(m *answerMember) bool { return m.since <= l.era && (l.onAzure || !m.onAzure) }

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
	case scenarios.Layout202503:
		return layout{era: march2025}
	case scenarios.Layout202510:
		return layout{era: october2025}
	case scenarios.Layout202602:
		return layout{era: february2026}
	}
	return layout{era: july2026, onAzure: name == scenarios.LayoutAzure}
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

func (l layout) event(v ojson.Value) ojson.Value {
	switch l.era {
	case october2025:
		return inRankedOrder(v)
	case february2026:
		return v.Sorted().First("type")
	case july2026:
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

// contentFilters returns the results of Azure's content filter for the request and the answer,
// which found nothing; null until the response ends.
func (s *speaker) contentFilters(now *snapshot) ojson.Value {
	if !now.over {
		return ojson.Null()
	}
	length := 0
	for _, i := range s.items {
		if i.isCall() {
			continue // the filter does not look at arguments
		}
		for _, p := range i.parts {
			length += utf8.RuneCountInString(p.wholeText().Text())
		}
	}
	return ojson.Array(
		filtered("prompt", hole.Value(holePromptLength), surface.UnfilteredPrompt()),
		filtered("completion", ojson.Int(int64(length)), surface.Unfiltered()),
	)
}

// promptLength returns the number of characters in a request that the filter looked at.
func promptLength(req *scenarios.Request) int64 {
	length := 0
	for i := range req.Messages {
		length += utf8.RuneCountInString(req.Messages[i].Text)
	}
	return int64(length)
}

// filtered returns the results for a text of this length.
func filtered(source string, length, results ojson.Value) ojson.Value {
	return ojson.Object(
		ojson.M("blocked", ojson.Bool(false)),
		ojson.M("source_type", ojson.String(source)),
		ojson.M("content_filter_raw", ojson.Array()),
		ojson.M("content_filter_results", results),
		ojson.M("content_filter_offsets", ojson.Object(
			ojson.M("start_offset", ojson.Int(0)), ojson.M("end_offset", length), ojson.M("check_offset", ojson.Int(0)),
		)),
	)
}
