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
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/render"
)

// logprobGenerator invents the log-probabilities of an answer.
type logprobGenerator struct {
	sel                *scenarios.Selection
	alternativesWanted int // alternativesWanted is how many alternatives each token gets.
	rand               *rand.Rand
}

// InventLogprobs are token entries for a text that is told as tokens.
func (b *Builder) InventLogprobs(tokens []string) ojson.Value { return b.logprobs.entries(tokens) }

// tokens are the entries for a text.
func (c *logprobGenerator) tokens(text string) ojson.Value {
	return c.entries(cut.Text(text, scenarios.Cut{}))
}

func (c *logprobGenerator) entries(tokens []string) ojson.Value {
	if c.rand == nil {
		c.rand = draw.Rand(c.sel, "logprobs")
	}
	list := ojson.Array()
	for _, token := range tokens {
		list.Push(c.entry(token))
	}
	return list
}

// entry is one token with its alternatives; the token itself is the likeliest.
// Together their probabilities are less than 1.
func (c *logprobGenerator) entry(token string) ojson.Value {
	logprob := rounded(-c.rand.ExpFloat64() / 3)
	top := ojson.Array()
	next, rest := logprob, -math.Expm1(logprob)
	for _, other := range c.alternatives(token) {
		top.Push(ojson.Object(tokenMembers(other, next)...))
		// The next one gets a part of what is left, and less than this one.
		next = rounded(min(next-0.01, math.Log(rest)-0.3-c.rand.ExpFloat64()))
		rest -= math.Exp(next)
	}
	return ojson.Object(append(tokenMembers(token, logprob), ojson.M("top_logprobs", top))...)
}

// commonTokens stand in for the alternatives of a token.
var commonTokens = [...]string{
	" the", " a", ",", ".", " and", " of", " to", " in", " is", " it", " that", " for",
	" with", " as", " was", " on", "\n", "!", " you", " this", "-", " I",
}

// alternatives are as many tokens as were asked for, token first.
func (c *logprobGenerator) alternatives(token string) []string {
	if c.alternativesWanted <= 0 {
		return nil
	}
	list := []string{token}
	for _, i := range c.rand.Perm(len(commonTokens)) {
		if other := commonTokens[i]; len(list) < c.alternativesWanted && !slices.Contains(list, other) {
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
		ojson.M("logprob", ojson.Number(strconv.FormatFloat(logprob, 'f', -1, 64))),
		ojson.M("bytes", bytes),
	}
}

// rounded is a log-probability with the eight decimals that the real service
// sends at most, and never 0.
func rounded(logprob float64) float64 {
	const decimals = 1e8
	return min(math.Round(logprob*decimals), -1) / decimals
}

// logprobsBeat is the log-probabilities of one chunk of a step, if it has any:
// generated ones and a null stand on every chunk, authored ones on the first.
func (b *Builder) logprobsBeat(st *scenarios.Step, beats []Beat, first bool) (l Logprobs, ok bool) {
	written := st.Logprobs
	switch {
	case written == nil, written.Off, st.WhenAsked && !b.Want.Logprobs:
		return Logprobs{}, false
	case written.Null:
		return Logprobs{Null: true}, true
	case written.Generate:
		return b.generated(beats), true
	case !first:
		return Logprobs{}, false
	}
	if b.tokens.open || isTemplate(written.Content) || isTemplate(written.Refusal) {
		// Some surfaces say where in the text each token stands.
		b.script.PerRequest = true
	}
	return Logprobs{Content: b.literal(written.Content), Refusal: b.literal(written.Refusal)}, true
}

func isTemplate(v *ojson.Value) bool { return v != nil && render.ValueIsTemplate(*v) }

// generated are invented log-probabilities for what a chunk says; a chunk that
// says nothing gets null.
func (b *Builder) generated(beats []Beat) Logprobs {
	for _, beat := range beats {
		if t, ok := beat.(Text); ok && b.isSaid(t.Text) {
			return Logprobs{Content: b.logprobs.tokens(t.Text.Text())}
		}
	}
	for _, beat := range beats {
		if r, ok := beat.(Refusal); ok && b.isSaid(r.Text) {
			return Logprobs{Refusal: b.logprobs.tokens(r.Text.Text())}
		}
	}
	return Logprobs{Null: true}
}

// isSaid reports whether there is a text to invent log-probabilities for. What
// follows from the text of a request is invented for each request.
func (b *Builder) isSaid(v ojson.Value) bool {
	if _, open := hole.In(v); open {
		b.script.PerRequest = true
		return false
	}
	return Says(v)
}

// Says reports whether a value is more than nothing: there, not null and not an
// empty text.
func Says(v ojson.Value) bool {
	return !v.IsNullOrAbsent() && (v.Kind() != ojson.StringKind || v.Text() != "")
}
