package script

import (
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
)

// soundPerToken is how many base64 characters of sound count as a token: those of a twentieth
// of a second of 24 kHz 16-bit sound.
const soundPerToken = 3_200

// countSound counts the tokens of sound in base64 as tokens of the answer.
func (b *Builder) countSound(data ojson.Value) {
	if _, open := hole.In(data); open {
		b.script.PerRequest = true
		return
	}
	tokens := (len(data.Text()) + soundPerToken - 1) / soundPerToken
	b.tokens.add(tokens, false)
	b.tokens.audio += tokens
}

// parts splits the numbers of tokens into text and sound. A part that the author wrote decides
// the other.
func (b *Builder) parts(u *Usage) {
	prompt, completion := u.Written.Get("prompt_tokens_details"), u.Written.Get("completion_tokens_details")
	audio, _ := prompt.Get("audio_tokens").Int()
	images, _ := prompt.Get("image_tokens").Int()
	u.PromptText = b.less(u.Prompt, audio+images)
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
	u.CompletionAudio, u.CompletionText = ojson.Int(audio), b.less(u.Completion, audio)
}

// less returns a number of tokens, which may be a hole, minus n; Absent for a value that is no
// number.
func (b *Builder) less(v ojson.Value, n int64) ojson.Value {
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
		return b.countHole(&countFiller{prompt: true, alone: true, written: -n})
	}
	return b.countHole(&countFiller{loaded: b.tokens, written: -n})
}
