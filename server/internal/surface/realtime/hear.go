package realtime

import (
	"cmp"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/lint"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// Hear returns what a group says, for the rules.
func (Surface) Hear(g *script.Group, _ *surface.Options) lint.Heard {
	return surface.HearGroup(g, hearEvent)
}

// HearJSON reads an event, as far as the rules of all surfaces look at it.
func (Surface) HearJSON(v ojson.Value) lint.Heard { return surface.HeardBeats(hearEvent(v)) }

// hearEvent returns the beats of an event, as far as the rules of all surfaces look at them.
func hearEvent(event ojson.Value) []script.Beat {
	switch event.Get("type").Text() {
	case "response.output_text.delta", "response.output_audio_transcript.delta":
		return []script.Beat{script.Text{Text: event.Get("delta")}}
	case "response.done":
		return []script.Beat{script.Finish{Reason: ojson.String(finishOf(event.Get("response")))}}
	}
	return nil
}

// finishOf returns the finish reason that a response stands for.
func finishOf(response ojson.Value) string {
	if response.Get("status").Text() == statusIncomplete {
		return "length"
	}
	return "stop"
}

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

func gatherResponse(r *surface.Reading, response ojson.Value) {
	r.UsageOf(response)
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

// Derive returns the steps of the stream that the real service would send for a message. The first step has the role:
// response.created is sent with it.
func (Surface) Derive(b *script.Builder, m *scenarios.Message) []scenarios.Step {
	opening := []scenarios.Step{{Role: scenarios.Some(scenarios.Text{Source: "assistant"})}}
	return b.Message(m, script.Derivation{
		Open: func(_ *scenarios.Message, body []scenarios.Step) (_, rest []scenarios.Step) { return opening, body },
		Audio: func(m *scenarios.Message) script.ChoiceStream {
			finish := m.Finish
			if !finish.Present {
				finish = scenarios.Some(scenarios.Text{Source: "stop"})
			}
			return script.ChoiceStream{Opening: opening, Body: spokenSteps(b, m), Closing: []scenarios.Step{{Finish: finish}}}
		},
	})
}

// spokenSteps are the steps of a message with audio: pieces of its transcript, then pieces of the sound that the author wrote.
func spokenSteps(b *script.Builder, m *scenarios.Message) (steps []scenarios.Step) {
	add := func(name, piece string) {
		audio := ojson.Object(ojson.M(name, ojson.String(scenarios.EscapeActions(piece))))
		steps = append(steps, scenarios.Step{Audio: &audio})
	}
	for _, piece := range script.Cut(b.Text(m.Audio.Transcript), m.By) {
		add("transcript", piece)
	}
	for _, piece := range script.Cut(m.Audio.Data, scenarios.Cut{Size: soundPiece}) {
		add("data", piece)
	}
	return steps
}

// soundPiece is how many base64 characters a piece of sound has in recordings: 0.25 seconds of 24 kHz 16-bit sound.
const soundPiece = 16_000
