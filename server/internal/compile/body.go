package compile

import (
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
)

// Body compiles an answer that is not streamed: it is sent when the stream of
// the units would have come to its end, holds included.
func Body(units []Unit, completion ojson.Value, o Options) (*player.Program, error) {
	style := ojson.Style{Indent: "  "}
	if o.Manner.Wire.JSONStyle != "" {
		style = Style(o.Manner.Wire.JSONStyle)
	}
	json := style.Append(nil, completion)
	if style.Indent != "" {
		json = append(json, '\n')
	}
	p := &player.Program{Ending: ending(o.Manner.End)}
	due := schedule(units, o.Manner.Pace, o.Rand)
	last := 0
	for i, u := range units {
		if u.Hold != "" {
			p.Frames = append(p.Frames, player.Frame{Hold: u.Hold, Step: u.Step, Kind: string(u.Kind)})
		}
		last = i
	}
	f := player.Frame{Kind: "completion", Bytes: new(player.Heads).NewTemplate(json, json)}
	if len(units) > 0 {
		f.Due, f.Step = due[last], units[last].Step
	}
	if endsBefore(o.Manner.End) {
		return p, nil
	}
	p.Frames = append(p.Frames, f)
	if Bytewise(&o.Manner) {
		cut := o.Manner.End
		inside, limit := -1, int64(-1)
		if cut.Byte != nil {
			limit = *cut.Byte
		} else if cut.Kind == scenarios.EndCut {
			inside = 0
		}
		bytewise(p, []Unit{{Kind: scenarios.KindChunk}}, inside, limit, &o)
	}
	return p, nil
}

// endsBefore reports whether the ending comes before a body that is sent whole:
// the silence or the reset that falls into a stream leaves nothing of it.
func endsBefore(e scenarios.End) bool {
	return e.Byte == nil && (e.Kind == scenarios.EndStall || e.Kind == scenarios.EndReset || e.Kind == scenarios.EndRefuse)
}

// Fixed is the program of a body that is already bytes, such as an HTTP error.
// It is sent after the pause before the first chunk, if the pace has one.
func Fixed(body []byte, m *scenarios.Manner) *player.Program {
	var due time.Duration
	if m.Pace.First != nil {
		due = *m.Pace.First
	}
	p := &player.Program{Ending: ending(m.End)}
	if !endsBefore(m.End) {
		p.Frames = []player.Frame{{Due: due, Kind: string(scenarios.KindError), Bytes: player.Literal(body)}}
	}
	return p
}
