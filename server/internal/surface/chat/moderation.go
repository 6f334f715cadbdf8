package chat

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// moderationStep is the last chunk of an answer with moderation. Nothing is flagged,
// neither in the request nor in the answer. UsageAsked says that the chunk has usage:
// null.
func moderationStep(usageAsked bool) scenarios.Step {
	side := moderationResults()
	extra := ojson.Object(ojson.M("moderation", ojson.Object(ojson.M("input", side), ojson.M("output", side))))
	st := scenarios.Step{Usage: &scenarios.Usage{Null: true}, Extra: extra}
	if !usageAsked {
		st.Omit = []scenarios.Path{{Path: ojson.Path{{Name: "usage"}}}}
	}
	return st
}

func moderationResults() ojson.Value {
	flags, scores, applied := ojson.Object(), ojson.Object(), ojson.Object()
	for _, name := range scenarios.ModerationCategories() {
		flags.Set(name, ojson.Bool(false))
		scores.Set(name, ojson.Number(surface.Harmless))
		applied.Set(name, ojson.Array(ojson.String("text")))
	}
	const asked = "{{ .request.moderation.model }}"
	return ojson.Object(
		ojson.M("type", ojson.String("moderation_results")),
		ojson.M("model", ojson.String(asked)),
		ojson.M("results", ojson.Array(ojson.Object(
			ojson.M("type", ojson.String("moderation_result")),
			ojson.M("model", ojson.String(asked)),
			ojson.M("flagged", ojson.Bool(false)),
			ojson.M("categories", flags),
			ojson.M("category_scores", scores),
			ojson.M("category_applied_input_types", applied),
		))),
	)
}

// promptFilter is the first chunk on Azure: the filter results of the prompt, in an
// envelope of empty values, with all members in alphabetical order.
func promptFilter() scenarios.Step {
	chunk := ojson.Object(
		ojson.M("choices", ojson.Array()),
		ojson.M("created", ojson.Int(0)),
		ojson.M("id", ojson.String("")),
		ojson.M("model", ojson.String("")),
		ojson.M("object", ojson.String("")),
		ojson.M("prompt_filter_results", ojson.Array(ojson.Object(
			ojson.M("content_filter_results", surface.UnfilteredPrompt().Sorted()),
			ojson.M("prompt_index", ojson.Int(0)),
		))),
	)
	return scenarios.Step{Chunk: &chunk}
}
