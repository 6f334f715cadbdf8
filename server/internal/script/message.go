package script

import (
	"cmp"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/cut"
)

// messageLayout is the layout in which the gpt-4o models send such a message.
func messageLayout(m *scenarios.Message) scenarios.Layout {
	list := m.Choices
	if len(list) == 0 {
		list = []scenarios.Message{*m}
	}
	layout := scenarios.LayoutGPT4o
	for i := range list {
		switch c := &list[i]; {
		case c.Audio != nil:
			return scenarios.LayoutAudio
		case len(c.ToolCalls)+len(c.CustomToolCalls) > 1:
			layout = scenarios.LayoutParallel
		}
	}
	return layout
}

// speech is the stream of one choice: its opening, what it says, its finish, and
// what the real service sends even after the usage.
type speech struct {
	opening, body, closing, late []scenarios.Step
}

// messageSteps are the steps of the stream that the real service would send for
// a message.
func (b *builder) MessageSteps(m *scenarios.Message) []scenarios.Step {
	list := b.choices(m)
	speeches := make([]speech, len(list))
	for i := range list {
		speeches[i] = b.speech(&list[i], len(list) > 1)
		speeches[i].number(i)
	}
	var steps []scenarios.Step
	if b.Layout == scenarios.LayoutAzure {
		steps = append(steps, promptFilter())
	}
	steps = append(steps, interleave(speeches)...)
	steps = append(steps, scenarios.Step{Usage: cmp.Or(m.Usage, &scenarios.Usage{}), WhenAsked: true})
	for i := range speeches {
		steps = append(steps, speeches[i].late...)
	}
	for i := range steps {
		if steps[i].Pos.Line == 0 {
			steps[i].Pos = m.Pos
		}
	}
	return steps
}

// choices are the message's choices, or the message once for each choice that
// was asked for.
func (b *builder) choices(m *scenarios.Message) []scenarios.Message {
	if len(m.Choices) == 0 {
		list := make([]scenarios.Message, max(1, b.ask.N))
		for i := range list {
			list[i] = *m
		}
		return list
	}
	list := make([]scenarios.Message, len(m.Choices))
	for i, c := range m.Choices {
		if c.By == (scenarios.By{}) {
			c.By = m.By
		}
		list[i] = c
	}
	return list
}

// number puts the index of a choice on its steps.
func (s *speech) number(choice int) {
	for _, list := range [][]scenarios.Step{s.opening, s.body, s.closing, s.late} {
		for i := range list {
			list[i].Choice = choice
		}
	}
}

// interleave puts the streams of several choices together as the real service
// does: each opens with its role and its first piece, then they take turns, then
// they finish in order.
func interleave(list []speech) []scenarios.Step {
	var steps []scenarios.Step
	longest := 0
	for _, s := range list {
		steps = append(steps, s.opening...)
		steps = append(steps, s.body[:min(1, len(s.body))]...)
		longest = max(longest, len(s.body))
	}
	for turn := 1; turn < longest; turn++ {
		for _, s := range list {
			if turn < len(s.body) {
				steps = append(steps, s.body[turn])
			}
		}
	}
	for _, s := range list {
		steps = append(steps, s.closing...)
	}
	return steps
}

// speech is the stream of a message. Texts that are to take turns with those of
// other choices are rendered and cut here; others stay texts.
func (b *builder) speech(m *scenarios.Message, several bool) speech {
	if m.Audio != nil {
		return b.audioSpeech(m)
	}
	var s speech
	s.body = append(s.body, b.reasoningSteps(m)...)
	s.body = append(s.body, b.contentSteps(m, several)...)
	s.body = append(s.body, b.refusalSteps(m)...)
	if m.Annotations != nil {
		s.body = append(s.body, scenarios.Step{Annotations: m.Annotations})
	}
	said := len(s.body) > 0
	s.body = append(s.body, callSteps(m)...)
	first := b.roleStep(m)
	if calls := calls(m); calls == 1 && !said {
		// The real service sends the role and a single call's opening in one chunk.
		call := s.body[0]
		call.Role = first.Role
		first, s.body = call, s.body[1:]
	} else if calls > 1 && !said {
		first.Omit = deltaPath("refusal")
	}
	s.opening = []scenarios.Step{first}
	s.closing = []scenarios.Step{{Finish: finish(m)}}
	return s
}

func calls(m *scenarios.Message) int {
	return len(m.ToolCalls) + len(m.CustomToolCalls) + len(functionCalls(m))
}

func functionCalls(m *scenarios.Message) []scenarios.ToolCall {
	if m.FunctionCall == nil {
		return nil
	}
	return []scenarios.ToolCall{*m.FunctionCall}
}

// finish is the finish reason that follows from the message if it names none.
func finish(m *scenarios.Message) scenarios.Opt[scenarios.Text] {
	switch {
	case m.Finish.Present:
		return m.Finish
	case len(m.ToolCalls)+len(m.CustomToolCalls) > 0:
		return scenarios.Some(scenarios.Text{Source: "tool_calls"})
	case m.FunctionCall != nil:
		return scenarios.Some(scenarios.Text{Source: "function_call"})
	}
	return scenarios.Some(scenarios.Text{Source: "stop"})
}

// roleStep opens the stream. The layout adds the empty members that stand
// beside the role.
func (b *builder) roleStep(m *scenarios.Message) scenarios.Step {
	st := scenarios.Step{Role: scenarios.Some(scenarios.Text{Source: "assistant"})}
	switch {
	case says(m):
	case m.Refusal.Present && !m.Refusal.Null:
		st.Content = scenarios.NullOf[scenarios.Text]()
		st.Refusal = scenarios.Some(scenarios.Text{})
	case calls(m) > 0 || m.Content.Null:
		st.Content = scenarios.NullOf[scenarios.Text]()
	}
	if b.wantsLogprobs(m) && (says(m) || st.Refusal.Present || calls(m) == 0) {
		empty := ojson.Array()
		st.Logprobs = &scenarios.Logprobs{Content: &empty}
		if st.Refusal.Present {
			st.Logprobs = &scenarios.Logprobs{Refusal: &empty}
		}
	}
	return st
}

// says reports whether the message has content.
func says(m *scenarios.Message) bool {
	return m.Fake != nil || m.Content.Present && !m.Content.Null
}

// wantsLogprobs reports whether the message is sent with log-probabilities:
// always or never if it says so, and otherwise when they are asked for and the
// layout has them.
func (b *builder) wantsLogprobs(m *scenarios.Message) bool {
	if m.Logprobs != nil {
		return !m.Logprobs.Off && !m.Logprobs.Null
	}
	switch b.Layout {
	case scenarios.LayoutReasoning, scenarios.LayoutSearch, scenarios.LayoutAudio:
		return false
	}
	return b.ask.Logprobs
}

// textLogprobs are the log-probabilities of a step that says a piece of the
// message.
func (b *builder) textLogprobs(m *scenarios.Message) *scenarios.Logprobs {
	authored := m.Logprobs != nil && !m.Logprobs.Generate
	if authored || !b.wantsLogprobs(m) {
		return nil
	}
	return &scenarios.Logprobs{Generate: true}
}

func (b *builder) reasoningSteps(m *scenarios.Message) []scenarios.Step {
	if m.Reasoning == nil {
		return nil
	}
	if !m.Reasoning.Text.Present || m.Reasoning.Text.Null {
		return []scenarios.Step{{Reasoning: m.Reasoning}}
	}
	var steps []scenarios.Step
	for _, piece := range b.cutText(m.Reasoning.Text.Value, m.By) {
		steps = append(steps, scenarios.Step{Reasoning: &scenarios.Reasoning{Text: scenarios.Some(piece), Field: m.Reasoning.Field}, Pos: piece.Pos})
	}
	return steps
}

func (b *builder) contentSteps(m *scenarios.Message, several bool) []scenarios.Step {
	if m.Fake != nil {
		return b.fakeSteps(m, several)
	}
	if !says(m) {
		return nil
	}
	content := m.Content.Value
	if l := m.Logprobs; l != nil && l.Content != nil && !l.Content.IsNull() {
		return b.spelledSteps(content, m.By, l.Content.Items(), func(piece scenarios.Text, list *ojson.Value) scenarios.Step {
			return scenarios.Step{Content: scenarios.Some(piece), Logprobs: &scenarios.Logprobs{Content: list}, Pos: content.Pos}
		})
	}
	if !several && (content.IsTemplate() || content.Repeat != "") {
		return []scenarios.Step{{Text: &scenarios.Chunked{Text: content, By: m.By}, Logprobs: b.textLogprobs(m), Pos: content.Pos}}
	}
	return b.contentPieces(m, b.cutText(content, m.By))
}

func (b *builder) contentPieces(m *scenarios.Message, pieces []scenarios.Text) []scenarios.Step {
	steps := make([]scenarios.Step, len(pieces))
	for i, piece := range pieces {
		steps[i] = scenarios.Step{Content: scenarios.Some(piece), Logprobs: b.textLogprobs(m), Pos: piece.Pos}
	}
	return steps
}

func (b *builder) fakeSteps(m *scenarios.Message, several bool) []scenarios.Step {
	fake := *m.Fake
	if fake.By == (scenarios.By{}) {
		fake.By = m.By
	}
	if !several {
		return []scenarios.Step{{Fake: &fake, Logprobs: b.textLogprobs(m), Pos: fake.Pos}}
	}
	var pieces []scenarios.Text
	for _, piece := range cut.Text(b.fake(&fake), fake.By) {
		pieces = append(pieces, scenarios.Text{Source: piece, Pos: fake.Pos, Literal: true})
	}
	return b.contentPieces(m, pieces)
}

func (b *builder) refusalSteps(m *scenarios.Message) []scenarios.Step {
	if !m.Refusal.Present || m.Refusal.Null {
		return nil
	}
	refusal := m.Refusal.Value
	if l := m.Logprobs; l != nil && l.Refusal != nil && !l.Refusal.IsNull() {
		return b.spelledSteps(refusal, m.By, l.Refusal.Items(), func(piece scenarios.Text, list *ojson.Value) scenarios.Step {
			return scenarios.Step{Refusal: scenarios.Some(piece), Logprobs: &scenarios.Logprobs{Refusal: list}, Pos: refusal.Pos}
		})
	}
	var steps []scenarios.Step
	for _, piece := range b.cutText(refusal, m.By) {
		steps = append(steps, scenarios.Step{Refusal: scenarios.Some(piece), Logprobs: b.textLogprobs(m), Pos: piece.Pos})
	}
	return steps
}

// cutText renders a text and cuts it. A draft leaves a template whole.
func (b *builder) cutText(t scenarios.Text, by scenarios.By) []scenarios.Text {
	if b.draft && t.IsTemplate() {
		return []scenarios.Text{t}
	}
	var pieces []scenarios.Text
	for _, piece := range cut.Text(b.text(t), by) {
		pieces = append(pieces, scenarios.Text{Source: piece, Pos: t.Pos, Literal: true})
	}
	return pieces
}

// callSteps are one step for each call: they come one after the other, each
// with all of its arguments.
func callSteps(m *scenarios.Message) []scenarios.Step {
	var steps []scenarios.Step
	for _, call := range m.ToolCalls {
		call.Arguments = orEmptyObject(call.Arguments)
		steps = append(steps, scenarios.Step{ToolCall: &call, Pos: call.Pos})
	}
	for _, call := range m.CustomToolCalls {
		steps = append(steps, scenarios.Step{CustomTool: &call, Pos: call.Pos})
	}
	for _, call := range functionCalls(m) {
		call.Arguments = orEmptyObject(call.Arguments)
		steps = append(steps, scenarios.Step{FunctionCall: &call, Pos: call.Pos})
	}
	return steps
}

// orEmptyObject is what the real service sends for a function without
// arguments.
func orEmptyObject(a scenarios.Arguments) scenarios.Arguments {
	if !a.Text.Present && a.Value == nil && !a.Fake {
		a.Text = scenarios.Some(scenarios.Text{Source: "{}"})
	}
	return a
}
