package responses

import (
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
)

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
			length += utf8.RuneCountInString(p.text.value().Text())
		}
	}
	undetected := ojson.Object(ojson.M("detected", ojson.Bool(false)), ojson.M("filtered", ojson.Bool(false)))
	return ojson.Array(
		filtered("prompt", hole.Value(holePromptLength), ojson.M("jailbreak", undetected)),
		filtered("completion", ojson.Int(int64(length))),
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

// filtered returns the result for a text of this length in which nothing was found.
func filtered(source string, length ojson.Value, more ...ojson.Member) ojson.Value {
	safe := ojson.Object(ojson.M("filtered", ojson.Bool(false)), ojson.M("severity", ojson.String("safe")))
	results := ojson.Object(ojson.M("hate", safe), ojson.M("self_harm", safe), ojson.M("sexual", safe), ojson.M("violence", safe))
	for _, m := range more {
		results.Set(m.Name, m.Value)
	}
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
