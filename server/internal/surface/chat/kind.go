package chat

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// The kinds of chunks, for damage and reports. A chunk that holds several things has
// the first of their kinds in this order.
const (
	kindFinish    = "finish"
	kindUsage     = "usage" // a chunk with only usage
	kindTool      = "tool"
	kindContent   = "content"
	kindRefusal   = "refusal"
	kindReasoning = "reasoning"
	kindAudio     = "audio"
	kindRole      = "role"
	kindHeartbeat = "heartbeat" // a chunk with an empty delta
	kindChunk     = "chunk"     // any other chunk

	kindLogprobs = "logprobs" // an additional kind of chunks that have log-probabilities
)

// kindOf is the kind of a chunk.
func (c *chunk) kindOf() string {
	switch {
	case !c.authored.IsAbsent() && c.legacy:
		return kindChunk
	case !c.authored.IsAbsent():
		return kindOfChunk(c.authored)
	case !c.finish.IsNullOrAbsent():
		return kindFinish
	case c.delta.IsAbsent() && !c.usage.IsAbsent():
		return kindUsage
	case !c.legacy:
		return kindOfDelta(c.delta)
	case script.Says(c.delta.Get("content")):
		return kindContent
	}
	return kindHeartbeat
}

// kindOfChunk is the kind of a chunk that the author wrote as a whole.
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

// kindOfDelta is the kind of a delta. Members that are null or empty, as beside a role,
// count only if there are no others.
func kindOfDelta(delta ojson.Value) string {
	said := firstKind(delta, script.Says)
	there := firstKind(delta, func(v ojson.Value) bool { return !v.IsAbsent() })
	switch {
	case said != "":
		return said
	case !delta.Get("role").IsAbsent():
		return kindRole
	case there != "":
		return there
	case delta.Kind() == ojson.ObjectKind && len(delta.Members()) == 0:
		return kindHeartbeat
	}
	return kindChunk
}

// firstKind is the kind of the members that are so; "" if none is. A chunk with several members
// has the kind that comes first. Other members give a chunk no kind.
func firstKind(delta ojson.Value, are func(ojson.Value) bool) string {
	for _, kind := range []string{kindTool, kindContent, kindRefusal, kindReasoning, kindAudio} {
		has := func(m member) bool { return m.kind == kind && are(delta.Get(m.name)) }
		if slices.ContainsFunc(members, has) {
			return kind
		}
	}
	return ""
}
