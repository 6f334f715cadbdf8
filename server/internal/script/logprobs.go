package script

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/cut"
	"github.com/fakeopenai/fakeopenai/server/internal/draw"
)

// chance invents the log-probabilities of an answer.
type chance struct {
	sel  *scenarios.Selection
	top  int // how many alternatives each token gets
	rand *rand.Rand
}

func newChance(sel *scenarios.Selection, ask Ask) *chance {
	return &chance{sel: sel, top: ask.TopLogprobs}
}

// tokens are the entries for a text.
func (c *chance) tokens(text string) ojson.Value {
	if c.rand == nil {
		c.rand = draw.Rand(c.sel, "logprobs")
	}
	list := ojson.Array()
	for _, token := range cut.Text(text, scenarios.By{}) {
		list.Push(c.entry(token))
	}
	return list
}

// entry is one token with its alternatives; the token itself is the likeliest.
func (c *chance) entry(token string) ojson.Value {
	logprob := -c.rand.ExpFloat64() / 3
	top := ojson.Array()
	next := logprob
	for _, other := range c.alternatives(token) {
		top.Push(ojson.Object(tokenMembers(other, next)...))
		next -= 0.05 + c.rand.ExpFloat64()
	}
	return ojson.Object(append(tokenMembers(token, logprob), ojson.M("top_logprobs", top))...)
}

// commonTokens stand in for the alternatives of a token.
var commonTokens = [...]string{
	" the", " a", ",", ".", " and", " of", " to", " in", " is", " it", " that", " for",
	" with", " as", " was", " on", "\n", "!", " you", " this", "-", " I",
}

// alternatives are as many tokens as were asked for, token first.
func (c *chance) alternatives(token string) []string {
	if c.top <= 0 {
		return nil
	}
	list := []string{token}
	for _, i := range c.rand.Perm(len(commonTokens)) {
		if other := commonTokens[i]; len(list) < c.top && !slices.Contains(list, other) {
			list = append(list, other)
		}
	}
	return list
}

func tokenMembers(token string, logprob float64) []ojson.Member {
	bytes := ojson.Array()
	for _, b := range []byte(token) {
		bytes.Push(ojson.Int(int64(b)))
	}
	return []ojson.Member{
		ojson.M("token", ojson.String(token)),
		ojson.M("logprob", ojson.Number(strconv.FormatFloat(rounded(logprob), 'f', -1, 64))),
		ojson.M("bytes", bytes),
	}
}

// rounded is a log-probability with the eight decimals that the real service
// sends at most, and never 0.
func rounded(logprob float64) float64 {
	const decimals = 1e8
	return min(math.Round(logprob*decimals), -1) / decimals
}

// logprobs is the logprobs member of one chunk of a step: generated ones and a
// null stand on every chunk, authored ones on the first.
func (b *builder) logprobs(st *scenarios.Step, p parts, first bool) ojson.Value {
	l := st.Logprobs
	switch {
	case l == nil, l.Off, st.WhenAsked && !b.ask.Logprobs:
		return ojson.Value{}
	case l.Null:
		return ojson.Null()
	case l.Generate:
		return b.generated(p)
	case !first:
		return ojson.Value{}
	}
	return logprobsObject(b.literal(l.Content), b.literal(l.Refusal))
}

// generated are invented log-probabilities for what a chunk says; a chunk that
// says nothing gets null.
func (b *builder) generated(p parts) ojson.Value {
	switch {
	case nonEmpty(p.content):
		return logprobsObject(b.chance.tokens(p.content.Text()), ojson.Value{})
	case nonEmpty(p.refusal):
		return logprobsObject(ojson.Value{}, b.chance.tokens(p.refusal.Text()))
	}
	return ojson.Null()
}

// logprobsObject has both lists; the one that is not there is null.
func logprobsObject(content, refusal ojson.Value) ojson.Value {
	for _, v := range []*ojson.Value{&content, &refusal} {
		if v.IsAbsent() {
			*v = ojson.Null()
		}
	}
	return ojson.Object(ojson.M("content", content), ojson.M("refusal", refusal))
}
