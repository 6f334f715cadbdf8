package recording

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses/itemtype"
)

// messageInResponse is a response of the Responses API as a message; nil if a message cannot express
// it.
func messageInResponse(response ojson.Value) *scenarios.Message {
	m := new(scenarios.Message)
	var last string
	seen := map[string]bool{}
	for _, item := range response.Get("output").Items() {
		kind := item.Get("type").Text()
		if !answerItem(m, kind, item, seen[kind]) {
			return nil
		}
		last, seen[kind] = kind, true
	}
	r := responseReader{kind: last}
	if finish := r.finish(response); finish != "stop" && finish != "tool_calls" {
		m.Finish = scenarios.Some(literal(finish))
	}
	if usage := response.Get("usage"); usage.Kind() == ojson.ObjectKind {
		m.Usage = usageOf(usage)
	}
	return m
}

// answerItem adds an item to a message, and reports whether a message can express it. A
// message has one text and one reasoning.
func answerItem(m *scenarios.Message, kind string, item ojson.Value, again bool) bool {
	call := scenarios.ToolCall{ID: textOf(item.Get("call_id")), Name: textOf(item.Get("name"))}
	switch kind {
	case itemtype.Message:
		return !again && answerText(m, item.Get("content").Items())
	case itemtype.Reasoning:
		r := &scenarios.Reasoning{EncryptedContent: textOf(item.Get("encrypted_content"))}
		for _, part := range item.Get("summary").Items() {
			r.Summary = append(r.Summary, textOf(part.Get("text")))
		}
		for _, part := range item.Get("content").Items() {
			addText(&r.Text, part.Get("text"))
		}
		m.Reasoning = r
		return !again
	case itemtype.Function:
		call.Arguments.Text = textOf(item.Get("arguments"))
		m.ToolCalls = append(m.ToolCalls, call)
	case itemtype.Custom:
		call.Arguments.Text = textOf(item.Get("input"))
		m.CustomToolCalls = append(m.CustomToolCalls, call)
	default:
		return false
	}
	return true
}

// answerText sets the text of a message, and reports whether it has one part.
func answerText(m *scenarios.Message, parts []ojson.Value) bool {
	if len(parts) != 1 || len(parts[0].Get("logprobs").Items()) > 0 {
		return false
	}
	addText(&m.Content, parts[0].Get("text"))
	addText(&m.Refusal, parts[0].Get("refusal"))
	if list := parts[0].Get("annotations"); len(list.Items()) > 0 {
		m.Annotations = &list
	}
	return true
}
