package responses

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// usageObject returns a usage object of this API. What the author wrote replaces what was
// counted; members with no counterpart here are sent as written. If bare, only details that the
// author wrote are sent.
func usageObject(u *script.Usage, in layout, bare bool) ojson.Value {
	if u.Null {
		return ojson.Null()
	}
	input, output := u.Written.Get("prompt_tokens_details"), u.Written.Get("completion_tokens_details")
	if !bare {
		input = details(input, ojson.M("cached_tokens", ojson.Int(0)))
		if in.era >= february2026 {
			input = details(input, ojson.M("cache_write_tokens", ojson.Int(0)))
		}
		output = details(output, ojson.M("reasoning_tokens", u.Reasoning))
	}
	v := ojson.Object(
		ojson.M("input_tokens", u.Prompt), ojson.M("input_tokens_details", input),
		ojson.M("output_tokens", u.Completion), ojson.M("output_tokens_details", output),
		ojson.M("total_tokens", u.Total),
	)
	known := []string{"prompt_tokens", "completion_tokens", "total_tokens", "prompt_tokens_details", "completion_tokens_details"}
	v.SetAll(slices.DeleteFunc(slices.Clone(u.Written.Members()), func(m ojson.Member) bool { return slices.Contains(known, m.Name) }))
	return v
}

// details returns the details that the author wrote, with the members that the service always
// sends. A value that is no object is returned as it is.
func details(written ojson.Value, always ...ojson.Member) ojson.Value {
	if !written.IsAbsent() && written.Kind() != ojson.ObjectKind {
		return written
	}
	v := ojson.Object(always...)
	v.SetAll(written.Members())
	return v
}
