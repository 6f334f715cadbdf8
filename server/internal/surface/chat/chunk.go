package chat

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// chunk is a group as the members of a chunk, before the envelope is added.
type chunk struct {
	legacy bool // legacy says that it is a chunk of completions, which send only the content.
	choice int
	opens  string      // opens is, for a chunk with a role, the member that its choice sends first behind it.
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
