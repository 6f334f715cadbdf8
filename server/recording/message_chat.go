package recording

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// said accumulates the chunks of an answer, or its body, to a message.
type said struct {
	messages []scenarios.Message // messages are the messages of the choices, by index.
	usage    ojson.Value
}

// add adds the choices and the usage of a chunk or a body, and reports whether a message
// can express them.
func (a *said) add(v ojson.Value) bool {
	if usage := v.Get("usage"); usage.Kind() == ojson.ObjectKind {
		a.usage = usage
	}
	for _, choice := range v.Get("choices").Items() {
		index, ok := choice.Get("index").Int()
		if !ok || index < 0 || index > int64(len(a.messages)) || !choice.Get("logprobs").IsNullOrAbsent() {
			return false
		}
		if index == int64(len(a.messages)) {
			a.messages = append(a.messages, scenarios.Message{})
		}
		m := &a.messages[index]
		if finish := choice.Get("finish_reason"); !finish.IsNullOrAbsent() {
			m.Finish = textOf(finish)
		}
		addText(&m.Content, choice.Get("text"))
		if !addDelta(m, choice.Get("delta")) || !addDelta(m, choice.Get("message")) {
			return false
		}
	}
	return true
}

// addText appends a piece to a text; a value that is not a string is ignored.
func addText(to *scenarios.Opt[scenarios.Text], piece ojson.Value) {
	if piece.Kind() == ojson.StringKind {
		*to = scenarios.Some(literal(to.Value.Source + piece.Text()))
	}
}

// addDelta adds a delta, or a message, to the message of a choice.
func addDelta(m *scenarios.Message, delta ojson.Value) bool {
	for _, member := range delta.Members() {
		switch member.Name {
		case "content":
			addText(&m.Content, member.Value)
		case "refusal":
			addText(&m.Refusal, member.Value)
		case "reasoning_content", "reasoning":
			if m.Reasoning == nil {
				m.Reasoning = &scenarios.Reasoning{Field: member.Name}
			}
			addText(&m.Reasoning.Text, member.Value)
		case "tool_calls":
			if !addCalls(m, member.Value) {
				return false
			}
		case "annotations":
			if len(member.Value.Items()) > 0 {
				m.Annotations = valueOf(member.Value)
			}
		case "audio", "function_call":
			return false
		}
	}
	return true
}

// addCalls adds fragments of tool calls, or whole calls, to the message of a choice.
func addCalls(m *scenarios.Message, calls ojson.Value) bool {
	for i, call := range calls.Items() {
		at := i
		if index, ok := call.Get("index").Int(); ok {
			at = int(index)
		}
		if at < 0 || at > len(m.ToolCalls) || call.Get("function").Kind() != ojson.ObjectKind {
			return false
		}
		if at == len(m.ToolCalls) {
			m.ToolCalls = append(m.ToolCalls, scenarios.ToolCall{ID: textOf(call.Get("id")), Name: textOf(call.Get("function").Get("name"))})
		}
		addText(&m.ToolCalls[at].Arguments.Text, call.Get("function").Get("arguments"))
	}
	return true
}

// message is the accumulated message; nil if there is none.
func (a *said) message() *scenarios.Message {
	if len(a.messages) == 0 {
		return nil
	}
	for i := range a.messages {
		m := &a.messages[i]
		usual := "stop"
		if len(m.ToolCalls) > 0 {
			usual = "tool_calls"
		}
		if m.Finish.Value.Source == usual {
			m.Finish = scenarios.Opt[scenarios.Text]{}
		}
		if m.Content.Value.Source == "" && (usual == "tool_calls" || m.Refusal.Present) {
			m.Content = scenarios.Opt[scenarios.Text]{}
		}
	}
	m := a.messages[0]
	if len(a.messages) > 1 {
		m = scenarios.Message{Choices: a.messages}
	}
	if !a.usage.IsAbsent() {
		m.Usage = &scenarios.Usage{Object: a.usage}
	}
	return &m
}
