package completions

import (
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// oldLogprobs is token entries in the form of completions: four lists of equal
// length. Offset is how many characters of the text come before. The first token
// of an echoed prompt has no probability: nothing comes before it.
func oldLogprobs(entries ojson.Value, offset int, want script.Want) ojson.Value {
	tokens, logprobs, top, offsets := ojson.Array(), ojson.Array(), ojson.Array(), ojson.Array()
	for _, entry := range entries.Items() {
		text := entry.Get("token").Text()
		tokens.Push(ojson.String(text))
		offsets.Push(ojson.Int(int64(offset)))
		if want.Echo && offset == 0 {
			logprobs.Push(ojson.Null())
			top.Push(ojson.Null())
		} else {
			logprobs.Push(orElse(entry.Get("logprob"), ojson.Null()))
			top.Push(topLogprobs(entry))
		}
		offset += utf8.RuneCountInString(text)
	}
	if want.TopLogprobs == 0 {
		top = ojson.Null()
	}
	return ojson.Object(
		ojson.M("tokens", tokens),
		ojson.M("token_logprobs", logprobs),
		ojson.M("top_logprobs", top),
		ojson.M("text_offset", offsets),
	)
}

// topLogprobs is the alternatives of a token with their log-probabilities.
func topLogprobs(entry ojson.Value) ojson.Value {
	top := ojson.Object()
	for _, other := range entry.Get("top_logprobs").Items() {
		top.Set(other.Get("token").Text(), other.Get("logprob"))
	}
	return top
}
