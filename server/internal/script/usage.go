package script

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
)

// counted counts the tokens of a text, which may be a hole, and returns the text.
func (b *Builder) counted(v ojson.Value, reasoning bool) ojson.Value {
	id, open := hole.In(v)
	if !open {
		b.tokens.add(Tokens(v.Text()), reasoning)
		return v
	}
	b.tokens.open = true
	for _, other := range b.script.fillers {
		if t, ok := other.(*textFiller); ok && t.into == id {
			t.counts, t.reasoning = true, reasoning
		}
	}
	return v
}

// Echo returns a text of the request for a step that repeats it. Its tokens do not count as
// those of the answer.
func (b *Builder) Echo(text string) scenarios.Text {
	b.tokens.add(-Tokens(text), false)
	return scenarios.Text{Source: text, Literal: true}
}

// usage returns the beat of a step's usage. Numbers that the author did not write are counted.
func (b *Builder) usage(st *scenarios.Step) Usage {
	beat := Usage{Alone: onlyUsage(st), Null: st.Usage.Null}
	if beat.Null {
		return beat
	}
	b.spend(st.Usage)
	written := b.Value(st.Usage.Object)
	if written.IsAbsent() {
		written = ojson.Object()
	}
	beat.Written = written
	beat.Prompt, beat.Completion, beat.Total = written.Get("prompt_tokens"), written.Get("completion_tokens"), written.Get("total_tokens")
	beat.Reasoning = b.count(&countFiller{reasoning: true}, b.tokens.reasoning)
	authored, known := beat.Completion.Int()
	switch {
	case beat.Completion.IsAbsent():
		beat.Completion, known = b.count(&countFiller{}, b.tokens.completion), true
	case known:
		b.countFrom(int(authored))
	}
	if beat.Prompt.IsAbsent() {
		beat.Prompt = hole.Value(PromptTokens)
	}
	if beat.Total.IsAbsent() && known {
		beat.Total = b.total(&beat)
	}
	b.parts(&beat)
	return beat
}

// spend notes the author's numbers, by which limits count the request.
func (b *Builder) spend(u *scenarios.Usage) {
	b.script.promptWritten, b.script.totalWritten = -1, -1
	if n, ok := u.Object.Get("prompt_tokens").Int(); ok {
		b.script.promptWritten = n
	}
	if n, ok := u.Object.Get("total_tokens").Int(); ok {
		b.script.totalWritten = n
	}
}

// spendUnsaid notes the author's numbers of a usage that is not sent, because the request does
// not ask for it.
func (b *Builder) spendUnsaid(u *scenarios.Usage) {
	b.spend(u)
	if n, ok := u.Object.Get("completion_tokens").Int(); ok {
		b.countFrom(int(n))
	}
}

// countFrom replaces the number of tokens counted so far by the author's.
func (b *Builder) countFrom(written int) {
	b.tokens.completion = written
	if b.tokens.open {
		b.script.fillers = append(b.script.fillers, countRestart{})
	}
}

// count returns a number of tokens, or a hole if it depends on the request.
func (b *Builder) count(blank *countFiller, loaded int) ojson.Value {
	if !b.tokens.open {
		return ojson.Int(int64(loaded))
	}
	blank.loaded = b.tokens
	return b.countHole(blank)
}

func (b *Builder) countHole(blank *countFiller) ojson.Value {
	id, ok := b.newHole("")
	if !ok {
		return ojson.Int(0)
	}
	blank.into = id
	b.script.fillers = append(b.script.fillers, blank)
	return hole.Value(id)
}

// total returns the sum of prompt and completion: a hole if it depends on the request, Absent
// if the prompt is no number.
func (b *Builder) total(u *Usage) ojson.Value {
	prompt, isNumber := u.Prompt.Int()
	id, isHole := hole.In(u.Prompt)
	counted := isHole && id == PromptTokens
	switch {
	case !isNumber && !counted:
		return ojson.Value{}
	case !counted && !b.tokens.open:
		return ojson.Int(prompt + int64(b.tokens.completion))
	}
	return b.countHole(&countFiller{loaded: b.tokens, prompt: counted, written: prompt})
}

// withUsage returns the steps of a stream. If the answer must have usage and no step has, the
// last finish gets it.
func (b *Builder) withUsage(list []scenarios.Step) []scenarios.Step {
	if !b.Want.TellsUsage || slices.ContainsFunc(list, func(st scenarios.Step) bool { return st.Usage != nil }) {
		return list
	}
	for i := range slices.Backward(list) {
		if list[i].Finish.Present {
			list = slices.Clone(list)
			list[i].Usage = &scenarios.Usage{}
			return list
		}
	}
	return list
}
