package completions

import (
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// oldLogprobs converts token entries to the form of completions: four lists of equal
// length. Offset is the number of characters before the first token. The first token of
// an echoed prompt has no probability, because nothing precedes it. If there are no
// alternatives, and none were asked for, top_logprobs is null.
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

// topLogprobs is an object of a token's alternatives and their log-probabilities.
func topLogprobs(entry ojson.Value) ojson.Value {
	top := ojson.Object()
	for _, other := range entry.Get("top_logprobs").Items() {
		top.Set(other.Get("token").Text(), other.Get("logprob"))
	}
	return top
}

// joined appends the logprobs of a later chunk. If only one of the two has
// alternatives, the tokens of the other get empty objects.
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

// noAlternatives is a list of one empty object for each token.
func noAlternatives(logprobs ojson.Value) ojson.Value {
	list := ojson.Array()
	for range logprobs.Get("tokens").Items() {
		list.Push(ojson.Object())
	}
	return list
}
