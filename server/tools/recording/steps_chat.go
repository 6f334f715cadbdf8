package recording

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// textOf is a string or null as an Opt; it is not present for other values.
func textOf(v ojson.Value) scenarios.Opt[scenarios.Text] {
	switch v.Kind() {
	case ojson.StringKind:
		return scenarios.Some(literal(v.Text()))
	case ojson.NullKind:
		return scenarios.NullOf[scenarios.Text]()
	}
	return scenarios.Opt[scenarios.Text]{}
}

// literal is a text that is not a template, even if it contains {{.
func literal(text string) scenarios.Text { return scenarios.Text{Source: text, Literal: true} }

// chunkStep is the step that may send a chunk of chat completions or legacy completions, made of what the API
// hears in it; ok says that there is one.
func chunkStep(chunk ojson.Value) (st scenarios.Step, ok bool) {
	choices := chunk.Get("choices").Items()
	if len(choices) > 1 || chunk.Get("choices").Kind() != ojson.ArrayKind {
		return st, false
	}
	if usage := chunk.Get("usage"); usage.Kind() == ojson.ObjectKind {
		st.Usage = &scenarios.Usage{Object: usage}
	}
	st.Extra = extraOf(chunk)
	heard := answer.Hear(chunk).Said
	if len(choices) == 0 || len(heard) == 0 {
		return st, len(choices) == 0 && st.Usage != nil
	}
	choice := choices[0]
	st.Choice = heard[0].Choice
	sayIn(&st, heard[0].Beats, choice.Get("delta"))
	if text := choice.Get("text"); !text.IsAbsent() && choice.Get("delta").IsAbsent() {
		st.Content = textOf(text) // of legacy completions; nothing is heard in an empty one
		return st, text.Kind() == ojson.StringKind
	}
	if isEmpty(&st) {
		st.Heartbeat = 1
	}
	return st, true
}

// extraOf are the members of a chunk that no layout has; absent if there are none.
func extraOf(chunk ojson.Value) (extra ojson.Value) {
	for _, m := range chunk.Members() {
		if m.Name != "choices" && m.Name != "usage" && m.Name != "obfuscation" && !slices.Contains(envelopeMembers, m.Name) {
			put(&extra, m)
		}
	}
	return extra
}

// put adds a member to an object, which it makes if it is absent.
func put(object *ojson.Value, m ojson.Member) {
	if object.IsAbsent() {
		*object = ojson.Object()
	}
	object.Set(m.Name, m.Value)
}

// sayIn adds to a step what was heard in a delta, or in the message of an answer in one piece. With a beat that no
// step has, the delta is literal.
func sayIn(st *scenarios.Step, beats []script.Beat, delta ojson.Value) {
	isForeign := false
	for _, beat := range beats {
		switch beat := beat.(type) {
		case script.Literal:
			isForeign = true
		case script.Start:
			st.Role = textOf(beat.Role)
		case script.Text:
			st.Content = textOf(beat.Text)
		case script.Refusal:
			st.Refusal = textOf(beat.Text)
		case script.Reasoning:
			st.Reasoning = &scenarios.Reasoning{Text: textOf(beat.Text), Field: beat.Field}
		case script.Audio:
			st.Audio = valueOf(beat.Members)
		case script.Annotations:
			st.Annotations = valueOf(beat.List)
		case script.CallStart:
			isForeign = isForeign || beat.Type == script.LegacyCall
			st.Fragments = append(st.Fragments, fragment(&beat))
		case script.CallArguments:
			isForeign = isForeign || beat.Type == script.LegacyCall
			st.Fragments = append(st.Fragments, fragment(&script.CallStart{Index: beat.Index, Type: beat.Type, Untyped: true, Arguments: beat.Arguments}))
		case script.Finish:
			st.Finish = textOf(beat.Reason)
		case script.Logprobs:
			st.Logprobs = &scenarios.Logprobs{Content: valueOf(beat.Content), Refusal: valueOf(beat.Refusal)}
		}
	}
	if isForeign {
		literally(st, delta)
	} else if st.Role.Present { // The server sends further members with a role by itself.
		withRole(st, delta)
	}
}

// literally makes the whole delta of a step literal.
func literally(st *scenarios.Step, delta ojson.Value) {
	*st = scenarios.Step{Delta: valueOf(delta), Choice: st.Choice, Finish: st.Finish, Logprobs: st.Logprobs, Usage: st.Usage, Extra: st.Extra}
}

// withRole removes the members that the server adds to a delta with a role: an empty
// content, a content of null beside another member, and a refusal of null.
func withRole(st *scenarios.Step, delta ojson.Value) {
	if st.Refusal.Null {
		st.Refusal = scenarios.Opt[scenarios.Text]{}
	}
	says := delta.Get("tool_calls").Kind() == ojson.ArrayKind
	if content := delta.Get("content"); content.IsNull() && says || content.Kind() == ojson.StringKind && content.Text() == "" && !says {
		st.Content = scenarios.Opt[scenarios.Text]{}
	}
}

// fragment is the fragment of a call that was heard.
func fragment(heard *script.CallStart) scenarios.CallFragment {
	f := scenarios.CallFragment{Index: scenarios.Some(heard.Index), ID: textOf(heard.ID), Name: textOf(heard.Name)}
	if !heard.Untyped {
		f.Type = scenarios.Some(literal(string(heard.Type)))
	}
	if f.Arguments.Text = textOf(heard.Arguments); heard.Type == script.CustomCall {
		f.Input, f.Arguments = f.Arguments.Text, scenarios.Arguments{}
	}
	return f
}

// valueOf is a pointer to a value; nil if the value is absent.
func valueOf(v ojson.Value) *ojson.Value {
	if v.IsAbsent() {
		return nil
	}
	return &v
}

// isEmpty reports whether a step has no part of a chunk.
func isEmpty(st *scenarios.Step) bool {
	return !st.Role.Present && !st.Content.Present && !st.Refusal.Present && st.Reasoning == nil && st.Fragments == nil &&
		st.ToolCalls == nil && st.Audio == nil && st.Annotations == nil && st.Delta == nil && !st.Finish.Present
}

// withCalls are the parts of a stream, in which one part with the whole call replaces those that
// send its fragments directly after each other.
func withCalls(parts []part) (list []part) {
	next := map[int]int{} // next is the index of the next call by choice.
	for len(parts) > 0 {
		p, n := parts[0], 1
		if first := fragmentOf(&p.step); first != nil {
			choice := p.step.Choice
			if call, length := callFrom(parts, first, next[choice]); length > 0 {
				p, n = part{p.first, parts[length-1].end, typed, call}, length
			}
			next[choice] = max(next[choice], first.Index.Value+1)
		}
		list, parts = append(list, p), parts[n:]
	}
	return list
}

// fragmentOf is the fragment of a call in a step; nil if there is none, or several.
func fragmentOf(st *scenarios.Step) *scenarios.CallFragment {
	if len(st.Fragments) != 1 || !st.Fragments[0].Index.Present || st.Fragments[0].Index.Null {
		return nil
	}
	return &st.Fragments[0]
}

// callFrom is the step for the call that the first part opens, with the fragments in the parts
// directly after it, and the number of all these parts; 0 if it opens none.
func callFrom(parts []part, first *scenarios.CallFragment, next int) (st scenarios.Step, n int) {
	text := argumentsOf(first)
	kind := first.Type.Value.Source
	st = parts[0].step
	if !hasOnlyDelta(&st) || st.Finish.Present || !first.ID.Present || !first.Name.Present || !text.Present || text.Null || kind != "function" && kind != "custom" {
		return st, 0
	}
	var pieces []string
	for n = 1; n < len(parts) && text.Value.Source == "" && sendsOnlyArguments(&parts[n].step, &st, first); n++ {
		pieces = append(pieces, argumentsOf(fragmentOf(&parts[n].step)).Value.Source)
	}
	call := &scenarios.ToolCall{ID: first.ID, Name: first.Name}
	if index := first.Index.Value; index != next {
		call.Index = &index
	}
	st.Fragments, st.Pieces = nil, cutInto(call, pieces)
	if whole := text.Value.Source; whole != "" {
		call.Arguments.Text, st.Pieces = text, scenarios.Pieces{Present: true}
	}
	if st.ToolCall = call; kind == "custom" {
		st.ToolCall, st.CustomTool = nil, call
	}
	return st, n
}

// argumentsOf is the arguments, or the input, of a fragment.
func argumentsOf(f *scenarios.CallFragment) scenarios.Opt[scenarios.Text] {
	if f.Input.Present {
		return f.Input
	}
	return f.Arguments.Text
}

// sendsOnlyArguments reports whether a step sends nothing but more arguments of the call that opening begins.
func sendsOnlyArguments(st, opening *scenarios.Step, first *scenarios.CallFragment) bool {
	f := fragmentOf(st)
	if f == nil || f.Index != first.Index || st.Choice != opening.Choice || f.ID.Present || f.Type.Present || f.Name.Present {
		return false
	}
	text := argumentsOf(f)
	rest := *st
	rest.Fragments = nil
	return text.Present && !text.Null && f.Input.Present == first.Input.Present && hasOnlyDelta(st) && isEmpty(&rest)
}

// hasOnlyDelta reports whether a step has nothing beside the contents of its delta.
func hasOnlyDelta(st *scenarios.Step) bool {
	return st.Extra.IsAbsent() && st.Logprobs == nil && st.Usage == nil && st.Wire == nil
}

// errorOf is the body of an error as an error in the scenario language.
func errorOf(body ojson.Value) scenarios.APIError {
	object := body.Get("error")
	var e scenarios.APIError
	for _, m := range body.Members() {
		if m.Name != "error" {
			put(&e.Beside, m)
		}
	}
	for _, m := range []struct {
		name string
		into *scenarios.Opt[scenarios.Text]
	}{{"message", &e.Message}, {"type", &e.Type}, {"param", &e.Param}, {"code", &e.Code}} {
		v := object.Get(m.name)
		if *m.into = textOf(v); m.into.Present {
			continue
		}
		path := scenarios.Path{Path: ojson.Path{{Name: m.name}}}
		if v.IsAbsent() {
			e.Omit = append(e.Omit, path)
		} else {
			e.Set = append(e.Set, scenarios.Assignment{Path: path, Value: v})
		}
	}
	for _, m := range object.Members() {
		switch m.Name {
		case "message", "type", "param", "code":
		default:
			put(&e.Extra, m)
		}
	}
	return e
}
