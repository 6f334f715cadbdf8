package completions

import (
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// oldLogprobs is token entries in the form of completions: four lists of equal
// length. Offset is how many characters of the text come before. The first token
// of an echoed prompt has no probability: nothing comes before it. Without
// alternatives that are asked for or written, there is null in place of their list.
func oldLogprobs(entries ojson.Value, offset int, echoes, wantTop bool) ojson.Value {
	tokens, logprobs, top, offsets := ojson.Array(), ojson.Array(), ojson.Array(), ojson.Array()
	for _, entry := range entries.Items() {
		text, alternatives := entry.Get("token").Text(), topLogprobs(entry)
		tokens.Push(ojson.String(text))
		offsets.Push(ojson.Int(int64(offset)))
		if echoes && offset == 0 {
			logprobs.Push(ojson.Null())
			top.Push(ojson.Null())
		} else {
			logprobs.Push(orElse(entry.Get("logprob"), ojson.Null()))
			top.Push(alternatives)
		}
		wantTop = wantTop || len(alternatives.Members()) > 0
		offset += utf8.RuneCountInString(text)
	}
	if !wantTop {
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

// joined is logprobs with those of a later chunk behind them. Where only one of
// them has alternatives, the tokens of the other have empty ones.
func joined(first, more ojson.Value) ojson.Value {
	both := [...]ojson.Value{first, more}
	if !first.Get("top_logprobs").IsNull() || !more.Get("top_logprobs").IsNull() {
		for i := range both {
			if both[i].Get("top_logprobs").IsNull() {
				both[i] = both[i].Clone()
				both[i].Set("top_logprobs", noAlternatives(both[i]))
			}
		}
	}
	first = both[0]
	for _, m := range both[1].Members() {
		list := first.Get(m.Name)
		for _, item := range m.Value.Items() {
			list.Push(item)
		}
		first.Set(m.Name, list)
	}
	return first
}

// noAlternatives is an empty object for each token.
func noAlternatives(logprobs ojson.Value) ojson.Value {
	list := ojson.Array()
	for range logprobs.Get("tokens").Items() {
		list.Push(ojson.Object())
	}
	return list
}
