package realtime

import (
	"cmp"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// Gather adds what an event says. The last event repeats the items.
func (Surface) Gather(r *surface.Reading, event string, v ojson.Value) {
	c := r.Choice(0)
	switch kind := cmp.Or(v.Get("type").Text(), event); kind {
	case "response.output_text.delta", "response.output_audio_transcript.delta":
		c.Text(v.Get("delta"))
	case "response.output_item.added":
		if item := v.Get("item"); item.Get("type").Text() == itemCall {
			c.Call(v.Get("output_index"), item.Get("call_id"), item.Get("name"), item.Get("arguments"))
		}
	case "response.function_call_arguments.delta":
		c.Call(v.Get("output_index"), ojson.Value{}, ojson.Value{}, v.Get("delta"))
	case "response.done":
		gatherResponse(r, v.Get("response"))
	}
}

// counts renames counts of tokens as chat completions have them.
var counts = strings.NewReplacer("input_tokens", "prompt_tokens", "output_tokens", "completion_tokens")

func gatherResponse(r *surface.Reading, response ojson.Value) {
	usage := ojson.Object()
	for _, m := range response.Get("usage").Members() {
		usage.Set(counts.Replace(m.Name), m.Value)
	}
	r.Usage(usage)
	c, details := r.Choice(0), response.Get("status_details")
	switch status := response.Get("status").Text(); {
	case status == statusFailed || status == statusCancelled:
		r.Failure = cmp.Or(details.Get("error").Get("message").Text(), "the response has the status "+status)
	case status == statusIncomplete && details.Get("reason").Text() == surface.ReasonFilter:
		c.Finish(ojson.String("content_filter"))
	case status == statusIncomplete:
		c.Finish(ojson.String("length"))
	case c.Calls() > 0:
		c.Finish(ojson.String("tool_calls"))
	default:
		c.Finish(ojson.String("stop"))
	}
}
