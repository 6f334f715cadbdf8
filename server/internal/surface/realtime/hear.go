package realtime

import (
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/lint"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// Hear returns what a group says, for the rules. An event that the author wrote whole becomes the beats that it stands for.
func (Surface) Hear(g *script.Group, _ *surface.Options) (heard lint.Heard) {
	one := lint.Said{Choice: g.Choice}
	for _, beat := range g.Beats {
		switch beat := beat.(type) {
		case script.Usage:
			heard.Usage = &beat
			if beat.Alone {
				return heard
			}
		case script.CallFragment:
			index, _ := beat.Index.Int()
			one.Beats = append(one.Beats, script.CallStart{
				Index: int(index), Type: script.FunctionCall, Untyped: beat.Type.IsAbsent(), ID: beat.ID, Name: beat.Name, Arguments: beat.Arguments,
			})
		case script.Literal:
			one.Beats = append(one.Beats, hearEvent(beat.Value)...)
		default:
			one.Beats = append(one.Beats, beat)
		}
	}
	heard.Said = []lint.Said{one}
	return heard
}

// HearJSON reads an event, as far as the rules of all surfaces look at it.
func (Surface) HearJSON(v ojson.Value) lint.Heard {
	beats := hearEvent(v)
	if beats == nil {
		return lint.Heard{}
	}
	return lint.Heard{Said: []lint.Said{{Beats: beats}}}
}

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
