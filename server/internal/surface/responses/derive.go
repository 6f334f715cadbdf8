package responses

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// Derive is the steps of the stream that the real service would send for a
// message. The role opens it: it is what response.created comes with.
func (Surface) Derive(b *script.Builder, m *scenarios.Message) []scenarios.Step {
	role := scenarios.Some(scenarios.Text{Source: "assistant"})
	return b.Message(m, script.Derivation{
		Logprobs: true, Own: spoken,
		Open: func(_ *scenarios.Message, body []scenarios.Step) (opening, rest []scenarios.Step) {
			return []scenarios.Step{{Role: role}}, body
		},
	})
}

// spoken is the stream of a spoken answer: nothing that can be said here.
func spoken(m *scenarios.Message) (script.ChoiceStream, bool) {
	audio := ojson.Object()
	return script.ChoiceStream{Body: []scenarios.Step{{Audio: &audio}}}, m.Audio != nil
}
