package chat

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// Derive returns the steps of the stream that the real service would send for a
// message.
func (on Surface) Derive(b *script.Builder, m *scenarios.Message) []scenarios.Step {
	if on.legacy {
		return deriveText(b, m)
	}
	d := script.Derivation{
		Audio: func(m *scenarios.Message) script.ChoiceStream { return audioStream(b, m) },
	}
	switch b.Want.Layout {
	case scenarios.LayoutReasoning, scenarios.LayoutSearch, scenarios.LayoutAudio:
	default:
		d.Logprobs = true
	}
	if b.Want.Layout == scenarios.LayoutAzure {
		d.First = []scenarios.Step{promptFilter()}
	}
	d.Open = func(m *scenarios.Message, body []scenarios.Step) (opening, rest []scenarios.Step) {
		return openChoice(m, body, b.WantsLogprobs(m, &d))
	}
	steps := b.Message(m, d)
	if b.Want.Moderation {
		steps = append(steps, moderationStep(b.Want.Usage && b.Want.Stream))
		steps[len(steps)-1].Pos = m.Pos
	}
	return steps
}

// openChoice opens a choice with its role. The real service sends the role and the
// opening of a single call in one chunk.
func openChoice(m *scenarios.Message, body []scenarios.Step, logprobs bool) (opening, rest []scenarios.Step) {
	first := roleStep(m, logprobs)
	calls := script.Calls(m)
	saysNothing := len(body) == calls
	switch {
	case calls == 1 && saysNothing:
		call := body[0]
		call.Role = first.Role
		return []scenarios.Step{call}, body[1:]
	case calls > 1 && saysNothing:
		first.Omit = deltaPath("refusal")
	}
	return []scenarios.Step{first}, body
}

// roleStep opens a choice. It writes the empty members that the real service sends
// beside the role.
func roleStep(m *scenarios.Message, logprobs bool) scenarios.Step {
	st := scenarios.Step{Role: assistant()}
	switch {
	case script.HasContent(m):
	case m.Refusal.Present && !m.Refusal.Null:
		st.Content = scenarios.NullOf[scenarios.Text]()
		st.Refusal = scenarios.Some(scenarios.Text{})
	case script.Calls(m) > 0 || m.Content.Null:
		st.Content = scenarios.NullOf[scenarios.Text]()
	}
	if logprobs && (script.HasContent(m) || st.Refusal.Present || script.Calls(m) == 0) {
		empty := ojson.Array()
		st.Logprobs = &scenarios.Logprobs{Content: &empty}
		if st.Refusal.Present {
			st.Logprobs = &scenarios.Logprobs{Refusal: &empty}
		}
	}
	return st
}
