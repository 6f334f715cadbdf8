package script

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Derivation is what a surface adds to the stream of a message.
type Derivation struct {
	// First are the steps before all choices.
	First []scenarios.Step
	// Open returns the steps that open a choice. Body are the steps of its content; Open may
	// use up the first of them, and returns the others as rest.
	Open func(m *scenarios.Message, body []scenarios.Step) (opening, rest []scenarios.Step)
	// Close returns the steps that end a choice. Body are the steps of its content that are
	// left; finish is the step of the finish. Nil adds the finish alone.
	Close func(body []scenarios.Step, finish scenarios.Step) (rest, closing []scenarios.Step)
	// Audio returns the stream of a choice that is spoken; nil for a surface that has no audio.
	Audio func(m *scenarios.Message) ChoiceStream
	// Logprobs says that texts get invented log-probabilities if the request asks for them and
	// the message does not say otherwise.
	Logprobs bool
}

// ChoiceStream is the stream of one choice: opening, content, end, and what the real service
// sends after the usage.
type ChoiceStream struct {
	Opening, Body, Closing, Late []scenarios.Step
}

// Message returns the steps of the stream that a surface sends for a message.
func (b *Builder) Message(m *scenarios.Message, d Derivation) []scenarios.Step {
	list := b.choices(m)
	streams, made := make([]ChoiceStream, len(list)), 0
	for i := range list {
		streams[i] = b.choiceStream(&list[i], len(list) > 1, &d)
		streams[i].number(i)
		// The choices of one message are alike: the first tells how many steps all have.
		if made += len(streams[i].Body); len(list) > 1 && (made > maxEvents || len(m.Choices) == 0 && made/(i+1) > maxEvents/len(list)) {
			b.full = true
			b.fail(m.Pos, fmt.Errorf("with %d choices, the answer has more than %d events, and no more are played: cut its texts into larger pieces, as with by: { size: 1000 }, or ask for fewer choices", len(list), maxEvents))
			return nil
		}
	}
	steps := interleave(d.First, streams)
	steps = append(steps, scenarios.Step{Usage: cmp.Or(m.Usage, &scenarios.Usage{}), WhenAsked: true})
	for i := range streams {
		steps = append(steps, streams[i].Late...)
	}
	for i := range steps {
		if steps[i].Pos.Line == 0 {
			steps[i].Pos = m.Pos
		}
	}
	return steps
}

// choices returns the choices of the message, at most as many as the request wants; or a
// message without choices that many times.
func (b *Builder) choices(m *scenarios.Message) []scenarios.Message {
	if len(m.Choices) == 0 {
		list := make([]scenarios.Message, max(1, b.Want.N))
		for i := range list {
			list[i] = *m
		}
		return list
	}
	list := make([]scenarios.Message, min(len(m.Choices), max(1, b.Want.N)))
	for i, c := range m.Choices[:len(list)] {
		if c.By == (scenarios.Cut{}) {
			c.By = m.By
		}
		list[i] = c
	}
	return list
}

func (s *ChoiceStream) number(choice int) {
	for _, list := range [][]scenarios.Step{s.Opening, s.Body, s.Closing, s.Late} {
		for i := range list {
			list[i].Choice = choice
		}
	}
}

// interleave merges the streams of several choices as the real service does: each sends its
// opening, then they take turns, then they end in order. The steps in first come before. Steps
// are copied only once: one is large, and a long text has a hundred thousand.
func interleave(first []scenarios.Step, list []ChoiceStream) []scenarios.Step {
	total := len(first) + 1 // one more for the usage
	for _, s := range list {
		total += len(s.Opening) + len(s.Body) + len(s.Closing) + len(s.Late)
	}
	steps := append(make([]scenarios.Step, 0, total), first...)
	longest := 0
	for _, s := range list {
		steps = append(steps, s.Opening...)
		steps = append(steps, s.Body[:min(1, len(s.Body))]...)
		longest = max(longest, len(s.Body))
	}
	for turn := 1; turn < longest; turn++ {
		for _, s := range list {
			if turn < len(s.Body) {
				steps = append(steps, s.Body[turn])
			}
		}
	}
	for _, s := range list {
		steps = append(steps, s.Closing...)
	}
	return steps
}

// choiceStream returns the stream of a message. If it takes turns with other choices, its texts
// are rendered and cut here.
func (b *Builder) choiceStream(m *scenarios.Message, several bool, d *Derivation) ChoiceStream {
	switch {
	case m.Audio != nil && d.Audio != nil:
		return d.Audio(m)
	case m.Audio != nil: // the surface refuses this step
		return ChoiceStream{Body: []scenarios.Step{{Audio: new(ojson.Object())}}}
	}
	var s ChoiceStream
	if s.Body = b.reasoningSteps(m); len(s.Body) == 0 {
		s.Body = b.contentSteps(m, several, d)
	} else {
		s.Body = append(s.Body, b.contentSteps(m, several, d)...)
	}
	s.Body = append(s.Body, b.refusalSteps(m, d)...)
	if m.Annotations != nil {
		s.Body = append(s.Body, scenarios.Step{Annotations: m.Annotations})
	}
	s.Body = append(s.Body, callSteps(m)...)
	s.Opening, s.Body = d.Open(m, s.Body)
	closing := scenarios.Step{Finish: finish(m)}
	s.Closing = []scenarios.Step{closing}
	if d.Close != nil {
		s.Body, s.Closing = d.Close(s.Body, closing)
	}
	return s
}

// Calls returns the number of calls in a message.
func Calls(m *scenarios.Message) int {
	return len(m.ToolCalls) + len(m.CustomToolCalls) + len(functionCalls(m))
}

func functionCalls(m *scenarios.Message) []scenarios.ToolCall {
	if m.FunctionCall == nil {
		return nil
	}
	return []scenarios.ToolCall{*m.FunctionCall}
}

// finish returns the finish reason of a message: its own, or else the one that its calls imply.
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

// HasContent reports whether a message has content that is not null.
func HasContent(m *scenarios.Message) bool {
	return m.Fake != nil || m.Content.Present && !m.Content.Null
}

// WantsLogprobs reports whether the message is sent with log-probabilities: as it says itself,
// or else if the request asks for them and the surface has them.
func (b *Builder) WantsLogprobs(m *scenarios.Message, d *Derivation) bool {
	if m.Logprobs != nil {
		return !m.Logprobs.Off && !m.Logprobs.Null && (b.Want.Logprobs || !m.WhenAsked)
	}
	return d.Logprobs && b.Want.Logprobs
}

// AsksForLogprobs reports whether a reply has log-probabilities that are sent only if the
// request asks for them.
func AsksForLogprobs(r *scenarios.Reply) bool {
	m := r.Message
	return r.Stream != nil || m != nil && (m.WhenAsked || slices.ContainsFunc(m.Choices, func(c scenarios.Message) bool { return c.WhenAsked }))
}

// textLogprobs returns the log-probabilities for a step with a piece of the message.
func (b *Builder) textLogprobs(m *scenarios.Message, d *Derivation) *scenarios.Logprobs {
	authored := m.Logprobs != nil && !m.Logprobs.Generate
	if authored || !b.WantsLogprobs(m, d) {
		return nil
	}
	return &scenarios.Logprobs{Generate: true}
}

func (b *Builder) contentSteps(m *scenarios.Message, several bool, d *Derivation) []scenarios.Step {
	if m.Fake != nil {
		return b.fakeSteps(m, several, d)
	}
	if !HasContent(m) {
		return nil
	}
	l := m.Logprobs
	authored := l != nil && l.Content != nil && !l.Content.IsNull()
	if authored && len(m.Parts) > 0 {
		b.problem(l.Pos, "log-probabilities that are written belong to one text, and the content has several parts", "write logprobs: true, or a stream with logprobs at each step")
		return nil
	}
	steps := b.textSteps(m, m.Content.Value, authored, several, d)
	for _, part := range m.Parts {
		if more := b.textSteps(m, part, false, several, d); len(more) > 0 {
			more[0].Next = NextPart
			steps = append(steps, more...)
		}
	}
	return steps
}

// textSteps returns the steps of one part of the content. Authored says that its
// log-probabilities are written.
func (b *Builder) textSteps(m *scenarios.Message, content scenarios.Text, authored, several bool, d *Derivation) []scenarios.Step {
	if l := m.Logprobs; authored {
		return b.tokenSteps(content, m.By, l.Content.Items(), func(piece scenarios.Text, list *ojson.Value) scenarios.Step {
			return scenarios.Step{Content: scenarios.Some(piece), Logprobs: &scenarios.Logprobs{Content: list}, WhenAsked: m.WhenAsked, Pos: content.Pos}
		})
	}
	if !several && (content.IsTemplate() || content.Repeat != "") {
		return []scenarios.Step{{Text: &scenarios.CutText{Text: content, By: m.By}, Logprobs: b.textLogprobs(m, d), Pos: content.Pos}}
	}
	return b.contentPieces(m, b.Pieces(content, m.By), d)
}

func (b *Builder) contentPieces(m *scenarios.Message, pieces []scenarios.Text, d *Derivation) []scenarios.Step {
	steps := make([]scenarios.Step, len(pieces))
	for i, piece := range pieces {
		steps[i] = scenarios.Step{Content: scenarios.Some(piece), Logprobs: b.textLogprobs(m, d), Pos: piece.Pos}
	}
	return steps
}

func (b *Builder) fakeSteps(m *scenarios.Message, several bool, d *Derivation) []scenarios.Step {
	fake := *m.Fake
	if fake.By == (scenarios.Cut{}) {
		fake.By = m.By
	}
	if !several {
		return []scenarios.Step{{Fake: &fake, Logprobs: b.textLogprobs(m, d), Pos: fake.Pos}}
	}
	return b.contentPieces(m, literalTexts(Cut(b.Fake(&fake), fake.By), fake.Pos), d)
}

func (b *Builder) refusalSteps(m *scenarios.Message, d *Derivation) []scenarios.Step {
	if !m.Refusal.Present || m.Refusal.Null {
		return nil
	}
	refusal := m.Refusal.Value
	if l := m.Logprobs; l != nil && l.Refusal != nil && !l.Refusal.IsNull() {
		return b.tokenSteps(refusal, m.By, l.Refusal.Items(), func(piece scenarios.Text, list *ojson.Value) scenarios.Step {
			return scenarios.Step{Refusal: scenarios.Some(piece), Logprobs: &scenarios.Logprobs{Refusal: list}, WhenAsked: m.WhenAsked, Pos: refusal.Pos}
		})
	}
	var steps []scenarios.Step
	for _, piece := range b.Pieces(refusal, m.By) {
		steps = append(steps, scenarios.Step{Refusal: scenarios.Some(piece), Logprobs: b.textLogprobs(m, d), Pos: piece.Pos})
	}
	return steps
}

// callSteps returns one step for each call. Each call is sent with all of its arguments before
// the next.
func callSteps(m *scenarios.Message) []scenarios.Step {
	var steps []scenarios.Step
	for _, call := range m.ToolCalls {
		call.Arguments = orEmptyObject(call.Arguments)
		pieces := call.Pieces
		call.Pieces = scenarios.Pieces{}
		steps = append(steps, scenarios.Step{ToolCall: &call, Pieces: pieces, Pos: call.Pos})
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

// orEmptyObject returns the arguments or, where there are none or null, {}, which the real service sends for a function
// without parameters.
func orEmptyObject(a scenarios.Arguments) scenarios.Arguments {
	if (!a.Text.Present || a.Text.Null) && a.Value == nil && !a.Fake {
		a.Text = scenarios.Some(scenarios.Text{Source: "{}"})
	}
	return a
}

// The values of [Reasoning.Next].
const (
	NextPart = "part"
	NextItem = "item"
)

// reasoning returns the beat of a step's reasoning, which is one piece of a summary or of raw
// text.
func (b *Builder) reasoning(r *scenarios.Reasoning) Reasoning {
	beat := Reasoning{Field: cmp.Or(r.Field, defaultReasoning), Next: r.Next, Encrypted: b.Member(r.EncryptedContent)}
	piece := r.Text
	switch {
	case len(r.Summary) > 1 || len(r.Summary) == 1 && r.Text.Present: // only in Go; the reader of files refuses it
		b.problem(r.Pos, "the reasoning of a step is one piece: of one part of the summary, or of the text", "")
	case len(r.Summary) == 1:
		piece = r.Summary[0]
	default:
		beat.Raw = r.Text.Present
	}
	beat.Text = b.countTokens(b.Member(piece), true)
	return beat
}

// reasoningSteps returns the steps of a message's reasoning: the parts of the summary, then the
// raw text. The first has the encrypted_content.
func (b *Builder) reasoningSteps(m *scenarios.Message) []scenarios.Step {
	r := m.Reasoning
	if r == nil {
		return nil
	}
	var steps []scenarios.Step
	for i, part := range r.Summary {
		for n, piece := range b.reasoningPieces(m, part) {
			step := scenarios.Reasoning{Summary: []scenarios.Opt[scenarios.Text]{piece}, Field: r.Field}
			if i > 0 && n == 0 {
				step.Next = NextPart
			}
			steps = append(steps, scenarios.Step{Reasoning: &step, Pos: piece.Value.Pos})
		}
	}
	for _, piece := range b.reasoningPieces(m, r.Text) {
		steps = append(steps, scenarios.Step{Reasoning: &scenarios.Reasoning{Text: piece, Field: r.Field}, Pos: piece.Value.Pos})
	}
	if len(steps) == 0 {
		steps = []scenarios.Step{{Reasoning: &scenarios.Reasoning{Next: NextItem, Field: r.Field}, Pos: r.Pos}}
	}
	steps[0].Reasoning.EncryptedContent = r.EncryptedContent
	return steps
}

func (b *Builder) reasoningPieces(m *scenarios.Message, text scenarios.Opt[scenarios.Text]) []scenarios.Opt[scenarios.Text] {
	switch {
	case !text.Present:
		return nil
	case text.Null:
		return []scenarios.Opt[scenarios.Text]{text}
	}
	var pieces []scenarios.Opt[scenarios.Text]
	for _, piece := range b.Pieces(text.Value, m.By) {
		pieces = append(pieces, scenarios.Some(piece))
	}
	return pieces
}

// SaysNothing reports whether surfaces without items have nothing to send for a group: it has
// reasoning without a text, and nothing else.
func (g *Group) SaysNothing() bool {
	for _, beat := range g.Beats {
		if r, ok := beat.(Reasoning); !ok || !r.Text.IsAbsent() {
			return false
		}
	}
	return len(g.Beats) > 0
}
