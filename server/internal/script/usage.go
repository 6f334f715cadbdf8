package script

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// spent counts the tokens of an answer.
type spent struct {
	completion int // all of them
	reasoning  int // those of the reasoning among them
}

// usageObject completes an authored usage object as the real service would send
// it, in the recorded order. What only the request tells becomes a hole.
func usageObject(written ojson.Value, layout scenarios.Layout, tokens *spent) ojson.Value {
	prompt, completion, total := written.Get("prompt_tokens"), written.Get("completion_tokens"), written.Get("total_tokens")
	if prompt.IsAbsent() {
		prompt = ojson.Hole(HolePromptTokens)
	}
	if completion.IsAbsent() {
		completion = ojson.Int(int64(tokens.completion))
	} else if n, ok := completion.Int(); ok {
		tokens.completion = int(n)
	}
	if total.IsAbsent() {
		total = usageTotal(prompt, completion)
	}
	object := ojson.Object(
		ojson.M("prompt_tokens", prompt),
		ojson.M("completion_tokens", completion),
		ojson.M("total_tokens", total),
		ojson.M("prompt_tokens_details", written.Get("prompt_tokens_details")),
		ojson.M("completion_tokens_details", written.Get("completion_tokens_details")),
	)
	if layout != scenarios.LayoutMinimal {
		fillDetails(&object, "prompt_tokens_details", promptDetails(layout), nil)
		fillDetails(&object, "completion_tokens_details", completionDetails(layout),
			map[string]int{"reasoning_tokens": tokens.reasoning})
	}
	for _, m := range written.Members() {
		if object.Get(m.Name).IsAbsent() {
			object.Set(m.Name, m.Value)
		}
	}
	return object
}

// usageTotal is the sum, a hole where the sum depends on the request, or Absent
// where there is no sum because a part of it is no number.
func usageTotal(prompt, completion ojson.Value) ojson.Value {
	c, ok := completion.Int()
	if !ok {
		return ojson.Value{}
	}
	if prompt.Kind() == ojson.RawKind {
		return ojson.Hole(HoleTotalTokens)
	}
	p, ok := prompt.Int()
	if !ok {
		return ojson.Value{}
	}
	return ojson.Int(p + c)
}

// fillDetails adds the named members to one of the details of a usage object. A
// details member that is not an object stays as it was written.
func fillDetails(usage *ojson.Value, name string, members []string, counted map[string]int) {
	written := usage.Get(name)
	if !written.IsAbsent() && written.Kind() != ojson.ObjectKind {
		return
	}
	details := ojson.Object()
	for _, m := range members {
		v := written.Get(m)
		if v.IsAbsent() {
			v = ojson.Int(int64(counted[m]))
		}
		details.Set(m, v)
	}
	for _, m := range written.Members() {
		details.Set(m.Name, m.Value)
	}
	usage.Set(name, details)
}

func promptDetails(layout scenarios.Layout) []string {
	if layout == scenarios.LayoutAudio {
		return []string{"cached_tokens", "audio_tokens", "text_tokens", "image_tokens"}
	}
	return []string{"cached_tokens", "audio_tokens"}
}

func completionDetails(layout scenarios.Layout) []string {
	details := []string{"reasoning_tokens", "audio_tokens", "accepted_prediction_tokens", "rejected_prediction_tokens"}
	if layout == scenarios.LayoutAudio {
		details = append(details, "text_tokens")
	}
	return details
}
