package recording

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses"
)

// messageOf is the message that a server answers with such a JSON body, an answer in one
// piece of any of the APIs; nil if a message cannot express it.
func messageOf(v ojson.Value) *scenarios.Message {
	if v.Get("object").Text() == "response" {
		return messageInResponse(v)
	}
	var choices []scenarios.Message
	heard := answer.Hear(v).Said
	for i, choice := range v.Get("choices").Items() {
		if i == len(heard) {
			return nil
		}
		m, ok := messageInChoice(choice, heard[i].Beats)
		if index, _ := choice.Get("index").Int(); !ok || index != int64(i) {
			return nil
		}
		choices = append(choices, m)
	}
	if len(choices) == 0 {
		return nil
	}
	m := choices[0]
	if len(choices) > 1 {
		m = scenarios.Message{Choices: choices}
	}
	if usage := v.Get("usage"); usage.Kind() == ojson.ObjectKind {
		m.Usage = usageOf(usage)
	}
	return &m
}

// messageInChoice is a choice of chat completions or legacy completions as a message; ok says that a
// message can express it.
func messageInChoice(choice ojson.Value, beats []script.Beat) (m scenarios.Message, ok bool) {
	var st scenarios.Step
	said := choice.Get("message")
	sayIn(&st, beats, said)
	if st.Delta != nil || st.Audio != nil || !choice.Get("logprobs").IsNullOrAbsent() {
		return m, false
	}
	m.Refusal, m.Reasoning = st.Refusal, st.Reasoning
	usual := "stop"
	for _, f := range st.Fragments {
		if f.Input.Present {
			return m, false
		}
		usual = "tool_calls"
		m.ToolCalls = append(m.ToolCalls, scenarios.ToolCall{ID: f.ID, Name: f.Name, Arguments: f.Arguments})
	}
	if st.Annotations != nil && len(st.Annotations.Items()) > 0 {
		m.Annotations = st.Annotations
	}
	addText(&m.Content, choice.Get("text"))
	if content := said.Get("content"); content.Text() != "" || len(m.ToolCalls) == 0 && !m.Refusal.Present {
		addText(&m.Content, content)
	}
	if finish := choice.Get("finish_reason"); !finish.IsNull() && finish.Text() != usual {
		m.Finish = textOf(finish)
	}
	return m, true
}

// addText appends a piece to a text; a value that is not a string is ignored.
func addText(to *scenarios.Opt[scenarios.Text], piece ojson.Value) {
	if piece.Kind() == ojson.StringKind {
		*to = scenarios.Some(literal(to.Value.Source + piece.Text()))
	}
}

// messageInResponse is a response of the Responses API as a message; nil if a message cannot express it.
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
	if finish := finishOf(response, last); finish != "stop" && finish != "tool_calls" {
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
	case responses.Message:
		return !again && answerText(m, item.Get("content").Items())
	case responses.Reasoning:
		r := &scenarios.Reasoning{EncryptedContent: textOf(item.Get("encrypted_content"))}
		for _, part := range item.Get("summary").Items() {
			r.Summary = append(r.Summary, textOf(part.Get("text")))
		}
		for _, part := range item.Get("content").Items() {
			addText(&r.Text, part.Get("text"))
		}
		m.Reasoning = r
		return !again
	case responses.Function:
		call.Arguments.Text = textOf(item.Get("arguments"))
		m.ToolCalls = append(m.ToolCalls, call)
	case responses.Custom:
		call.Arguments.Text = textOf(item.Get("input"))
		m.CustomToolCalls = append(m.CustomToolCalls, call)
	default:
		return false
	}
	return true
}

// answerText sets the texts of a message, and reports whether a message can express these parts:
// texts, the last of which can have annotations, and then a refusal.
func answerText(m *scenarios.Message, parts []ojson.Value) bool {
	for i, part := range parts {
		text, list := part.Get("text"), part.Get("annotations")
		last := i == len(parts)-1
		if len(part.Get("logprobs").Items()) > 0 || !last && (len(list.Items()) > 0 || text.Text() == "") {
			return false
		}
		switch {
		case text.IsAbsent():
			addText(&m.Refusal, part.Get("refusal"))
		case m.Content.Present:
			m.Parts = append(m.Parts, literal(text.Text()))
		default:
			addText(&m.Content, text)
		}
		if len(list.Items()) > 0 {
			m.Annotations = &list
		}
	}
	return len(parts) > 0
}
