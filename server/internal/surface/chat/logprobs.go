package chat

import (
	"slices"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
)

// logprobsOf returns the logprobs of a chunk's choice. On chat completions, an object with both
// lists; a missing list is null.
func (s *speaker) logprobsOf(c *chunk) ojson.Value {
	l, text := c.logprobs, c.delta.Get("content")
	offset := s.offsets[c.choice]
	if _, isHole := hole.In(text); s.on.legacy && !isHole { // if offsets follow a hole, the script is built for each request
		s.offsets[c.choice] += utf8.RuneCountInString(text.Text())
	}
	switch {
	case l == nil && !s.logprobs:
		return ojson.Value{}
	case l == nil || l.Null:
		return ojson.Null()
	case s.on.legacy:
		return oldLogprobs(l.Content, offset, s.options.FromMessage && s.options.Want.Echo, s.options.Want.TopLogprobs > 0)
	}
	return ojson.Object(ojson.M("content", l.Content.Or(ojson.Null())), ojson.M("refusal", l.Refusal.Or(ojson.Null())))
}

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
			logprobs.Push(entry.Get("logprob").Or(ojson.Null()))
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

// addLogprobs appends the lists of a chunk's logprobs, which have these names. If only some
// chunks have alternatives in the old form, the tokens of the others get empty objects.
func (c *foldedChoice) addLogprobs(more ojson.Value, names []string) {
	if c.logprobs.IsAbsent() {
		c.logprobs = ojson.Object()
	}
	before := c.logprobs.Get("tokens")
	for _, name := range names {
		list, added := c.logprobs.Get(name), more.Get(name)
		switch {
		case name == "top_logprobs" && list.Kind() == ojson.ArrayKind && added.IsNull():
			added = noAlternatives(more.Get("tokens"))
		case name == "top_logprobs" && list.IsNull() && added.Kind() == ojson.ArrayKind:
			list = noAlternatives(before)
		}
		appendItems(&list, added)
		c.logprobs.Set(name, list.Or(ojson.Null()))
	}
}

// noAlternatives is a list of one empty object for each token.
func noAlternatives(tokens ojson.Value) ojson.Value {
	return ojson.Array(slices.Repeat([]ojson.Value{ojson.Object()}, len(tokens.Items()))...)
}
