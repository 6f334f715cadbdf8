package chat

import (
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/lint"
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

// prompt is one of the prompts of a request.
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
