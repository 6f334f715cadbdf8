package surface

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// UsageObject is the usage object of an API whose answers are lists of choices: three numbers,
// the details, and what the author adds. What the author wrote replaces what was counted.
func UsageObject(u *script.Usage, details ...ojson.Member) ojson.Value {
	if u.Null {
		return ojson.Null()
	}
	object := ojson.Object(append([]ojson.Member{
		ojson.M("prompt_tokens", u.Prompt),
		ojson.M("completion_tokens", u.Completion),
		ojson.M("total_tokens", u.Total),
	}, details...)...)
	object.SetMissing(u.Written.Members())
	return object
}

// HearUsage reads the usage of a chunk; nil if it has none.
func HearUsage(chunk ojson.Value) *script.Usage {
	u := chunk.Get("usage")
	if u.IsNullOrAbsent() {
		return nil
	}
	return &script.Usage{Written: u, Prompt: u.Get("prompt_tokens"), Completion: u.Get("completion_tokens"), Total: u.Get("total_tokens")}
}

// Created is the creation time of a chunk: what the author wrote, or else a hole.
func (o *Options) Created(at hole.ID) ojson.Value {
	env := &o.Envelope
	switch {
	case env.Created.Null:
		return ojson.Null()
	case !env.CreatedAs.IsAbsent():
		return env.CreatedAs
	case env.CreatedPerChunk:
		return hole.Value(hole.Clock)
	}
	return hole.Value(at)
}

// OrNull returns null if the author wrote null, and v otherwise.
func OrNull(o scenarios.Opt[scenarios.Text], v ojson.Value) ojson.Value {
	if o.Null {
		return ojson.Null()
	}
	return v
}
