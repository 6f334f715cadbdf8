package chat

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// member describes a member of a delta: how a beat is written in it, and read back.
type member struct {
	name       string
	kind       string                        // kind is the kind of a chunk with this member, as damage names it.
	types      []ojson.Kind                  // types are the JSON types that OpenAI sends; nil means any.
	unofficial bool                          // unofficial says that only other providers send the member.
	hear       func(ojson.Value) script.Beat // hear turns the member, or one of its entries, back into a beat.
}

// members are the members that a delta can have, in the order in which they are
// written. To add a beat that chat completions can express, add its member here, and the beat in
// [said] and [saysOnChat].
var members = []member{
	{name: "role", kind: kindRole, types: []ojson.Kind{ojson.StringKind}, hear: func(v ojson.Value) script.Beat { return script.Start{Role: v} }},
	{name: "content", kind: kindContent, types: []ojson.Kind{ojson.StringKind, ojson.NullKind}, hear: func(v ojson.Value) script.Beat { return script.Text{Text: v} }},
	{name: "function_call", kind: kindTool, types: []ojson.Kind{ojson.ObjectKind}, hear: func(v ojson.Value) script.Beat {
		return fragment(script.CallStart{Type: script.LegacyCall, Untyped: true}, v)
	}},
	{name: "tool_calls", kind: kindTool, types: []ojson.Kind{ojson.ArrayKind}, hear: hearCall},
	{name: "refusal", kind: kindRefusal, types: []ojson.Kind{ojson.StringKind, ojson.NullKind}, hear: func(v ojson.Value) script.Beat { return script.Refusal{Text: v} }},
	{name: "reasoning_content", kind: kindReasoning, unofficial: true, hear: func(v ojson.Value) script.Beat { return script.Reasoning{Text: v, Field: "reasoning_content"} }},
	{name: "reasoning", kind: kindReasoning, unofficial: true, hear: func(v ojson.Value) script.Beat { return script.Reasoning{Text: v, Field: "reasoning"} }},
	{name: "audio", kind: kindAudio, types: []ojson.Kind{ojson.ObjectKind}, hear: func(v ojson.Value) script.Beat { return script.Audio{Members: v} }},
	{name: "annotations", kind: kindChunk, types: []ojson.Kind{ojson.ArrayKind}, hear: func(v ojson.Value) script.Beat { return script.Annotations{List: v} }},
}

// memberNamed returns the member of that name; the zero member if OpenAI has none.
func memberNamed(name string) member {
	for _, m := range members {
		if m.name == name {
			return m
		}
	}
	return member{}
}

// memberNames lists the members that OpenAI sends, in alphabetical order.
func memberNames() []string {
	var list []string
	for _, m := range members {
		if !m.unofficial {
			list = append(list, m.name)
		}
	}
	slices.Sort(list)
	return list
}

// said returns the value of the member that expresses a beat.
func said(beat script.Beat) ojson.Value {
	switch beat := beat.(type) {
	case script.Start:
		return beat.Role
	case script.Text:
		return beat.Text
	case script.Refusal:
		return beat.Text
	case script.Reasoning:
		return beat.Text
	case script.Audio:
		return beat.Members
	case script.Annotations:
		return nested(beat.List)
	case script.CallStart:
		kind := ojson.String(string(beat.Type))
		call := callJSON(beat.Type, script.CallFragment{Index: ojson.Int(int64(beat.Index)), ID: beat.ID, Type: kind, Name: beat.Name, Arguments: beat.Arguments})
		call.SetMissing(beat.Extra.Members())
		return inCalls(beat.Type, call)
	case script.CallArguments:
		return inCalls(beat.Type, callJSON(beat.Type, script.CallFragment{Index: ojson.Int(int64(beat.Index)), Arguments: beat.Arguments}))
	}
	return ojson.Value{}
}

// saysOnChat reports whether chunks have a member for a beat.
func saysOnChat(beat script.Beat) bool {
	switch beat.(type) {
	case script.Refusal, script.Reasoning, script.Audio, script.Annotations, script.CallStart, script.CallArguments, script.CallFragment:
		return true
	}
	return saysOnCompletions(beat)
}

// saysOnCompletions is [saysOnChat] on completions. A role is not sent there.
func saysOnCompletions(beat script.Beat) bool {
	switch beat.(type) {
	case nil, script.Start, script.Text, script.Logprobs, script.Finish, script.Usage:
		return true
	}
	return false
}

// inCalls is the value of the member that holds a call: tool_calls has a list.
func inCalls(t script.CallType, call ojson.Value) ojson.Value {
	if t == script.LegacyCall {
		return call
	}
	return ojson.Array(call)
}

// nested moves the members of a url_citation into an object of that name, where chat
// completions have them. Scenarios write them beside the type, as Responses do. Other
// annotations, which the real service does not send here, stay as written.
func nested(list ojson.Value) ojson.Value {
	const cited = "url_citation"
	if list.Kind() != ojson.ArrayKind {
		return list
	}
	said := ojson.Array()
	for _, annotation := range list.Items() {
		if annotation.Get("type").Text() == cited && annotation.Get(cited).IsAbsent() && len(annotation.Members()) > 1 {
			inner := annotation.Clone()
			inner.Set("type", ojson.Value{})
			annotation = ojson.Object(ojson.M("type", ojson.String(cited)), ojson.M(cited, inner))
		}
		said.Push(annotation)
	}
	return said
}

// inOrder returns a delta with its members in the order of the real service.
func inOrder(delta ojson.Value) ojson.Value {
	names := make([]string, len(members))
	for i, m := range members {
		names[i] = m.name
	}
	return delta.First(names...)
}
