package chat

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

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
