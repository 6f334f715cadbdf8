package chat

import (
	"math"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// The bounds of numbers that decide how much an answer holds.
const (
	maxLogprobs = 5
	maxBestOf   = 20
	maxAnswers  = 2048 // maxAnswers limits n times the number of prompts; the real service has no such limit
)

// readCompletions reads what scenarios can look at. Each prompt counts as a user
// message, so that conditions and templates find it.
func readCompletions(req *scenarios.Request) *request.Error {
	readNumbers(req)
	top, asked := req.Body.Get("logprobs").Int()
	req.TopLogprobs, req.Logprobs = int(top), asked
	prompts := promptsOf(req.Body.Get("prompt"))
	if answers := len(prompts) * req.N; answers > maxAnswers {
		return request.Bad("prompt", "", "The prompts ask for %d choices together; this server gives at most %d.", answers, maxAnswers)
	}
	for _, p := range prompts {
		req.Messages = append(req.Messages, scenarios.RequestMessage{Role: "user", Text: p.text})
		req.LastUser = p.text
		req.PromptTokens += p.count()
	}
	return nil
}

// expectedPrompt names the types of a prompt, in the real service's words.
const expectedPrompt = "one of a string, array of strings, array of integers, or array of integer arrays"

// promptIs checks the type of a prompt, and that of its items, which is that of the first.
func promptIs(c *request.Checker, v ojson.Value) {
	item := request.AnyValue
	switch items := v.Items(); {
	case len(items) == 0:
	case items[0].Kind() == ojson.ArrayKind:
		item = request.ArrayOf(expectedPrompt, 0, request.Unbounded, request.Integer(math.MinInt64, math.MaxInt64))
	case items[0].Kind() == ojson.StringKind:
		item = request.IsOf(ojson.StringKind, expectedPrompt, request.AnyValue)
	default:
		item = func(c *request.Checker, v ojson.Value) {
			if !v.IsInteger() {
				c.FailType(expectedPrompt, v)
			}
		}
	}
	request.TextOr(expectedPrompt, request.AnyValue, ojson.ArrayKind, request.ArrayOf(expectedPrompt, 0, request.Unbounded, item))(c, v)
}

// count counts the tokens of a prompt, in the same way as those of an echo.
func (p *prompt) count() int {
	if p.tokens > 0 {
		return p.tokens
	}
	return script.Tokens(p.text)
}

// completionsTable has the members of a completions request.
var completionsTable = sync.OnceValue(func() *request.Table {
	orNull, may := request.OrNull, request.May
	return &request.Table{
		First: []request.Rule{modelIsNamed}, Older: func(*scenarios.Request) bool { return true },
		Last: []request.Rule{streamOptionsNeedStream, bestOfFits},
		Members: []request.Member{
			may("model", request.Str()).Seen(),
			may("stream", orNull(request.Boolean())).Seen(),
			may("user", request.Str()).Seen(),
			may("n", orNull(request.Integer(1, request.MaxChoices))).Seen(),
			may("best_of", orNull(request.Integer(0, maxBestOf))).Seen(),
			may("echo", orNull(request.Boolean())).Seen(),
			may("logprobs", orNull(request.Integer(0, maxLogprobs))).Seen(),
			may("stream_options", streamOptions()).Seen(),
			request.Need("prompt", orNull(promptIs)).Seen(),
			may("temperature", orNull(request.Decimal(0, 2))),
			may("top_p", orNull(request.Decimal(0, 1))),
			may("frequency_penalty", orNull(request.Decimal(-2, 2))),
			may("presence_penalty", orNull(request.Decimal(-2, 2))),
			may("stop", stops()),
			may("seed", orNull(request.Integer(math.MinInt64, math.MaxInt64))),
			may("logit_bias", orNull(request.OpenObject())),
			may("max_tokens", orNull(request.Integer(0, math.MaxInt64))),
			may("suffix", orNull(request.Str())),
		},
	}
})

// bestOfFits checks best_of: the n best answers need at least n to choose from, and a
// stream cannot wait for a comparison.
func bestOfFits(r *scenarios.Request) *request.Error {
	best, asked := r.Body.Get("best_of").Int()
	switch {
	case !asked:
		return nil
	case int(best) < r.N:
		return request.Bad("best_of", "", "best_of must be greater than or equal to n, but best_of is %d and n is %d.", best, r.N)
	case r.Stream && int(best) > r.N:
		return request.Bad("best_of", "", "Cannot stream results with best_of > n.")
	}
	return nil
}
