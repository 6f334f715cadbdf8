package scenarios

import (
	"cmp"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// layout is the layout in which the gpt-4o models send such a message.
func (m *Message) layout() Layout {
	list := m.Choices
	if len(list) == 0 {
		list = []Message{*m}
	}
	layout := LayoutGPT4o
	for i := range list {
		switch c := &list[i]; {
		case c.Audio != nil:
			return LayoutAudio
		case len(c.ToolCalls)+len(c.CustomToolCalls) > 1:
			layout = LayoutParallel
		}
	}
	return layout
}

// speech is the stream of one choice: its opening, what it says, its finish, and
// what the real service sends even after the usage.
type speech struct {
	opening, body, closing, late []Step
}

// messageSteps are the steps of the stream that the real service would send for
// a message.
func (b *builder) messageSteps(m *Message) []Step {
	list := b.choices(m)
	speeches := make([]speech, len(list))
	for i := range list {
		speeches[i] = b.speech(&list[i], len(list) > 1)
		speeches[i].number(i)
	}
	var steps []Step
	if b.layout == LayoutAzure {
		steps = append(steps, promptFilter())
	}
	steps = append(steps, interleave(speeches)...)
	steps = append(steps, Step{Usage: cmp.Or(m.Usage, &Usage{}), WhenAsked: true})
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
func (b *builder) choices(m *Message) []Message {
	if len(m.Choices) == 0 {
		list := make([]Message, max(1, b.ask.N))
		for i := range list {
			list[i] = *m
		}
		return list
	}
	list := make([]Message, len(m.Choices))
	for i, c := range m.Choices {
		if c.By == (By{}) {
			c.By = m.By
		}
		list[i] = c
	}
	return list
}

// number puts the index of a choice on its steps.
func (s *speech) number(choice int) {
	for _, list := range [][]Step{s.opening, s.body, s.closing, s.late} {
		for i := range list {
			list[i].Choice = choice
		}
	}
}

// interleave puts the streams of several choices together as the real service
// does: each opens with its role and its first piece, then they take turns, then
// they finish in order.
func interleave(list []speech) []Step {
	var steps []Step
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
func (b *builder) speech(m *Message, several bool) speech {
	if m.Audio != nil {
		return b.audioSpeech(m)
	}
	var s speech
	s.body = append(s.body, b.reasoningSteps(m)...)
	s.body = append(s.body, b.contentSteps(m, several)...)
	s.body = append(s.body, b.refusalSteps(m)...)
	if m.Annotations != nil {
		s.body = append(s.body, Step{Annotations: m.Annotations})
	}
	said := len(s.body) > 0
	s.body = append(s.body, callSteps(m)...)
	first := b.roleStep(m)
	if calls := m.calls(); calls == 1 && !said {
		// The real service sends the role and a single call's opening in one chunk.
		call := s.body[0]
		call.Role = first.Role
		first, s.body = call, s.body[1:]
	} else if calls > 1 && !said {
		first.Omit = deltaPath("refusal")
	}
	s.opening = []Step{first}
	s.closing = []Step{{Finish: m.finish()}}
	return s
}

func (m *Message) calls() int {
	return len(m.ToolCalls) + len(m.CustomToolCalls) + len(m.functionCalls())
}

func (m *Message) functionCalls() []ToolCall {
	if m.FunctionCall == nil {
		return nil
	}
	return []ToolCall{*m.FunctionCall}
}

// finish is the finish reason that follows from the message if it names none.
func (m *Message) finish() Opt[Text] {
	switch {
	case m.Finish.Present:
		return m.Finish
	case len(m.ToolCalls)+len(m.CustomToolCalls) > 0:
		return Some(Text{Source: "tool_calls"})
	case m.FunctionCall != nil:
		return Some(Text{Source: "function_call"})
	}
	return Some(Text{Source: "stop"})
}

// roleStep opens the stream. The layout adds the empty members that stand
// beside the role.
func (b *builder) roleStep(m *Message) Step {
	st := Step{Role: Some(Text{Source: "assistant"})}
	switch {
	case m.says():
	case m.Refusal.Present && !m.Refusal.Null:
		st.Content = NullOf[Text]()
		st.Refusal = Some(Text{})
	case m.calls() > 0 || m.Content.Null:
		st.Content = NullOf[Text]()
	}
	if b.wantsLogprobs(m) && (m.says() || st.Refusal.Present || m.calls() == 0) {
		empty := ojson.Array()
		st.Logprobs = &Logprobs{Content: &empty}
		if st.Refusal.Present {
			st.Logprobs = &Logprobs{Refusal: &empty}
		}
	}
	return st
}

// says reports whether the message has content.
func (m *Message) says() bool {
	return m.Fake != nil || m.Content.Present && !m.Content.Null
}

// wantsLogprobs reports whether the message is sent with log-probabilities:
// always or never if it says so, and otherwise when they are asked for and the
// layout has them.
func (b *builder) wantsLogprobs(m *Message) bool {
	if m.Logprobs != nil {
		return !m.Logprobs.Off && !m.Logprobs.Null
	}
	switch b.layout {
	case LayoutReasoning, LayoutSearch, LayoutAudio:
		return false
	}
	return b.ask.Logprobs
}

// textLogprobs are the log-probabilities of a step that says a piece of the
// message.
func (b *builder) textLogprobs(m *Message) *Logprobs {
	authored := m.Logprobs != nil && !m.Logprobs.Generate
	if authored || !b.wantsLogprobs(m) {
		return nil
	}
	return &Logprobs{Generate: true}
}

func (b *builder) reasoningSteps(m *Message) []Step {
	if m.Reasoning == nil {
		return nil
	}
	if !m.Reasoning.Text.Present || m.Reasoning.Text.Null {
		return []Step{{Reasoning: m.Reasoning}}
	}
	var steps []Step
	for _, piece := range b.cutText(m.Reasoning.Text.Value, m.By) {
		steps = append(steps, Step{Reasoning: &Reasoning{Text: Some(piece), Field: m.Reasoning.Field}, Pos: piece.Pos})
	}
	return steps
}

func (b *builder) contentSteps(m *Message, several bool) []Step {
	if m.Fake != nil {
		return b.fakeSteps(m, several)
	}
	if !m.says() {
		return nil
	}
	content := m.Content.Value
	if l := m.Logprobs; l != nil && l.Content != nil && !l.Content.IsNull() {
		return b.spelledSteps(content, m.By, l.Content.Items(), func(piece Text, list *ojson.Value) Step {
			return Step{Content: Some(piece), Logprobs: &Logprobs{Content: list}, Pos: content.Pos}
		})
	}
	if !several && (content.isTemplate() || content.Repeat != "") {
		return []Step{{Text: &Chunked{Text: content, By: m.By}, Logprobs: b.textLogprobs(m), Pos: content.Pos}}
	}
	return b.contentPieces(m, b.cutText(content, m.By))
}

func (b *builder) contentPieces(m *Message, pieces []Text) []Step {
	steps := make([]Step, len(pieces))
	for i, piece := range pieces {
		steps[i] = Step{Content: Some(piece), Logprobs: b.textLogprobs(m), Pos: piece.Pos}
	}
	return steps
}

func (b *builder) fakeSteps(m *Message, several bool) []Step {
	fake := *m.Fake
	if fake.By == (By{}) {
		fake.By = m.By
	}
	if !several {
		return []Step{{Fake: &fake, Logprobs: b.textLogprobs(m), Pos: fake.Pos}}
	}
	var pieces []Text
	for _, piece := range cut(b.fake(&fake), fake.By) {
		pieces = append(pieces, Text{Source: piece, Pos: fake.Pos, literal: true})
	}
	return b.contentPieces(m, pieces)
}

func (b *builder) refusalSteps(m *Message) []Step {
	if !m.Refusal.Present || m.Refusal.Null {
		return nil
	}
	refusal := m.Refusal.Value
	if l := m.Logprobs; l != nil && l.Refusal != nil && !l.Refusal.IsNull() {
		return b.spelledSteps(refusal, m.By, l.Refusal.Items(), func(piece Text, list *ojson.Value) Step {
			return Step{Refusal: Some(piece), Logprobs: &Logprobs{Refusal: list}, Pos: refusal.Pos}
		})
	}
	var steps []Step
	for _, piece := range b.cutText(refusal, m.By) {
		steps = append(steps, Step{Refusal: Some(piece), Logprobs: b.textLogprobs(m), Pos: piece.Pos})
	}
	return steps
}

// cutText renders a text and cuts it. A draft leaves a template whole.
func (b *builder) cutText(t Text, by By) []Text {
	if b.draft && t.isTemplate() {
		return []Text{t}
	}
	var pieces []Text
	for _, piece := range cut(b.text(t), by) {
		pieces = append(pieces, Text{Source: piece, Pos: t.Pos, literal: true})
	}
	return pieces
}

// callSteps are one step for each call: they come one after the other, each
// with all of its arguments.
func callSteps(m *Message) []Step {
	var steps []Step
	for _, call := range m.ToolCalls {
		call.Arguments = orEmptyObject(call.Arguments)
		steps = append(steps, Step{ToolCall: &call, Pos: call.Pos})
	}
	for _, call := range m.CustomToolCalls {
		steps = append(steps, Step{CustomTool: &call, Pos: call.Pos})
	}
	for _, call := range m.functionCalls() {
		call.Arguments = orEmptyObject(call.Arguments)
		steps = append(steps, Step{FunctionCall: &call, Pos: call.Pos})
	}
	return steps
}

// orEmptyObject is what the real service sends for a function without
// arguments.
func orEmptyObject(a Arguments) Arguments {
	if !a.Text.Present && a.Value == nil && !a.Fake {
		a.Text = Some(Text{Source: "{}"})
	}
	return a
}
