package chat

import (
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// The kinds of chunks, as damage and reports name them. A chunk that holds
// several things has the kind of the first of them in this order.
const (
	kindFinish    = "finish"
	kindUsage     = "usage" // a chunk with nothing but usage
	kindTool      = "tool"
	kindContent   = "content"
	kindRefusal   = "refusal"
	kindReasoning = "reasoning"
	kindAudio     = "audio"
	kindRole      = "role"
	kindHeartbeat = "heartbeat" // a chunk with an empty delta
	kindChunk     = "chunk"     // any other chunk

	kindLogprobs = "logprobs" // beside another kind: the chunk has log-probabilities
)

// kindOf says what a chunk is.
func (c *chunk) kindOf() string {
	switch {
	case !c.authored.IsAbsent():
		return kindOfChunk(c.authored)
	case !c.finish.IsNullOrAbsent():
		return kindFinish
	case c.delta.IsAbsent() && !c.usage.IsAbsent():
		return kindUsage
	}
	return kindOfDelta(c.delta)
}

// kindOfChunk looks into a chunk that was written as a whole.
func kindOfChunk(chunk ojson.Value) string {
	choices := chunk.Get("choices").Items()
	if len(choices) == 0 {
		if script.Says(chunk.Get("usage")) {
			return kindUsage
		}
		return kindChunk
	}
	if script.Says(choices[0].Get("finish_reason")) {
		return kindFinish
	}
	if delta := choices[0].Get("delta"); !delta.IsAbsent() {
		return kindOfDelta(delta)
	}
	return kindChunk
}

// kindOfDelta goes by the members that say something; members that are null or
// empty, as beside a role, count only when there is nothing else.
func kindOfDelta(delta ojson.Value) string {
	for _, m := range membersByKind {
		if script.Says(delta.Get(m.name)) {
			return m.kind
		}
	}
	if !delta.Get("role").IsAbsent() {
		return kindRole
	}
	for _, m := range membersByKind {
		if !delta.Get(m.name).IsAbsent() {
			return m.kind
		}
	}
	if delta.Kind() == ojson.ObjectKind && len(delta.Members()) == 0 {
		return kindHeartbeat
	}
	return kindChunk
}
