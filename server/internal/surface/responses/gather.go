package responses

import (
	"cmp"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/lint"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// Gather adds what an event says, or a whole response. The last event repeats the response.
func (Surface) Gather(r *surface.Reading, event string, v ojson.Value) {
	r.Named = cmp.Or(v.Get("response").Get("id").Text(), r.Named)
	if v.Get("object").Text() == "response" {
		gatherResponse(r, v, "")
		return
	}
	switch kind := cmp.Or(v.Get("type").Text(), event); kind {
	case "response.output_text.delta":
		r.Choice(0).Text(v.Get("delta"))
	case "response.refusal.delta":
		r.Choice(0).Refusal(v.Get("delta"))
	case "response.output_item.added":
		gatherItem(r, v.Get("output_index"), v.Get("item"), false)
	case "response.function_call_arguments.delta", "response.custom_tool_call_input.delta":
		r.Choice(0).Call(v.Get("output_index"), ojson.Value{}, ojson.Value{}, v.Get("delta"))
	case "response." + statusCompleted, "response." + statusIncomplete, "response." + statusFailed:
		response, status := v.Get("response"), strings.TrimPrefix(kind, "response.")
		whole := new(surface.Reading)
		gatherResponse(whole, response, status)
		r.Failure, r.Code = whole.Failure, whole.Code
		if len(response.Get("output").Items()) > 0 {
			r.Repeated = whole
		}
		finish(r, response, status)
	}
}

// gatherResponse adds a whole response. Status is that of its event, if it has none itself.
func gatherResponse(r *surface.Reading, response ojson.Value, status string) {
	if status = cmp.Or(response.Get("status").Text(), status); status == statusFailed || status == statusCancelled {
		r.Failure = cmp.Or(response.Get("error").Get("message").Text(), "the response has the status "+status)
		r.Code = response.Get("error").Get("code").Text()
	}
	for i, item := range response.Get("output").Items() {
		gatherItem(r, ojson.Int(int64(i)), item, true)
	}
	if later, _ := response.Get("background").Bool(); status != statusInProgress || later {
		finish(r, response, status)
	}
}

// gatherItem adds an item: the call that it opens, or all that it holds if it is whole.
func gatherItem(r *surface.Reading, at, item ojson.Value, whole bool) {
	switch kind := item.Get("type").Text(); {
	case kind == Function || kind == Custom:
		r.Choice(0).Call(at, item.Get("call_id"), item.Get("name"), item.Get(alwaysIn(kind).member))
	case kind == Message && whole:
		for _, part := range item.Get("content").Items() {
			r.Choice(0).Text(part.Get("text"))
			r.Choice(0).Refusal(part.Get("refusal"))
		}
	}
}

// finish adds the usage and how the response ended, in the words of chat completions.
func finish(r *surface.Reading, response ojson.Value, status string) {
	r.UsageOf(response)
	c := r.Choice(0)
	reason := response.Get("incomplete_details").Get("reason").Text()
	switch {
	case status == statusIncomplete && reason == surface.ReasonLength:
		reason = "length"
	case status == statusIncomplete:
		reason = cmp.Or(reason, "length")
	case c.Calls() > 0:
		reason = "tool_calls"
	default:
		reason = "stop"
	}
	c.Finish(ojson.String(reason))
}

// Derive returns the steps of the stream that the real service would send for a message. The
// first step has the role: response.created is sent with it.
func (Surface) Derive(b *script.Builder, m *scenarios.Message) []scenarios.Step {
	role := scenarios.Some(scenarios.Text{Source: "assistant"})
	return b.Message(m, script.Derivation{
		Logprobs: true,
		Open: func(_ *scenarios.Message, body []scenarios.Step) (opening, rest []scenarios.Step) {
			return []scenarios.Step{{Role: role}}, body
		},
	})
}

// Hear returns what a group says, for the rules.
func (Surface) Hear(g *script.Group, _ *surface.Options) lint.Heard {
	return surface.HearGroup(g, hearEvent)
}

// HearJSON reads an event, as far as the rules of all surfaces look at it.
func (Surface) HearJSON(v ojson.Value) lint.Heard { return surface.HeardBeats(hearEvent(v)) }

// hearEvent returns the beats of an event, as far as the rules of all surfaces look at them.
func hearEvent(event ojson.Value) []script.Beat {
	switch event.Get("type").Text() {
	case "response.output_text.delta":
		beats := []script.Beat{script.Text{Text: event.Get("delta")}}
		if list := event.Get("logprobs"); len(list.Items()) > 0 {
			beats = append(beats, script.Logprobs{Content: list})
		}
		return beats
	case "response.refusal.delta":
		return []script.Beat{script.Refusal{Text: event.Get("delta")}}
	case "response.completed", "response.failed":
		return []script.Beat{script.Finish{Reason: ojson.String("stop")}}
	case "response.incomplete":
		return []script.Beat{script.Finish{Reason: ojson.String("length")}}
	}
	return nil
}
