package responses

import (
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/lint"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// Hear returns what a group says, for the rules. An event that the author wrote whole becomes
// the beats that it stands for.
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
			one.Beats = append(one.Beats, hearFragment(&beat))
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

// hearFragment returns the beat of a fragment: a fragment with an id or a name starts a call.
func hearFragment(f *script.CallFragment) script.Beat {
	index, _ := f.Index.Int()
	if f.ID.IsAbsent() && f.Name.IsAbsent() {
		return script.CallArguments{Index: int(index), Type: typeOf(f), Arguments: f.Arguments}
	}
	return script.CallStart{Index: int(index), Type: typeOf(f), Untyped: f.Type.IsAbsent(), ID: f.ID, Name: f.Name, Arguments: f.Arguments}
}

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
