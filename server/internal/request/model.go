package request

import (
	"strconv"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/model"
)

// modelTakesMembers checks what depends on the model. Models of which nothing is
// known take everything.
func modelTakesMembers(r *scenarios.Request) *Error {
	switch facts := model.Lookup(r.Model); {
	case facts.Reasoning:
		return reasoningModelTakes(r, facts)
	case facts.Plain:
		return plainModelTakes(r, facts)
	}
	return nil
}

func reasoningModelTakes(r *scenarios.Request, facts model.Facts) *Error {
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
	if has(r, "stop") && facts.RefusesStop {
		return unsupportedParameter("stop")
	}
	if facts.RefusesSystem {
		return noSystemMessages(r)
	}
	return nil
}

func unsupportedParameter(name string) *Error {
	return Bad(name, "unsupported_parameter", "Unsupported parameter: '%s' is not supported with this model.", name)
}

// noSystemMessages is the error for a model that takes none.
func noSystemMessages(r *scenarios.Request) *Error {
	for i, m := range r.Messages {
		if m.Role == "system" || m.Role == "developer" {
			path := "messages[" + strconv.Itoa(i) + "].role"
			return Bad(path, "unsupported_value", "Unsupported value: '%s' does not support '%s' with this model.", path, m.Role)
		}
	}
	return nil
}

func plainModelTakes(r *scenarios.Request, facts model.Facts) *Error {
	if has(r, "reasoning_effort") {
		return Bad("", "", "Unrecognized request argument supplied: reasoning_effort")
	}
	if has(r, "web_search_options") && !facts.Search {
		return Bad("web_search_options", "", "Web search options not supported with this model.")
	}
	for _, name := range []string{"max_tokens", "max_completion_tokens"} {
		if err := tooManyTokens(facts.MaxTokens, name, r.Body.Get(name)); err != nil {
			return err
		}
	}
	return nil
}

// tooManyTokens checks a number of tokens against the most that the model
// answers with, which is 0 if it is not known.
func tooManyTokens(most int64, name string, v ojson.Value) *Error {
	if most == 0 || v.Kind() != ojson.NumberKind {
		return nil
	}
	if n, ok := v.Int(); !ok || n > most {
		return Bad(name, "invalid_value",
			"%s is too large: %s. This model supports at most %d completion tokens, whereas you provided %s.", name, v.Text(), most, v.Text())
	}
	return nil
}
