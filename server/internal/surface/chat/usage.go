package chat

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// usageObject is a usage object in the recorded order: three numbers, the details, and what the
// author adds. What the author wrote replaces what was counted.
func usageObject(u *script.Usage, layout scenarios.Layout) ojson.Value {
	if u.Null {
		return ojson.Null()
	}
	prompt, completion := u.Written.Get("prompt_tokens_details"), u.Written.Get("completion_tokens_details")
	if layout != scenarios.LayoutMinimal {
		prompt = filledDetails(prompt, promptDetails(layout), map[string]ojson.Value{"text_tokens": u.PromptText})
		completion = filledDetails(completion, completionDetails(layout),
			map[string]ojson.Value{"reasoning_tokens": u.Reasoning, "audio_tokens": u.CompletionAudio, "text_tokens": u.CompletionText})
	}
	object := ojson.Object(
		ojson.M("prompt_tokens", u.Prompt),
		ojson.M("completion_tokens", u.Completion),
		ojson.M("total_tokens", u.Total),
		ojson.M("prompt_tokens_details", prompt),
		ojson.M("completion_tokens_details", completion),
	)
	object.SetMissing(u.Written.Members())
	return object
}

// hearUsage reads the usage of a chunk; nil if it has none.
func hearUsage(chunk ojson.Value) *script.Usage {
	u := chunk.Get("usage")
	if u.IsNullOrAbsent() {
		return nil
	}
	return &script.Usage{Written: u, Prompt: u.Get("prompt_tokens"), Completion: u.Get("completion_tokens"), Total: u.Get("total_tokens")}
}

// filledDetails returns one of the details objects of usage: what the author wrote, and
// the members that are missing in it. Written details that are not an object stay.
func filledDetails(written ojson.Value, members []string, counted map[string]ojson.Value) ojson.Value {
	if !written.IsAbsent() && written.Kind() != ojson.ObjectKind {
		return written
	}
	details := ojson.Object()
	for _, m := range members {
		details.Set(m, written.Get(m).Or(counted[m]).Or(ojson.Int(0)))
	}
	details.SetAll(written.Members())
	return details
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
