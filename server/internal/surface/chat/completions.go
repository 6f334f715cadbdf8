package chat

import (
	"math"
	"strings"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/lint"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

const completionsName = "completions"

// completionsDialect follows recordings of gpt-3.5-turbo-instruct: the finish reason stands on
// the last chunk with text, and there is no obfuscation and no system_fingerprint.
var completionsDialect = dialect{
	Info: surface.Info{
		Name: completionsName, Title: "completions", Path: "/completions", DefaultModel: "gpt-3.5-turbo-instruct",
		Example:   `{"model":"gpt-3.5-turbo-instruct","stream":true,"stream_options":{"include_usage":true},"prompt":"Hello"}`,
		Operation: "text_completion", AzureOperation: "Completions_Create", OnDeployments: true,
		Objects: []string{"text_completion"}, ChoiceMember: "text",
		Says: saysOnCompletions, IsElsewhere: isInDelta,
		InChoice:      []string{"text", "finish_reason", "logprobs"},
		Skips:         []string{"missing-role"}, // a completion has no role
		ModelNotFound: apierror.ModelNotFound,
	},
	idPrefix: "cmpl-", delta: "text", message: "text",
	whole:    []string{"id", "object", "created", "model", "choices", "usage", "system_fingerprint", "service_tier"},
	logprobs: []string{"tokens", "token_logprobs", "top_logprobs", "text_offset"},
	chunks: lint.Chunks{
		Object:   "text_completion",
		Envelope: []string{"id", "object", "created", "model"},
		Others:   []string{"usage", "system_fingerprint", "service_tier"},
		Choice:   []string{"text", "index", "finish_reason"},
	},
	read: readCompletions, table: completionsTable,
}

// completionsLayout is the only layout of completions.
var completionsLayout = layout{
	members:   []string{"id", "object", "created", "choices", "model", "usage", "system_fingerprint", "service_tier"},
	onlyUsage: []string{"id", "object", "created", "model", "usage", "choices", "system_fingerprint", "service_tier"},
	logprobs:  true,
}

// deriveText returns the steps of a text, with the finish reason on the last piece.
func deriveText(b *script.Builder, m *scenarios.Message) []scenarios.Step {
	d := script.Derivation{Logprobs: true}
	choice := 0
	d.Open = func(m *scenarios.Message, body []scenarios.Step) (opening, rest []scenarios.Step) {
		defer func() { choice++ }()
		if !b.Want.Echo {
			return nil, body
		}
		asked, text := echoed(b, choice)
		if text.Source == "" {
			return nil, body
		}
		echo := scenarios.Step{Content: scenarios.Some(text)}
		if b.WantsLogprobs(m, &d) {
			echo.Logprobs = &scenarios.Logprobs{Generate: true}
			if asked.tokens > 0 {
				entries := b.InventLogprobs(strings.SplitAfter(asked.text, "|>")[:asked.tokens])
				echo.Logprobs = &scenarios.Logprobs{Content: &entries}
			}
		}
		return []scenarios.Step{echo}, body
	}
	d.Close = closeOnLast
	return b.Message(m, d)
}

// closeOnLast puts the finish reason on the last step with text.
func closeOnLast(body []scenarios.Step, finish scenarios.Step) (rest, closing []scenarios.Step) {
	last := len(body) - 1
	if last < 0 || body[last].Call() != nil {
		return body, []scenarios.Step{{Content: scenarios.Some(scenarios.Text{}), Finish: finish.Finish}}
	}
	closing = []scenarios.Step{body[last]}
	closing[0].Finish = finish.Finish
	return body[:last], closing
}

// echoed is the prompt of a choice, and the same as text.
func echoed(b *script.Builder, choice int) (prompt, scenarios.Text) {
	req := b.Request()
	if req == nil {
		return prompt{}, scenarios.Text{Literal: true}
	}
	prompts := promptsOf(req.Body.Get("prompt"))
	if len(prompts) == 0 {
		return prompt{}, scenarios.Text{Literal: true}
	}
	asked := prompts[choice/max(1, req.N)%len(prompts)]
	return asked, b.Echo(asked.text)
}

type prompt struct {
	text   string
	tokens int // tokens is the number of tokens of a prompt that is given as tokens
}

// promptsOf returns the prompts of a request: a text, a list of texts, a list of token
// numbers, or a list of such lists.
func promptsOf(v ojson.Value) []prompt {
	switch {
	case v.Kind() == ojson.StringKind:
		return []prompt{{text: v.Text()}}
	case isTokens(v):
		return []prompt{promptOfTokens(v)}
	}
	var list []prompt
	for _, item := range v.Items() {
		if isTokens(item) {
			list = append(list, promptOfTokens(item))
		} else {
			list = append(list, prompt{text: item.Text()})
		}
	}
	return list
}

// isTokens reports whether a value is a list of token numbers.
func isTokens(v ojson.Value) bool {
	return len(v.Items()) > 0 && v.Items()[0].Kind() == ojson.NumberKind
}

// promptOfTokens writes each token as <|number|>. Its text is unknown: it depends on
// the model's vocabulary.
func promptOfTokens(v ojson.Value) prompt {
	var text strings.Builder
	for _, token := range v.Items() {
		text.WriteString("<|")
		text.WriteString(token.Text())
		text.WriteString("|>")
	}
	return prompt{text: text.String(), tokens: len(v.Items())}
}

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

// promptIs checks the type of a prompt, and that all its items have the type of the first.
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
