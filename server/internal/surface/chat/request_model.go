package chat

import (
	"strconv"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// modelTakesMembers checks what depends on the model. An unknown model accepts
// everything.
func modelTakesMembers(r *scenarios.Request) *request.Error {
	switch facts := surface.ModelNamed(r.Model); {
	case facts.Reasoning:
		return reasoningModelTakes(r, facts)
	case facts.Plain:
		return plainModelTakes(r, facts)
	}
	return nil
}

func reasoningModelTakes(r *scenarios.Request, facts surface.ModelFacts) *request.Error {
	if has(r, "max_tokens") {
		return request.Bad("max_tokens", "unsupported_parameter",
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
			return request.Bad(m.name, "unsupported_value",
				"Unsupported value: '%s' does not support %s with this model. Only the default (%s) value is supported.", m.name, v.Text(), m.only)
		}
	}
	if has(r, "stop") && facts.RefusesStop {
		return unsupportedParameter("stop")
	}
	if facts.RefusesSystem {
		return noSystemMessages(r)
	}
	return nil
}

func unsupportedParameter(name string) *request.Error {
	return request.Bad(name, "unsupported_parameter", "Unsupported parameter: '%s' is not supported with this model.", name)
}

// noSystemMessages returns the error for a system message to a model that accepts none.
func noSystemMessages(r *scenarios.Request) *request.Error {
	for i, m := range r.Messages {
		if m.Role == "system" || m.Role == "developer" {
			path := "messages[" + strconv.Itoa(i) + "].role"
			return request.Bad(path, "unsupported_value", "Unsupported value: '%s' does not support '%s' with this model.", path, m.Role)
		}
	}
	return nil
}

func plainModelTakes(r *scenarios.Request, facts surface.ModelFacts) *request.Error {
	if has(r, "reasoning_effort") {
		return request.Bad("", "", "Unrecognized request argument supplied: reasoning_effort")
	}
	if has(r, "web_search_options") && !facts.Search {
		return request.Bad("web_search_options", "", "Web search options not supported with this model.")
	}
	for _, name := range []string{"max_tokens", "max_completion_tokens"} {
		if err := tooManyTokens(facts.MaxTokens, name, r.Body.Get(name)); err != nil {
			return err
		}
	}
	return nil
}

// tooManyTokens checks a number of tokens against the model's maximum; 0 is an unknown
// maximum.
func tooManyTokens(most int64, name string, v ojson.Value) *request.Error {
	if most == 0 || v.Kind() != ojson.NumberKind {
		return nil
	}
	if n, ok := v.Int(); !ok || n > most {
		return request.Bad(name, "invalid_value",
			"%s is too large: %s. This model supports at most %d completion tokens, whereas you provided %s.", name, v.Text(), most, v.Text())
	}
	return nil
}
