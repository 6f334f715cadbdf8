package responses

import (
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
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
			length += utf8.RuneCountInString(p.whole().Text())
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
