package recording

import (
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/compare"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// asMessage is the stream as a message; ok says that the message sends the same events in the same layout, however texts
// are cut. The first and the last chunk leave when they came, the others at equal distances.
func (s *stream) asMessage() (sc *scenarios.Scenario, ok bool) {
	message := MessageOf(s.whole())
	if message == nil || s.exchange.Ending != EndedComplete || s.base.Wire.Format != "" {
		return nil, false
	}
	made := s.base
	made.Replies = []scenarios.Reply{{Message: message}}
	if at := s.exchange.HeaderAt.Round(precision); at > 0 {
		made.Wire.HeaderDelay = &at
	}
	second := time.Second
	made.Pace.Every = &second // The length of the answer then tells how many pauses it has.
	answer, err := replay(&made, s.exchange)
	if err != nil || answer.Status != s.exchange.Status {
		return nil, false
	}
	recorded := journal.Plan{Status: answer.Status, Header: answer.Header, Frames: []journal.PlannedFrame{{Bytes: s.exchange.bodyBytes()}}}
	if len(compare.Plans(recorded, *answer, true)) > 0 || s.misnumbered() {
		return nil, false
	}
	gaps := s.gaps()[:len(s.frames)-s.done]
	var rest time.Duration
	for _, gap := range gaps[1:] {
		rest += gap
	}
	pauses := (answer.Frames[len(answer.Frames)-1].At - answer.Frames[0].At) / second
	made.Pace.Every = nil
	if every := (rest / max(1, pauses)).Round(precision); every > 0 {
		made.Pace.Every = &every
	}
	if gaps[0] > 0 {
		made.Pace.First = &scenarios.First{Mean: gaps[0]}
	}
	return &made, true
}

// whole is the answer that the events of the stream add up to; absent if one is no event of
// such an answer.
func (s *stream) whole() ojson.Value {
	values := s.values()
	if n := len(values); n > 0 && s.isResponses() {
		return values[n-1].Get("response")
	}
	units := make([]compile.Unit, len(values))
	for i, v := range values {
		if v.Get("choices").Kind() != ojson.ArrayKind {
			return ojson.Value{}
		}
		units[i] = compile.Unit{JSON: v, Paced: true}
	}
	return answer.SurfaceNamed(s.exchange.surface()).Fold(units, surface.Options{})
}

// misnumbered reports whether the sequence number of an event is not the next one.
func (s *stream) misnumbered() bool {
	for i, v := range s.values() {
		if n, numbered := v.Get("sequence_number").Int(); numbered && n != int64(i) {
			return true
		}
	}
	return false
}

// MessageOf returns the message that a server answers with such a JSON body, an answer in one
// piece of any of the APIs; nil if a message cannot express it.
func MessageOf(v ojson.Value) *scenarios.Message {
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
