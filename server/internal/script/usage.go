package script

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
)

// countTokens counts the tokens of a text, which may be a hole, and returns the text.
func (b *Builder) countTokens(v ojson.Value, reasoning bool) ojson.Value {
	id, open := hole.In(v)
	if !open {
		b.tokens.add(Tokens(v.Text()), reasoning)
		return v
	}
	b.tokens.open = true
	if t := b.holes[id]; t != nil {
		*t = countedText{counts: true, reasoning: reasoning}
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
	b.countReasoning(written)
	beat.Reasoning = b.count(func(n tokenCount) int { return n.reasoning })
	authored, known := beat.Completion.Int()
	switch {
	case beat.Completion.IsAbsent():
		beat.Completion, known = b.count(tokenCount.all), true
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

// spendUnsaid counts the tokens in an authored usage that is not sent, because the request does
// not ask for it.
func (b *Builder) spendUnsaid(u *scenarios.Usage) {
	b.spend(u)
	b.countReasoning(u.Object)
	if n, ok := u.Object.Get("completion_tokens").Int(); ok {
		b.countFrom(int(n))
	}
}

// countReasoning counts the reasoning tokens that the author wrote in place of those counted so far, where the
// tokens of the whole answer are not written.
func (b *Builder) countReasoning(written ojson.Value) {
	n, ok := written.Get("completion_tokens_details").Get("reasoning_tokens").Int()
	if ok && written.Get("completion_tokens").IsAbsent() && n > int64(b.tokens.reasoning) {
		b.tokens.add(int(n)-b.tokens.reasoning, true)
	}
}

// countFrom replaces the number of tokens counted so far by the author's.
func (b *Builder) countFrom(written int) {
	b.tokens.completion = written
	if b.tokens.open {
		b.addFiller(func(f *fillState) error {
			f.tokens.completion = 0 // the author wrote the number of the texts rendered so far
			return nil
		})
	}
}

// count returns a number of tokens, or a hole if it depends on the request: the number of those
// known at load, and of those in the texts rendered so far.
func (b *Builder) count(of func(tokenCount) int) ojson.Value {
	loaded := b.tokens
	if !loaded.open {
		return ojson.Int(int64(of(loaded)))
	}
	return b.countHole(func(f *fillState) int { return of(loaded) + of(f.tokens) })
}

// countHole is a hole for a number that is computed for each request, and is never below 0.
func (b *Builder) countHole(count func(f *fillState) int) ojson.Value {
	id, ok := b.newHole("")
	if !ok {
		return ojson.Int(0)
	}
	b.addFiller(func(f *fillState) error {
		f.into.SetInt(id, int64(max(0, count(f))))
		return nil
	})
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
	loaded := b.tokens.completion
	return b.countHole(func(f *fillState) int {
		n := loaded + f.tokens.completion
		if counted {
			return f.prompt + n
		}
		return int(prompt) + n
	})
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

// soundPerToken is how many base64 characters of sound count as a token: those of a twentieth
// of a second of 24 kHz 16-bit sound.
const soundPerToken = 3_200

// SoundTokens returns how many tokens n base64 characters of sound count as.
func SoundTokens(n int) int { return (n + soundPerToken - 1) / soundPerToken }

// countSound counts the tokens of sound in base64 as tokens of the answer.
func (b *Builder) countSound(data ojson.Value) {
	if _, open := hole.In(data); open {
		b.script.PerRequest = true
		return
	}
	tokens := SoundTokens(len(data.Text()))
	b.tokens.add(tokens, false)
	b.tokens.audio += tokens
}

// parts splits the numbers of tokens into text and sound. A part that the author wrote decides
// the other.
func (b *Builder) parts(u *Usage) {
	prompt, completion := u.Written.Get("prompt_tokens_details"), u.Written.Get("completion_tokens_details")
	audio, _ := prompt.Get("audio_tokens").Int()
	images, _ := prompt.Get("image_tokens").Int()
	u.PromptText = b.minus(u.Prompt, audio+images)
	text, textWritten := completion.Get("text_tokens").Int()
	audio, audioWritten := completion.Get("audio_tokens").Int()
	if !audioWritten {
		audio = int64(b.tokens.audio)
		total, known := u.Completion.Int()
		switch {
		case known && textWritten:
			audio = max(0, total-text)
		case known:
			audio = max(0, min(audio, total)) // written numbers can be negative
		}
	}
	u.CompletionAudio, u.CompletionText = ojson.Int(audio), b.minus(u.Completion, audio)
}

// minus returns a number of tokens, which may be a hole, minus n; Absent for a value that is no
// number.
func (b *Builder) minus(v ojson.Value, n int64) ojson.Value {
	if total, ok := v.Int(); ok {
		return ojson.Int(max(0, total-n))
	}
	id, open := hole.In(v)
	switch {
	case !open:
		return ojson.Value{}
	case n == 0:
		return v
	case id == PromptTokens:
		return b.countHole(func(f *fillState) int { return f.prompt - int(n) })
	}
	loaded := b.tokens.completion
	return b.countHole(func(f *fillState) int { return loaded + f.tokens.completion - int(n) })
}
