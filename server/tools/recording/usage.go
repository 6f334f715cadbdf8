package recording

import (
	"cmp"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// chatNames are the names of the scenario language, which are those of chat completions, for
// the members of the usage of a response.
var chatNames = map[string]string{
	"input_tokens": "prompt_tokens", "output_tokens": "completion_tokens",
	"input_tokens_details": "prompt_tokens_details", "output_tokens_details": "completion_tokens_details",
}

// sentDetails are the details that the server sends by itself, by the member that holds them.
var sentDetails = map[string][]string{
	"input_tokens_details":      {"cached_tokens", "cache_write_tokens"},
	"output_tokens_details":     {"reasoning_tokens"},
	"prompt_tokens_details":     {"cached_tokens", "audio_tokens"},
	"completion_tokens_details": {"reasoning_tokens", "audio_tokens", "accepted_prediction_tokens", "rejected_prediction_tokens"},
}

// usageOf is a recorded usage without members that the server fills in; null if there is none.
func usageOf(told ojson.Value) *scenarios.Usage {
	if told.Kind() != ojson.ObjectKind {
		return &scenarios.Usage{Null: true}
	}
	object := ojson.Object()
	var sum int64
	for _, m := range told.Members() {
		n, _ := m.Value.Int()
		name, value := cmp.Or(chatNames[m.Name], m.Name), m.Value
		switch name {
		case "prompt_tokens", "completion_tokens":
			sum += n
		case "total_tokens":
			if n == sum {
				continue
			}
		case "prompt_tokens_details", "completion_tokens_details":
			value = ojson.Object(slices.DeleteFunc(slices.Clone(value.Members()), func(d ojson.Member) bool {
				return d.Value.Text() == "0" && slices.Contains(sentDetails[m.Name], d.Name)
			})...)
			if len(value.Members()) == 0 {
				continue
			}
		}
		object.Set(name, value)
	}
	return &scenarios.Usage{Object: object}
}
