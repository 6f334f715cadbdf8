package chat

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// promptFilter is the first chunk on Azure: the filter results of the prompt, in an
// envelope of empty values, with all members in alphabetical order.
func promptFilter() scenarios.Step {
	safe := ojson.Object(ojson.M("filtered", ojson.Bool(false)), ojson.M("severity", ojson.String("safe")))
	undetected := ojson.Object(ojson.M("detected", ojson.Bool(false)), ojson.M("filtered", ojson.Bool(false)))
	results := ojson.Object(
		ojson.M("hate", safe), ojson.M("jailbreak", undetected), ojson.M("self_harm", safe),
		ojson.M("sexual", safe), ojson.M("violence", safe),
	)
	chunk := ojson.Object(
		ojson.M("choices", ojson.Array()),
		ojson.M("created", ojson.Int(0)),
		ojson.M("id", ojson.String("")),
		ojson.M("model", ojson.String("")),
		ojson.M("object", ojson.String("")),
		ojson.M("prompt_filter_results", ojson.Array(ojson.Object(
			ojson.M("content_filter_results", results),
			ojson.M("prompt_index", ojson.Int(0)),
		))),
	)
	return scenarios.Step{Chunk: &chunk}
}
