package responses

import (
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/lint"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// Hear is the group as it is; an event that is written whole is taken apart.
func (Surface) Hear(g *script.Group, _ surface.Options) (heard lint.Heard) {
	one := lint.Said{Choice: g.Choice}
	for _, beat := range g.Beats {
		switch beat := beat.(type) {
		case script.Usage:
			heard.Usage = &beat
			if beat.Alone {
				return heard
			}
		case script.Literal:
			one.Beats = append(one.Beats, hearEvent(beat.Value)...)
		default:
			one.Beats = append(one.Beats, beat)
		}
	}
	heard.Said = []lint.Said{one}
	return heard
}

// hearEvent is what an event says, as far as rules for all surfaces ask.
func hearEvent(event ojson.Value) []script.Beat {
	switch event.Get("type").Text() {
	case "response.output_text.delta":
		return []script.Beat{script.Text{Text: event.Get("delta")}}
	case "response.refusal.delta":
		return []script.Beat{script.Refusal{Text: event.Get("delta")}}
	case "response.completed", "response.failed":
		return []script.Beat{script.Finish{Reason: ojson.String("stop")}}
	case "response.incomplete":
		return []script.Beat{script.Finish{Reason: ojson.String("length")}}
	}
	return nil
}
