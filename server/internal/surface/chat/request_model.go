package chat

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// What depends on the model. An unknown model accepts everything.

func isModel(of func(surface.ModelFacts) bool) func(*scenarios.Request) bool {
	return func(r *scenarios.Request) bool { return of(surface.ModelNamed(r.Model)) }
}

func reasons(f surface.ModelFacts) bool      { return f.Reasoning }
func notReasoning(f surface.ModelFacts) bool { return !f.Reasoning }
func plain(f surface.ModelFacts) bool        { return f.Plain }

// refusedIf returns the rule that some models refuse a member.
func refusedIf(name string, of func(surface.ModelFacts) bool) request.Rule {
	return func(r *scenarios.Request) *request.Error {
		if !of(surface.ModelNamed(r.Model)) {
			return nil
		}
		return unsupportedParameter(name, "")
	}
}

func unsupportedParameter(name, hint string) *request.Error {
	return request.Bad(name, "unsupported_parameter", "Unsupported parameter: '%s' is not supported with this model.%s", name, hint)
}

// whileReasoning returns the rule that a model refuses a member if it reasons for the request.
func whileReasoning(name string) request.Rule {
	return func(r *scenarios.Request) *request.Error {
		if !reasonsFor(r) {
			return nil
		}
		return unsupportedParameter(name, "")
	}
}

// reasonsFor reports whether the model reasons before it answers the request.
func reasonsFor(r *scenarios.Request) bool {
	facts := surface.ModelNamed(r.Model)
	return facts.Reasoning && cmp.Or(r.Body.Get("reasoning_effort").Text(), facts.Effort) != "none"
}

func maxTokens(r *scenarios.Request) *request.Error {
	if surface.ModelNamed(r.Model).Reasoning {
		return unsupportedParameter("max_tokens", " Use 'max_completion_tokens' instead.")
	}
	return tooMany("max_tokens")(r)
}

// tooMany returns the rule that a number of tokens is at most that of the model.
func tooMany(name string) request.Rule {
	return func(r *scenarios.Request) *request.Error {
		facts, v := surface.ModelNamed(r.Model), r.Body.Get(name)
		n, fits := v.Int()
		if !facts.Plain || facts.MaxTokens == 0 || !v.IsInteger() || fits && n <= facts.MaxTokens {
			return nil
		}
		return request.Bad(name, "invalid_value", "%s is too large: %s. This model supports at most %d completion tokens, whereas you provided %s.",
			name, v.Text(), facts.MaxTokens, v.Text())
	}
}

func webSearch(r *scenarios.Request) *request.Error {
	if facts := surface.ModelNamed(r.Model); !facts.Plain || facts.Search {
		return nil
	}
	return request.Bad("web_search_options", "", "Web search options not supported with this model.")
}

func fewTopLogprobs(r *scenarios.Request) *request.Error {
	n, fits := r.Body.Get("top_logprobs").Int()
	if !surface.ModelNamed(r.Model).Reasoning || !fits || n <= maxLogprobs {
		return nil
	}
	return request.Bad("top_logprobs", "", "Invalid value for 'top_logprobs': must be less than or equal to %d.", maxLogprobs)
}

func cacheRetention(r *scenarios.Request) *request.Error {
	switch given := r.Body.Get("prompt_cache_retention").Text(); {
	case !surface.ModelNamed(r.Model).Reasoning || given == "24h":
		return nil
	case given == "in_memory":
		return request.Bad("prompt_cache_retention", "", surface.OnlyExtendedCaching)
	}
	return request.Bad("prompt_cache_retention", "", "Invalid prompt_cache_retention argument")
}

// effort checks reasoning_effort. If the efforts of the model are known, values of other types are shown as Python does.
func effort(c *request.Checker, v ojson.Value) {
	efforts := strings.Fields(surface.ModelNamed(c.Request().Model).Efforts)
	if len(efforts) == 0 {
		request.OneOf("none", "minimal", "low", "medium", "high", "xhigh", "max")(c, v)
		return
	}
	// Chat completions do not have the greatest effort.
	efforts = slices.DeleteFunc(efforts, func(e string) bool { return e == "max" })
	if v.Kind() != ojson.StringKind || !slices.Contains(efforts, v.Text()) {
		c.Fail("unsupported_value", "Unsupported value: 'reasoning_effort' does not support %s with this model. Supported values are: %s.",
			strings.ReplaceAll(string(ojson.Style{Spaces: true}.Append(nil, v)), `"`, "'"), request.Enumerate(efforts))
	}
}

// modelTakesValues refuses what models that reason refuse last: values other than the default, log-probabilities, and messages of
// the system.
func modelTakesValues(r *scenarios.Request) *request.Error {
	if reasonsFor(r) {
		for _, name := range []string{"temperature", "top_p"} {
			if v := r.Body.Get(name); !v.IsNullOrAbsent() && !ojson.SameNumber(v.Text(), "1") {
				return request.Bad(name, "unsupported_value",
					"Unsupported value: '%s' does not support %s with this model. Only the default (1) value is supported.", name, v.Text())
			}
		}
		for _, name := range []string{"logprobs", "top_logprobs"} {
			if v := r.Body.Get(name); !v.IsNullOrAbsent() && v.Text() != "false" {
				return unsupportedParameter(name, "")
			}
		}
	}
	if !surface.ModelNamed(r.Model).RefusesSystem {
		return nil
	}
	for i, m := range r.Messages {
		if m.Role == "system" || m.Role == "developer" {
			path := "messages[" + strconv.Itoa(i) + "].role"
			return request.Bad(path, "unsupported_value", "Unsupported value: '%s' does not support '%s' with this model.", path, m.Role)
		}
	}
	return nil
}
