package script

import (
	"cmp"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// defaultReasoning is the member that most providers stream reasoning in.
const defaultReasoning = "reasoning_content"

// parts are the members of a delta.
type parts struct {
	role, content, functionCall, toolCalls, refusal, reasoning, audio, annotations ojson.Value

	reasoningField string
}

// over is p with the members of q in place of its own.
func (p parts) over(q parts) parts {
	for _, m := range []struct{ to, from *ojson.Value }{
		{&p.role, &q.role}, {&p.content, &q.content}, {&p.functionCall, &q.functionCall},
		{&p.toolCalls, &q.toolCalls}, {&p.refusal, &q.refusal}, {&p.audio, &q.audio}, {&p.annotations, &q.annotations},
	} {
		if !m.from.IsAbsent() {
			*m.to = *m.from
		}
	}
	return p
}

// addTo puts the parts into a delta, in the order that the real service has.
func (p parts) addTo(delta *ojson.Value) {
	for _, m := range []ojson.Member{
		{Name: "role", Value: p.role},
		{Name: "content", Value: p.content},
		{Name: "function_call", Value: p.functionCall},
		{Name: "tool_calls", Value: p.toolCalls},
		{Name: "refusal", Value: p.refusal},
		{Name: p.reasoningField, Value: p.reasoning},
		{Name: "audio", Value: p.audio},
		{Name: "annotations", Value: p.annotations},
	} {
		if !m.Value.IsAbsent() {
			delta.Set(m.Name, m.Value)
		}
	}
}

// chunks adds the chunks of a chunk step.
func (b *builder) chunks(st *scenarios.Step) {
	if onlyUsage(st) && !b.sendsUsage(st) {
		return
	}
	opening := b.opening(st)
	pieces := b.pieces(st)
	count := max(len(pieces), st.Heartbeat)
	if count == 0 {
		if onlyExpands(st) {
			return
		}
		count = 1
	}
	b.lines = slices.Grow(b.lines, min(count, b.limit-len(b.lines)))
	for i := range count {
		var p parts
		if i < len(pieces) {
			p = pieces[i]
		}
		if i == 0 {
			p = opening.over(p)
		}
		b.chunk(st, p, i == 0, i == count-1)
		if b.stopped() {
			return
		}
	}
}

// onlyUsage reports whether a step is a chunk with nothing but usage.
func onlyUsage(st *scenarios.Step) bool {
	return st.Usage != nil && !opens(st) && !st.Finish.Present && st.Heartbeat == 0 && st.Logprobs == nil &&
		st.Text == nil && st.Fake == nil && st.Call() == nil && st.Delta == nil && st.Chunk == nil
}

// sendsUsage reports whether the step's usage is sent to this request.
func (b *builder) sendsUsage(st *scenarios.Step) bool {
	return st.Usage != nil && (!st.WhenAsked || b.ask.Usage || b.ask.Fold)
}

// onlyExpands reports whether a step has nothing to send once what it expands
// turns out to be empty.
func onlyExpands(st *scenarios.Step) bool {
	return (st.Text != nil || st.Fake != nil) && !st.Finish.Present && st.Usage == nil && !opens(st) && st.Delta == nil
}

// opens reports whether the step holds parts that go with its first chunk.
func opens(st *scenarios.Step) bool {
	return st.Role.Present || st.Content.Present || st.Refusal.Present || st.Reasoning != nil ||
		st.ToolCalls != nil || st.Audio != nil || st.Annotations != nil
}

// opening is what goes with a step's first chunk.
func (b *builder) opening(st *scenarios.Step) parts {
	p := parts{
		role: b.member(st.Role), content: b.sized(st, st.Content), refusal: b.sized(st, st.Refusal),
		toolCalls: b.literal(st.ToolCalls), audio: b.literal(st.Audio), annotations: b.literal(st.Annotations),
	}
	if r := st.Reasoning; r != nil {
		p.reasoning, p.reasoningField = b.sized(st, r.Text), cmp.Or(r.Field, defaultReasoning)
	}
	b.followCalls(st.Choice, p.toolCalls)
	for _, v := range []ojson.Value{p.content, p.refusal, p.audio.Get("transcript")} {
		b.tokens.completion += b.tokensIn(v)
	}
	reasoning := b.tokensIn(p.reasoning)
	b.tokens.completion += reasoning
	b.tokens.reasoning += reasoning
	return p
}

// chunk adds one chunk of a step.
func (b *builder) chunk(st *scenarios.Step, p parts, first, last bool) {
	l := Line{Choice: st.Choice, Extra: b.value(st.Extra), Omit: st.Omit, Set: b.assignments(st.Set)}
	if st.Delta != nil {
		l.Literal = true
		l.Delta = b.value(*st.Delta)
	}
	if st.Chunk != nil {
		l.Chunk = b.value(*st.Chunk)
	} else {
		b.fill(&l, st, p, first, last)
	}
	l.Kind = kindOf(&l)
	b.add(l)
}

func (b *builder) fill(l *Line, st *scenarios.Step, p parts, first, last bool) {
	if st.Delta != nil {
		if l.Delta.Kind() == ojson.ObjectKind {
			l.Delta = l.Delta.Clone()
			p.addTo(&l.Delta)
		}
	} else {
		l.Delta = ojson.Object()
		p.addTo(&l.Delta)
	}
	l.Logprobs = b.logprobs(st, p, first)
	if !last {
		return
	}
	l.Finish = b.opt(st.Finish)
	if b.sendsUsage(st) {
		l.Usage = b.usage(st.Usage)
	}
	if onlyUsage(st) {
		l.Delta = ojson.Value{}
	}
}

func (b *builder) usage(u *scenarios.Usage) ojson.Value {
	if u.Null {
		return ojson.Null()
	}
	return usageObject(b.value(u.Object), b.Layout, &b.tokens)
}

func (b *builder) assignments(list []scenarios.Assignment) []scenarios.Assignment {
	if len(list) == 0 {
		return nil
	}
	rendered := make([]scenarios.Assignment, len(list))
	for i, a := range list {
		rendered[i] = scenarios.Assignment{Path: a.Path, Value: b.value(a.Value)}
	}
	return rendered
}

// kindOf says what a chunk is.
func kindOf(l *Line) Kind {
	if !l.Chunk.IsAbsent() {
		return kindOfChunk(l.Chunk)
	}
	if l.Finish.Present && !l.Finish.Null {
		return KindFinish
	}
	if l.Delta.IsAbsent() && !l.Usage.IsAbsent() {
		return KindUsage
	}
	return kindOfDelta(l.Delta)
}

// kindOfChunk looks into a chunk that was written as a whole.
func kindOfChunk(chunk ojson.Value) Kind {
	choices := chunk.Get("choices").Items()
	if len(choices) == 0 {
		if nonEmpty(chunk.Get("usage")) {
			return KindUsage
		}
		return KindChunk
	}
	if nonEmpty(choices[0].Get("finish_reason")) {
		return KindFinish
	}
	if delta := choices[0].Get("delta"); !delta.IsAbsent() {
		return kindOfDelta(delta)
	}
	return KindChunk
}

// deltaKinds are the kinds of a delta by its members, in the order in which
// they count.
var deltaKinds = []struct {
	member string
	kind   Kind
}{
	{"tool_calls", KindTool},
	{"function_call", KindTool},
	{"content", KindContent},
	{"refusal", KindRefusal},
	{"reasoning_content", KindReasoning},
	{"reasoning", KindReasoning},
	{"audio", KindAudio},
}

// kindOfDelta goes by the members that say something; members that are null or
// empty, as beside a role, count only when there is nothing else.
func kindOfDelta(delta ojson.Value) Kind {
	for _, k := range deltaKinds {
		if nonEmpty(delta.Get(k.member)) {
			return k.kind
		}
	}
	if !delta.Get("role").IsAbsent() {
		return KindRole
	}
	for _, k := range deltaKinds {
		if !delta.Get(k.member).IsAbsent() {
			return k.kind
		}
	}
	if delta.Kind() == ojson.ObjectKind && len(delta.Members()) == 0 {
		return KindHeartbeat
	}
	return KindChunk
}

func nonEmpty(v ojson.Value) bool {
	return !v.IsAbsent() && !v.IsNull() && (v.Kind() != ojson.StringKind || v.Text() != "")
}
