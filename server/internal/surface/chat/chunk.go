package chat

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// chunk is a group as the members of a chunk, before the envelope is added.
type chunk struct {
	legacy bool // legacy says that the chunk is one of completions, which send only the content.
	choice int
	opens  string      // opens is, for a chunk with a role, the first member that the choice sends after the role.
	delta  ojson.Value // delta is an object; Absent in a chunk with only usage.
	// literal says that the author wrote the delta, so that the layout adds nothing to
	// it.
	literal  bool
	logprobs *script.Logprobs
	finish   ojson.Value
	usage    ojson.Value // usage is null, an object, or Absent.
	// authored is a chunk that the author wrote as a whole, including its envelope;
	// Absent for all others.
	authored ojson.Value
}

// newChunk combines the beats of a group.
func (on Surface) newChunk(g *script.Group, layout scenarios.Layout) chunk {
	c := chunk{legacy: on.legacy, choice: g.Choice}
	delta := ojson.Object()
	onlyUsage := false
	for _, beat := range g.Beats {
		switch beat := beat.(type) {
		case script.Literal:
			c.addLiteral(beat, &delta)
		case script.Logprobs:
			c.logprobs = &beat
		case script.Finish:
			c.finish = beat.Reason
		case script.Usage:
			c.usage, onlyUsage = usageObject(&beat, layout), beat.Alone
		case script.CallFragment:
			calls := delta.Get(script.Word(beat))
			if calls.IsAbsent() {
				calls = ojson.Array()
			}
			calls.Push(callFragment(beat))
			delta.Set(script.Word(beat), calls)
		default:
			delta.Set(script.Word(beat), said(beat))
		}
	}
	switch {
	case onlyUsage || !c.authored.IsAbsent():
		return c
	case !c.literal:
		c.delta = inOrder(delta)
	case c.delta.Kind() == ojson.ObjectKind:
		c.delta = c.delta.Clone()
		for _, m := range inOrder(delta).Members() {
			c.delta.Set(m.Name, m.Value)
		}
	}
	return c
}

func (c *chunk) addLiteral(l script.Literal, delta *ojson.Value) {
	switch l.Member {
	case "chunk":
		c.authored = l.Value
	case "delta":
		c.delta, c.literal = l.Value, true
	default:
		delta.Set(l.Member, l.Value)
	}
}

// payload is the name of the member that holds the arguments of a call.
func payload(t script.CallType) string {
	if t == script.CustomCall {
		return "input"
	}
	return "arguments"
}

// callJSON is an entry of tool_calls, or a function_call.
func callJSON(t script.CallType, c script.CallFragment) ojson.Value {
	inner := ojson.Object(ojson.M("name", c.Name), ojson.M(payload(t), c.Arguments))
	if t == script.LegacyCall {
		return inner
	}
	return ojson.Object(ojson.M("index", c.Index), ojson.M("id", c.ID), ojson.M("type", c.Type), ojson.M(string(t), inner))
}

// callFragment is an entry of tool_calls with nothing but what the author wrote.
func callFragment(c script.CallFragment) ojson.Value {
	kind := script.FunctionCall
	if c.Custom {
		kind = script.CustomCall
	}
	entry := callJSON(kind, c)
	if len(entry.Get(string(kind)).Members()) == 0 {
		entry.Set(string(kind), ojson.Value{})
	}
	return entry
}

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

// firstKind returns the kind of a chunk by its members for which are holds; "" if there are none. Of several
// members the one whose kind comes first in the list decides.
func firstKind(delta ojson.Value, are func(ojson.Value) bool) string {
	kinds := []string{kindTool, kindContent, kindRefusal, kindReasoning, kindAudio, ""}
	first := len(kinds) - 1
	for _, has := range delta.Members() {
		if at := slices.Index(kinds, memberNamed(has.Name).kind); at >= 0 && are(has.Value) {
			first = min(first, at)
		}
	}
	return kinds[first]
}
