package invent

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Logprobs generates the log-probabilities of an answer.
type Logprobs struct {
	selection    *scenarios.Selection
	alternatives int        // alternatives is the number of alternatives for each token.
	rand         *rand.Rand // rand is nil until something is drawn.
}

// NewLogprobs generates log-probabilities for a selection, with a number of alternatives
// for each token.
func NewLogprobs(sel *scenarios.Selection, alternatives int) *Logprobs {
	return &Logprobs{selection: sel, alternatives: alternatives}
}

// Entries generates the entries of these tokens.
func (l *Logprobs) Entries(tokens []string) ojson.Value {
	if l.rand == nil {
		l.rand = Rand(l.selection, "logprobs")
	}
	list := ojson.Array()
	for _, token := range tokens {
		list.Push(l.entry(token))
	}
	return list
}

// entry generates the entry of a token with its alternatives. The token itself is the
// likeliest. The sum of the probabilities is below 1.
func (l *Logprobs) entry(token string) ojson.Value {
	logprob := rounded(-l.rand.ExpFloat64() / 3)
	top := ojson.Array()
	next, rest := logprob, -math.Expm1(logprob)
	for _, other := range l.alternativesTo(token) {
		top.Push(ojson.Object(tokenMembers(other, next)...))
		// The next alternative gets a part of the remaining probability, and less than
		// this one.
		next = rounded(min(next-0.01, math.Log(rest)-0.3-l.rand.ExpFloat64()))
		rest -= math.Exp(next)
	}
	return ojson.Object(append(tokenMembers(token, logprob), ojson.M("top_logprobs", top))...)
}

var commonTokens = [...]string{
	" the", " a", ",", ".", " and", " of", " to", " in", " is", " it", " that", " for",
	" with", " as", " was", " on", "\n", "!", " you", " this", "-", " I",
}

// alternativesTo returns the alternatives for a token, of which the first is the token
// itself.
func (l *Logprobs) alternativesTo(token string) []string {
	if l.alternatives <= 0 {
		return nil
	}
	list := []string{token}
	for _, i := range l.rand.Perm(len(commonTokens)) {
		if other := commonTokens[i]; len(list) < l.alternatives && !slices.Contains(list, other) {
			list = append(list, other)
		}
	}
	return list
}

func tokenMembers(token string, logprob float64) []ojson.Member {
	return []ojson.Member{
		ojson.M("token", ojson.String(token)),
		ojson.M("logprob", ojson.Number(strconv.FormatFloat(logprob, 'f', -1, 64))),
		ojson.M("bytes", BytesOf(token)),
	}
}

// BytesOf is the member bytes of a token: null for a part of a character, whose bytes the token does not tell.
func BytesOf(token string) ojson.Value {
	if IsPieceOfCharacter(token) {
		return ojson.Null()
	}
	bytes := ojson.Array()
	for _, b := range []byte(token) {
		bytes.Push(ojson.Int(int64(b)))
	}
	return bytes
}

// IsPieceOfCharacter reports whether a token is a part of a character. The real service
// writes such tokens as bytes:\xf0\x9f, or with a replacement character.
func IsPieceOfCharacter(token string) bool {
	return strings.Contains(token, `\x`) || strings.Contains(token, "\uFFFD")
}

// rounded rounds a log-probability to eight decimals, the most that the real service
// sends, and never to 0.
func rounded(logprob float64) float64 {
	const decimals = 1e8
	return min(math.Round(logprob*decimals), -1) / decimals
}
