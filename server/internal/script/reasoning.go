package script

import (
	"cmp"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// The values of [Reasoning.Next].
const (
	NextPart = "part"
	NextItem = "item"
)

// reasoning returns the beat of a step's reasoning, which is one piece of a summary or of raw
// text.
func (b *Builder) reasoning(r *scenarios.Reasoning) Reasoning {
	beat := Reasoning{Field: cmp.Or(r.Field, defaultReasoning), Next: r.Next, Encrypted: b.Member(r.EncryptedContent)}
	piece := r.Text
	switch {
	case r.By != scenarios.Cut{}: // only in Go; the reader of files refuses it
		b.problem(r.Pos, "the reasoning of a step is not cut: by has no meaning here", "")
	case len(r.Summary) > 1 || len(r.Summary) == 1 && r.Text.Present: // only in Go; the reader of files refuses it
		b.problem(r.Pos, "the reasoning of a step is one piece: of one part of the summary, or of the text", "")
	case len(r.Summary) == 1:
		piece = r.Summary[0]
	default:
		beat.Raw = r.Text.Present
	}
	beat.Text = b.counted(b.Member(piece), true)
	return beat
}

// reasoningSteps returns the steps of a message's reasoning: the parts of the summary, then the
// raw text. The first has the encrypted_content.
func (b *Builder) reasoningSteps(m *scenarios.Message) []scenarios.Step {
	r := m.Reasoning
	if r == nil {
		return nil
	}
	var steps []scenarios.Step
	for i, part := range r.Summary {
		for n, piece := range b.reasoningPieces(m, part) {
			step := scenarios.Reasoning{Summary: []scenarios.Opt[scenarios.Text]{piece}, Field: r.Field}
			if i > 0 && n == 0 {
				step.Next = NextPart
			}
			steps = append(steps, scenarios.Step{Reasoning: &step, Pos: piece.Value.Pos})
		}
	}
	for _, piece := range b.reasoningPieces(m, r.Text) {
		steps = append(steps, scenarios.Step{Reasoning: &scenarios.Reasoning{Text: piece, Field: r.Field}, Pos: piece.Value.Pos})
	}
	if len(steps) == 0 {
		steps = []scenarios.Step{{Reasoning: &scenarios.Reasoning{Next: NextItem, Field: r.Field}, Pos: r.Pos}}
	}
	steps[0].Reasoning.EncryptedContent = r.EncryptedContent
	return steps
}

// reasoningPieces cuts a text of the reasoning.
func (b *Builder) reasoningPieces(m *scenarios.Message, text scenarios.Opt[scenarios.Text]) []scenarios.Opt[scenarios.Text] {
	switch {
	case !text.Present:
		return nil
	case text.Null:
		return []scenarios.Opt[scenarios.Text]{text}
	}
	var pieces []scenarios.Opt[scenarios.Text]
	for _, piece := range b.Pieces(text.Value, cmp.Or(m.Reasoning.By, m.By)) {
		pieces = append(pieces, scenarios.Some(piece))
	}
	return pieces
}

// SaysNothing reports whether surfaces without items have nothing to send for a group: it has
// reasoning without a text, and nothing else.
func (g *Group) SaysNothing() bool {
	for _, beat := range g.Beats {
		if r, ok := beat.(Reasoning); !ok || !r.Text.IsAbsent() {
			return false
		}
	}
	return len(g.Beats) > 0
}
