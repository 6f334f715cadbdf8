package recording

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// usageOf is the usage of a response in the names of the scenario language, which are
// those of chat completions, without members that the server fills in.
func usageOf(told ojson.Value) *scenarios.Usage {
	if told.Kind() != ojson.ObjectKind {
		return &scenarios.Usage{Null: true}
	}
	object := ojson.Object()
	var sum int64
	for _, m := range told.Members() {
		n, _ := m.Value.Int()
		switch m.Name {
		case "input_tokens":
			object.Set("prompt_tokens", m.Value)
			sum += n
		case "output_tokens":
			object.Set("completion_tokens", m.Value)
			sum += n
		case "input_tokens_details":
			setUnlessZero(&object, "prompt_tokens_details", m.Value, "cached_tokens", "cache_write_tokens")
		case "output_tokens_details":
			setUnlessZero(&object, "completion_tokens_details", m.Value, "reasoning_tokens")
		case "total_tokens":
			if n != sum {
				object.Set(m.Name, m.Value)
			}
		default:
			object.Set(m.Name, m.Value)
		}
	}
	return &scenarios.Usage{Object: object}
}

// shortUsage is the usage of chat completions without members that the server fills in.
func shortUsage(told ojson.Value) *scenarios.Usage {
	object := ojson.Object()
	var sum int64
	for _, m := range told.Members() {
		switch n, _ := m.Value.Int(); m.Name {
		case "prompt_tokens", "completion_tokens":
			sum += n
		case "total_tokens":
			if n == sum {
				continue
			}
		case "prompt_tokens_details", "completion_tokens_details":
			setUnlessZero(&object, m.Name, m.Value, chatDetails...)
			continue
		}
		object.Set(m.Name, m.Value)
	}
	return &scenarios.Usage{Object: object}
}

// chatDetails are the details that the server sends in the usage of chat completions by
// itself.
var chatDetails = []string{"cached_tokens", "audio_tokens", "reasoning_tokens", "accepted_prediction_tokens", "rejected_prediction_tokens"}

// setUnlessZero sets details of usage, without those of the given names that are zero.
func setUnlessZero(object *ojson.Value, name string, details ojson.Value, names ...string) {
	left := ojson.Object()
	for _, m := range details.Members() {
		if m.Value.Text() != "0" || !slices.Contains(names, m.Name) {
			left.Set(m.Name, m.Value)
		}
	}
	if len(left.Members()) > 0 {
		object.Set(name, left)
	}
}
