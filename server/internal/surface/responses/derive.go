package responses

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

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
