package realtime

import (
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

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

// Recordings have pieces of soundPiece base64 characters, which are 0.25 seconds of 24 kHz 16-bit sound. To speak takes
// about a fifteenth of a second for each character of a text, which is perCharacter base64 characters.
const (
	soundPiece   = 16_000
	perCharacter = 4_268
	maxSound     = 2 << 20 // maxSound is the longest sound of one piece of a text, in base64 characters.
)

// tone is one period of a quiet tone of 400 Hz in base64: 60 samples of 16 bits, whose 120 bytes are 160 characters, so
// that periods can follow each other.
var tone = encodeTone()

// appendTone appends the sound of a text of n characters, as long as it would take to say them.
func appendTone(dst []byte, n int) []byte {
	periods := min(n*perCharacter, maxSound) / len(tone)
	return append(dst, strings.Repeat(tone, max(1, periods))...)
}
