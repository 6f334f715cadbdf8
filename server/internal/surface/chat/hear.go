package chat

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/lint"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// Hear turns a group back into beats, as a client would read its chunk. Only literal chunks and
// deltas, and chunks that are changed at the end, are parsed; the beats of other groups are known.
func (on Surface) Hear(g *script.Group, o *surface.Options) (heard lint.Heard) {
	c := on.newChunk(g, "")
	if !c.authored.IsAbsent() || changes(o, g) && !(on.legacy && opensOnly(g)) {
		plain := surface.Options{Want: script.Want{Layout: scenarios.LayoutMinimal}}
		plain.Envelope.Extra, plain.Envelope.Omit, plain.Envelope.Set = o.Envelope.Extra, o.Envelope.Omit, o.Envelope.Set
		heard.Chunk = on.newSpeaker(&plain, on.dialect().chunks.Object).chunk(&c, g)
		heard.Said, heard.Usage = on.hearChunk(heard.Chunk)
		return heard
	}
	heard.Said, heard.Usage = hearBeats(&c, g)
	return heard
}

// changes reports whether the step of a group, or the envelope, changes anything in its
// finished chunk.
func changes(o *surface.Options, g *script.Group) bool {
	env, e := &o.Envelope, g.Edit
	return len(env.Omit)+len(env.Set)+len(env.Extra.Members()) > 0 || e != nil && len(e.Omit)+len(e.Set)+len(e.Extra.Members()) > 0
}

// HearJSON reads a chunk, or the messages of a whole answer.
func (on Surface) HearJSON(v ojson.Value) (heard lint.Heard) {
	heard.Said, heard.Usage = on.hearChunk(v)
	for i, choice := range v.Get("choices").Items() {
		if m := choice.Get("message"); m.Kind() == ojson.ObjectKind {
			heard.Said[i].Beats = append(hearDelta(m), heard.Said[i].Beats...)
		}
	}
	return heard
}

// hearBeats returns what the beats of a group say. It parses literal deltas.
func hearBeats(c *chunk, g *script.Group) (said []lint.Said, usage *script.Usage) {
	one := lint.Said{Choice: g.Choice, JSON: c.delta}
	for _, beat := range g.Beats {
		switch beat := beat.(type) {
		case script.Usage:
			usage = &beat
			if beat.Alone {
				return nil, usage
			}
		case script.Literal:
			one.Beats = append(one.Beats, hearLiteral(beat)...)
		case script.CallFragment:
			one.Beats = append(one.Beats, hearCall(callFragment(beat)))
		default:
			one.Beats = append(one.Beats, beat)
		}
	}
	return []lint.Said{one}, usage
}

func hearLiteral(l script.Literal) []script.Beat {
	if l.Member == "delta" {
		return hearDelta(l.Value)
	}
	return hearDelta(ojson.Object(ojson.M(l.Member, l.Value)))
}

// hearChunk parses a whole chunk, which can have any number of choices.
func (on Surface) hearChunk(chunk ojson.Value) (said []lint.Said, usage *script.Usage) {
	for _, choice := range chunk.Get("choices").Items() {
		index, _ := choice.Get("index").Int()
		one := lint.Said{Choice: int(index)}
		if text := choice.Get("text"); on.legacy && script.Says(text) {
			one.Beats = append(one.Beats, script.Text{Text: text})
		}
		if !on.legacy {
			one.JSON, one.Beats = choice.Get("delta"), hearDelta(choice.Get("delta"))
			if probs := choice.Get("logprobs"); probs.Kind() == ojson.ObjectKind {
				one.Beats = append(one.Beats, script.Logprobs{Content: probs.Get("content"), Refusal: probs.Get("refusal")})
			}
		}
		if finish := choice.Get("finish_reason"); !finish.IsNullOrAbsent() {
			one.Beats = append(one.Beats, script.Finish{Reason: finish})
		}
		said = append(said, one)
	}
	return said, hearUsage(chunk)
}

func hearDelta(delta ojson.Value) []script.Beat {
	var beats []script.Beat
	for _, m := range delta.Members() {
		switch known := memberNamed(m.Name); {
		case known.name == "":
			beats = append(beats, script.Literal{Surface: chatName, Member: m.Name, Value: m.Value})
		case m.Name == "tool_calls":
			for _, entry := range m.Value.Items() {
				beats = append(beats, hearCall(entry))
			}
		case m.Name != "function_call" || m.Value.Kind() == ojson.ObjectKind:
			beats = append(beats, known.hear(m.Value))
		}
	}
	return beats
}

func hearCall(entry ojson.Value) script.Beat {
	index, _ := entry.Get("index").Int()
	start := script.CallStart{Index: int(index), ID: entry.Get("id"), Type: callKind(entry), Untyped: entry.Get("type").Text() == ""}
	return fragment(start, entry.Get(string(start.Type)))
}

// fragment is the beat of a fragment of a call. A fragment with more than arguments
// starts the call, or names it again.
func fragment(start script.CallStart, body ojson.Value) script.Beat {
	start.Name, start.Arguments = body.Get("name"), body.Get(payload(start.Type))
	if start.ID.IsAbsent() && start.Name.IsAbsent() && start.Untyped {
		return script.CallArguments{Index: start.Index, Type: start.Type, Arguments: start.Arguments}
	}
	return start
}

// legacyPlace is the number of a function_call, which has none.
const legacyPlace = -1

// Gather adds what a chunk says, or a whole answer.
func (on Surface) Gather(r *surface.Reading, _ string, v ojson.Value) {
	r.ID(v.Get("id"))
	r.Usage(v.Get("usage"))
	for _, choice := range v.Get("choices").Items() {
		index, _ := choice.Get("index").Int()
		c := r.Choice(int(index))
		if on.legacy {
			c.Text(choice.Get("text"))
			c.Finish(choice.Get("finish_reason"))
			continue
		}
		for _, m := range []ojson.Value{choice.Get(on.dialect().delta), choice.Get(on.dialect().message)} {
			c.Text(m.Get("content"))
			c.Refusal(m.Get("refusal"))
			for _, entry := range m.Get("tool_calls").Items() {
				kind := callKind(entry)
				body := entry.Get(string(kind))
				c.Call(entry.Get("index"), entry.Get("id"), body.Get("name"), body.Get(payload(kind)))
			}
			if f := m.Get("function_call"); f.Kind() == ojson.ObjectKind {
				c.Call(ojson.Int(legacyPlace), ojson.Value{}, f.Get("name"), f.Get(payload(script.LegacyCall)))
			}
		}
		c.Finish(choice.Get("finish_reason")) // after the text beside it, which comes before the end
	}
}

// callKind is the type of the call that an entry of tool_calls belongs to.
func callKind(entry ojson.Value) script.CallType {
	if !entry.Get("custom").IsAbsent() || entry.Get("type").Text() == string(script.CustomCall) {
		return script.CustomCall
	}
	return script.FunctionCall
}
