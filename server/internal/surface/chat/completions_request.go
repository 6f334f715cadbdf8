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

// readCompletions reads the members that scenarios can look at. Each prompt counts as a user
// message, so that conditions and templates find it.
func readCompletions(body request.Field, req *scenarios.Request) {
	req.Turn = 1
	req.N = body.At("n").AsInt(1, 1, request.MaxChoices)
	body.At("best_of").AsInt(1, 0, maxBestOf)
	body.At("echo").AsBool(false)
	req.TopLogprobs = body.At("logprobs").AsInt(0, 0, maxLogprobs)
	req.Logprobs = !body.Get("logprobs").IsNullOrAbsent()
	options := body.At("stream_options").AsObject()
	req.IncludeUsage = options.At("include_usage").AsBool(false)
	if checkPrompt(body.At("prompt")); body.Err() != nil {
		return
	}
	prompts := promptsOf(body.Get("prompt"))
	if answers := len(prompts) * req.N; answers > maxAnswers {
		body.Fail(request.Bad("prompt", "", "The prompts ask for %d choices together; this server gives at most %d.", answers, maxAnswers))
		return
	}
	for _, p := range prompts {
		req.Messages = append(req.Messages, scenarios.RequestMessage{Role: "user", Text: p.text})
		req.LastUser = p.text
		req.PromptTokens += p.count()
	}
}

// expectedPrompt names the types of a prompt, in the real service's words.
const expectedPrompt = "one of a string, array of strings, array of integers, or array of integer arrays"

// checkPrompt checks the type of a prompt, and that of its items.
func checkPrompt(prompt request.Field) {
	if prompt.IsNullOrAbsent() || prompt.Kind() == ojson.StringKind {
		return
	}
	if prompt.Kind() != ojson.ArrayKind {
		prompt.FailType(expectedPrompt)
	}
	for i := range prompt.Items() {
		item := prompt.Item(i)
		switch first := prompt.Items()[0].Kind(); {
		case item.Kind() != first, first != ojson.ArrayKind && first != ojson.StringKind && !item.IsInteger():
			item.FailType(expectedPrompt)
		case first == ojson.ArrayKind:
			for j := range item.Items() {
				if token := item.Item(j); !token.IsInteger() {
					token.FailType("an integer")
				}
			}
		}
	}
}

// count counts the tokens of a prompt, in the same way as those of an echo.
func (p *prompt) count() int {
	if p.tokens > 0 {
		return p.tokens
	}
	return script.Tokens(p.text)
}

// completionsMembers are the members of a completions request.
var completionsMembers = sync.OnceValue(func() []request.Member {
	return append(commonMembers(),
		request.Need("prompt", request.AnyValue),
		request.May("best_of", request.OrNull(request.Integer(0, maxBestOf))),
		request.May("echo", request.OrNull(request.Boolean())),
		request.May("logit_bias", request.OrNull(request.IsOf(ojson.ObjectKind, "an object", request.AnyValue))),
		request.May("logprobs", request.OrNull(request.Integer(0, maxLogprobs))),
		request.May("max_tokens", request.OrNull(request.Integer(0, math.MaxInt64))),
		request.May("suffix", request.OrNull(request.Str())),
	)
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
