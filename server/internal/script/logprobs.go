package script

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/render"
)

// InventLogprobs returns invented entries for a text that is given as tokens.
func (b *Builder) InventLogprobs(tokens []string) ojson.Value { return b.logprobs.Entries(tokens) }

// logprobsBeat returns the log-probabilities of one chunk of a step, if it has any. Invented
// ones and null are in each chunk, those that the author wrote in the first.
func (b *Builder) logprobsBeat(st *scenarios.Step, beats []Beat, first bool) (l Logprobs, ok bool) {
	written := st.Logprobs
	switch {
	case written == nil, written.Off, st.WhenAsked && !b.Want.Logprobs:
		return Logprobs{}, false
	case written.Null:
		return Logprobs{Null: true}, true
	case written.Generate:
		return b.generated(beats), true
	case !first:
		return Logprobs{}, false
	}
	if b.tokens.open || isTemplate(written.Content) || isTemplate(written.Refusal) {
		// Some surfaces send the position of each token in the text.
		b.script.PerRequest = true
	}
	return Logprobs{Content: b.literal(written.Content), Refusal: b.literal(written.Refusal)}, true
}

func isTemplate(v *ojson.Value) bool { return v != nil && render.ValueIsTemplate(*v) }

// generated returns invented log-probabilities for the text of a chunk; null for a chunk
// without a text.
func (b *Builder) generated(beats []Beat) Logprobs {
	for _, beat := range beats {
		if t, ok := beat.(Text); ok && b.isSaid(t.Text) {
			return Logprobs{Content: b.inventedFor(t.Text.Text())}
		}
	}
	for _, beat := range beats {
		if r, ok := beat.(Refusal); ok && b.isSaid(r.Text) {
			return Logprobs{Refusal: b.inventedFor(r.Text.Text())}
		}
	}
	return Logprobs{Null: true}
}

// inventedFor returns the entries for a text.
func (b *Builder) inventedFor(text string) ojson.Value {
	return b.InventLogprobs(Cut(text, scenarios.Cut{}))
}

// isSaid reports whether there is a text for which log-probabilities can be invented. For a
// text that depends on the request, that makes the script PerRequest.
func (b *Builder) isSaid(v ojson.Value) bool {
	if _, open := hole.In(v); open {
		b.script.PerRequest = true
		return false
	}
	return Says(v)
}

// Says reports whether a value is present, not null and not an empty text.
func Says(v ojson.Value) bool {
	return !v.IsNullOrAbsent() && (v.Kind() != ojson.StringKind || v.Text() != "")
}
