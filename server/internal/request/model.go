package request

import (
	"strconv"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// modelTakesMembers checks what depends on the model. Models whose names are
// not OpenAI's take everything.
func modelTakesMembers(r *scenarios.Request) *Error {
	switch {
	case isReasoningModel(r.Model):
		return reasoningModelTakes(r)
	case hasPrefix(r.Model, "gpt-3.5", "gpt-4", "chatgpt-4o"):
		return plainModelTakes(r)
	}
	return nil
}

// isReasoningModel reports whether a model of that name thinks before it
// answers: o1, o3, o4-mini, gpt-5 and the like.
func isReasoningModel(model string) bool {
	return hasPrefix(model, "o1", "o3", "o4", "gpt-5", "gpt-6") && !strings.Contains(model, "-chat")
}

func hasPrefix(s string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

func reasoningModelTakes(r *scenarios.Request) *Error {
	if has(r, "max_tokens") {
		return Bad("max_tokens", "unsupported_parameter",
			"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")
	}
	for _, name := range []string{"logprobs", "top_logprobs", "logit_bias"} {
		if v := r.Body.Get(name); !v.IsNullOrAbsent() && v.Text() != "false" {
			return unsupportedParameter(name)
		}
	}
	for _, m := range []struct{ name, only string }{
		{"temperature", "1"}, {"top_p", "1"}, {"presence_penalty", "0"}, {"frequency_penalty", "0"},
	} {
		if v := r.Body.Get(m.name); !v.IsNullOrAbsent() && !ojson.SameNumber(v.Text(), m.only) {
			return Bad(m.name, "unsupported_value",
				"Unsupported value: '%s' does not support %s with this model. Only the default (%s) value is supported.", m.name, v.Text(), m.only)
		}
	}
	if has(r, "stop") && !strings.HasPrefix(r.Model, "o1") {
		return unsupportedParameter("stop")
	}
	return reasoningModelRoles(r)
}

func unsupportedParameter(name string) *Error {
	return Bad(name, "unsupported_parameter", "Unsupported parameter: '%s' is not supported with this model.", name)
}

// reasoningModelRoles: the first small reasoning models know no system messages.
func reasoningModelRoles(r *scenarios.Request) *Error {
	if !hasPrefix(r.Model, "o1-mini", "o1-preview") {
		return nil
	}
	for i, m := range r.Messages {
		if m.Role == "system" || m.Role == "developer" {
			path := "messages[" + strconv.Itoa(i) + "].role"
			return Bad(path, "unsupported_value", "Unsupported value: '%s' does not support '%s' with this model.", path, m.Role)
		}
	}
	return nil
}

// tokenCaps are the most tokens that models answer with; the first prefix that
// fits counts.
var tokenCaps = []struct {
	prefix string
	tokens int64
}{
	{"gpt-4.1", 32768},
	{"gpt-4o-2024-05-13", 4096},
	{"gpt-4o", 16384},
	{"chatgpt-4o", 16384},
	{"gpt-4-turbo", 4096},
	{"gpt-4-0125", 4096},
	{"gpt-4-1106", 4096},
	{"gpt-4", 8192},
	{"gpt-3.5-turbo", 4096},
}

func plainModelTakes(r *scenarios.Request) *Error {
	if has(r, "reasoning_effort") {
		return Bad("", "", "Unrecognized request argument supplied: reasoning_effort")
	}
	if has(r, "web_search_options") && !strings.Contains(r.Model, "search") {
		return Bad("web_search_options", "", "Web search options not supported with this model.")
	}
	for _, name := range []string{"max_tokens", "max_completion_tokens"} {
		if err := tooManyTokens(r.Model, name, r.Body.Get(name)); err != nil {
			return err
		}
	}
	return nil
}

func tooManyTokens(model, name string, v ojson.Value) *Error {
	for _, c := range tokenCaps {
		if !strings.HasPrefix(model, c.prefix) {
			continue
		}
		if n, ok := v.Int(); v.Kind() == ojson.NumberKind && (!ok || n > c.tokens) {
			return Bad(name, "invalid_value",
				"%s is too large: %s. This model supports at most %d completion tokens, whereas you provided %s.", name, v.Text(), c.tokens, v.Text())
		}
		return nil
	}
	return nil
}
