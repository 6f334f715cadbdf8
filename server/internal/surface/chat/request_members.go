package chat

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

var chatTable = sync.OnceValue(func() *request.Table {
	orNull, may := request.OrNull, request.May
	tokens, str := orNull(request.Integer(1, math.MaxInt64)), orNull(request.Str())
	retention := orNull(request.OneOf("in_memory", "24h"))
	return &request.Table{First: []request.Rule{modelIsNamed}, Older: isModel(notReasoning), Last: requestRules, Members: []request.Member{
		may("model", request.Str()).Seen(), // it may be missing: a gateway can have it in the path
		request.Need("messages", request.Objects(1, request.Unbounded, request.Leniently(message(), seenMessage()))).Seen(),
		may("functions", request.ArrayOf("an array of function definitions", 1, 128, request.Object(functionMembers()...))).Seen(),
		may("function_call", request.TextOr("one of one of 'none' or 'auto' or object", request.OneOf("none", "auto"), ojson.ObjectKind, request.Object(request.Need("name", request.Str())))),
		may("tools", request.Objects(1, 128, request.Leniently(tool(), seenTool()))).Seen(),
		may("tool_choice", toolChoice()),
		may("response_format", request.Leniently(responseFormat(), request.OpenObject(may("json_schema", request.OpenObject()).Seen()))).Seen(),
		may("parallel_tool_calls", request.Boolean()),
		may("max_tokens", tokens).Refused(maxTokens),
		may("max_completion_tokens", tokens).Refused(tooMany),
		may("n", orNull(choices)).Seen(),
		may("stop", stops()).Refused(unsupportedIf(func(f surface.ModelFacts) bool { return f.RefusesStop })),
		may("temperature", orNull(request.Decimal(0, 2))),
		may("top_p", orNull(request.Decimal(0, 1))),
		may("presence_penalty", orNull(request.Decimal(-2, 2))).Refused(penalty),
		may("frequency_penalty", orNull(request.Decimal(-2, 2))).Refused(penalty),
		may("logprobs", orNull(request.Boolean())).Seen(),
		may("top_logprobs", orNull(request.Integer(0, request.MaxTopLogprobs))).Seen().Refused(fewTopLogprobs),
		may("logit_bias", orNull(request.Dictionary("an object", request.Unbounded, request.Unbounded, request.Integer(-100, 100)))).Refused(unsupportedIf(reasons)),
		may("user", request.Str()).Seen(),
		may("seed", orNull(request.Integer(math.MinInt64, math.MaxInt64))),
		may("safety_identifier", orNull(request.StrUpTo(64))),
		may("prompt_cache_options", request.Object(may("mode", request.OneOf("implicit", "explicit")), may("ttl", request.OneOf("30m", "12h")))),
		may("prompt_cache_key", str),
		may("prompt_cache_retention", retention).Refused(cacheRetention),
		may("service_tier", orNull(request.OneOf("auto", "default", "fast", "flex", "priority"))),
		may("stream", orNull(request.Boolean())).Seen(),
		may("stream_options", streamOptions()).Seen(),
		may("store", orNull(request.Boolean())),
		may("metadata", orNull(request.Metadata())),
		may("prediction", orNull(request.Union("type", request.CaseOf("content", request.Need("content", textContent()))))).Refused(unsupportedIf(reasons)),
		may("moderation", orNull(moderation())),
		may("reasoning_effort", orNull(effort)).UnknownIf(isModel(plain)),
		may("verbosity", orNull(request.OneOf("low", "medium", "high"))),
		may("modalities", orNull(request.Strs(1, request.Unbounded, request.OneOf("text", "audio")))).UnknownIf(isModel(reasons)),
		may("audio", orNull(audioOut())).UnknownIf(isModel(reasons)),
		may("web_search_options", webSearchOptions()).Refused(webSearch).UnknownIf(isModel(func(f surface.ModelFacts) bool { return f.Reasoning && !f.Search })),
	}}
})

// choices checks n.
func choices(c *request.Checker, v ojson.Value) {
	most := int64(request.MaxChoices)
	if r := c.Request(); r != nil && surface.ModelNamed(r.Model).Reasoning {
		most = 8
	}
	request.Integer(1, most)(c, v)
}

func stops() request.ValueCheck {
	return request.OrNull(request.TextOr("one of a string or array of strings", request.Str(), ojson.ArrayKind, request.Strs(1, 4, request.Str())))
}

func streamOptions() request.ValueCheck {
	return request.OrNull(request.Object(request.May("include_usage", request.Boolean()).Seen(), request.May("include_obfuscation", request.Boolean()).Seen()))
}

func audioOut() request.ValueCheck {
	voice := request.TextOr("one of a string or object", request.Str(), ojson.ObjectKind, request.Object(request.Need("id", request.Str())))
	return request.Object(request.Need("voice", voice), request.Need("format", request.OneOf("wav", "aac", "mp3", "flac", "opus", "pcm16")))
}

// seenMessage is what scenarios look at in a message of any role, seenTool in a tool.
func seenMessage() request.ValueCheck {
	str := request.Str()
	return request.OpenObject(request.May("role", str).Seen(), request.May("content", request.Contents(expectedContent)).Seen(),
		request.May("tool_call_id", str).Seen(), request.May("name", str).Seen())
}

func seenTool() request.ValueCheck {
	of := request.OpenObject(functionMembers()...)
	return request.OrNull(request.OpenObject(request.May("type", request.Str()).Seen(), request.May("function", of).Seen(), request.May("custom", of).Seen()))
}

func moderation() request.ValueCheck {
	side := request.Object(request.May("mode", request.OneOf("score", "block")))
	return request.Object(request.Need("model", request.Str()), request.May("policy", request.Object(request.May("input", side), request.May("output", side))))
}

func webSearchOptions() request.ValueCheck {
	place := request.Object(request.May("country", request.Str()), request.May("region", request.Str()), request.May("city", request.Str()), request.May("timezone", request.Str()))
	return request.Object(
		request.May("search_context_size", request.OneOf("low", "medium", "high")),
		request.May("user_location", request.OrNull(request.Union("type", request.CaseOf("approximate", request.Need("approximate", place))))),
	)
}

// message checks a message by its role. An assistant message may have all members of an
// answer, since clients send answers back.
func message() request.ValueCheck {
	calls := request.OrNull(request.Objects(1, 128, request.Union("type",
		request.CaseOf("function", request.Need("id", request.Str()), request.Need("function", request.Object(request.Need("name", request.Str()), request.Need("arguments", request.Str())))),
		request.CaseOf("custom", request.Need("id", request.Str()), request.Need("custom", request.Object(request.Need("name", request.Str()), request.Need("input", request.Str())))),
	)))
	list := []request.UnionCase{
		request.CaseOf("system", content(textContent()), request.May("name", request.Str())),
		request.CaseOf("assistant",
			request.May("content", request.OrNull(contentOf(textPart(), request.CaseOf("refusal", request.Need("refusal", request.Str()))))),
			request.May("refusal", request.OrNull(request.Str())),
			request.May("name", request.Str()),
			request.May("audio", request.OrNull(request.Object(request.Need("id", request.Str())))),
			request.May("tool_calls", calls),
			request.May("function_call", request.OrNull(request.Object(request.Need("name", request.Str()), request.Need("arguments", request.Str())))),
			request.May("annotations", request.OrNull(request.ArrayOf("an array of objects", 0, request.Unbounded, request.AnyValue))),
		),
		request.CaseOf("user", content(contentOf(textPart(), imagePart(), audioPart(), filePart())), request.May("name", request.Str())),
		request.CaseOf("function", request.Need("content", request.OrNull(request.Str())), request.Need("name", request.Str())),
		request.CaseOf("tool", content(textContent()), request.Need("tool_call_id", request.Str())),
		request.CaseOf("developer", request.Need("content", textContent()), request.May("name", request.Str())),
	}
	for i := range list { // what only assistants say counts for nothing elsewhere
		for _, name := range []string{"refusal", "audio", "tool_calls", "function_call"} {
			if list[i].Value != "assistant" {
				list[i].Members = append(list[i].Members, request.May(name, request.AnyValue))
			}
		}
	}
	return request.Union("role", list...)
}

// content is the content of a message. The service sees last of all that there is none: see somethingIsSaid.
func content(check request.ValueCheck) request.Member {
	return request.May("content", request.OrNull(check))
}

func textContent() request.ValueCheck { return contentOf(textPart()) }

const expectedContent = "one of a string or array of objects"

// contentOf accepts a text, or a list of parts of these kinds.
func contentOf(kinds ...request.UnionCase) request.ValueCheck {
	for i := range kinds {
		kinds[i].Members = append(kinds[i].Members, request.May("prompt_cache_breakpoint", request.Object(request.May("mode", request.OneOf("explicit")), request.May("ttl", request.Str()))))
	}
	return request.TextOr(expectedContent, request.Str(), ojson.ArrayKind, request.Objects(1, request.Unbounded, request.Union("type", kinds...)))
}

func textPart() request.UnionCase {
	return request.CaseOf("text", request.Need("text", request.Str()))
}

func imagePart() request.UnionCase {
	return request.CaseOf("image_url", request.Need("image_url", request.Object(request.Need("url", request.Str()), request.May("detail", request.OneOf("auto", "low", "high", "original")))))
}

func audioPart() request.UnionCase {
	return request.CaseOf("input_audio", request.Need("input_audio", request.Object(request.Need("data", request.Str()), request.Need("format", request.OneOf("wav", "mp3")))))
}

func filePart() request.UnionCase {
	return request.CaseOf("file", request.Need("file", request.Object(request.May("filename", request.Str()), request.May("file_data", request.Str()), request.May("file_id", request.Str()))))
}

func functionMembers() []request.Member {
	return []request.Member{
		request.Need("name", request.NameStr()).Seen(),
		request.May("description", request.Str()),
		request.May("parameters", request.OpenObject()).Seen(),
	}
}

func tool() request.ValueCheck {
	grammar := request.Object(request.Need("definition", request.Str()), request.Need("syntax", request.OneOf("lark", "regex")))
	return request.Union("type",
		request.CaseOf("function", request.Need("function", request.Object(append(functionMembers(), request.May("strict", request.OrNull(request.Boolean())))...))),
		request.CaseOf("custom", request.Need("custom", request.Object(
			request.Need("name", request.NameStr()),
			request.May("description", request.Str()),
			request.May("format", request.Union("type", request.CaseOf("text"), request.CaseOf("grammar", request.Need("grammar", grammar)))),
		))),
	)
}

func toolChoice() request.ValueCheck {
	named := request.Object(request.Need("name", request.Str()))
	allowed := request.Object(request.Need("mode", request.OneOf("auto", "required")), request.Need("tools", request.Objects(1, request.Unbounded, request.AnyValue)))
	kind := request.May("type", request.Str())
	return request.TextOr("one of one of 'none', 'auto', or 'required' or object", request.OneOf("none", "auto", "required"), ojson.ObjectKind, func(c *request.Checker, v ojson.Value) {
		switch v.Get("type").Text() {
		case "custom":
			request.Object(kind, request.Need("custom", named))(c, v)
		case "allowed_tools":
			request.Object(kind, request.Need("allowed_tools", allowed))(c, v)
		default:
			request.Object(kind, request.Need("function", named))(c, v)
		}
	})
}

func responseFormat() request.ValueCheck {
	return request.Union("type",
		request.CaseOf("json_object"),
		request.CaseOf("json_schema", request.Need("json_schema", request.Object(
			request.Need("name", request.NameStr()),
			request.May("description", request.Str()),
			request.May("schema", request.IsOf(ojson.ObjectKind, "an object", request.AnyValue)),
			request.May("strict", request.OrNull(request.Boolean())),
		))),
		request.CaseOf("text"),
	)
}

// What depends on the model. An unknown model accepts everything.

func isModel(of func(surface.ModelFacts) bool) func(*scenarios.Request) bool {
	return func(r *scenarios.Request) bool { return of(surface.ModelNamed(r.Model)) }
}

func reasons(f surface.ModelFacts) bool      { return f.Reasoning }
func notReasoning(f surface.ModelFacts) bool { return !f.Reasoning }
func plain(f surface.ModelFacts) bool        { return f.Plain }

// unsupportedIf returns the rule that some models refuse a member.
func unsupportedIf(of func(surface.ModelFacts) bool) func(*scenarios.Request, string) *request.Error {
	return func(r *scenarios.Request, name string) *request.Error {
		if !of(surface.ModelNamed(r.Model)) {
			return nil
		}
		return unsupportedParameter(name, "")
	}
}

func unsupportedParameter(name, hint string) *request.Error {
	return request.Bad(name, "unsupported_parameter", "Unsupported parameter: '%s' is not supported with this model.%s", name, hint)
}

// reasonsFor reports whether the model reasons before it answers the request.
func reasonsFor(r *scenarios.Request) bool {
	facts := surface.ModelNamed(r.Model)
	return facts.Reasoning && cmp.Or(r.Body.Get("reasoning_effort").Text(), facts.Effort) != "none"
}

// penalty refuses a penalty while the model reasons; 0 is none.
func penalty(r *scenarios.Request, name string) *request.Error {
	if !reasonsFor(r) || ojson.SameNumber(r.Body.Get(name).Text(), "0") {
		return nil
	}
	return unsupportedParameter(name, "")
}

func maxTokens(r *scenarios.Request, name string) *request.Error {
	if surface.ModelNamed(r.Model).Reasoning {
		return unsupportedParameter(name, " Use 'max_completion_tokens' instead.")
	}
	return tooMany(r, name)
}

// tooMany refuses a number of tokens above that of the model.
func tooMany(r *scenarios.Request, name string) *request.Error {
	facts, v := surface.ModelNamed(r.Model), r.Body.Get(name)
	n, fits := v.Int()
	if !facts.Plain || facts.MaxTokens == 0 || !v.IsInteger() || fits && n <= facts.MaxTokens {
		return nil
	}
	return request.Bad(name, "invalid_value", "%s is too large: %s. This model supports at most %d completion tokens, whereas you provided %s.",
		name, v.Text(), facts.MaxTokens, v.Text())
}

func webSearch(r *scenarios.Request, name string) *request.Error {
	if facts := surface.ModelNamed(r.Model); !facts.Plain || facts.Search {
		return nil
	}
	return request.Bad(name, "", "Web search options not supported with this model.")
}

func fewTopLogprobs(r *scenarios.Request, name string) *request.Error {
	n, fits := r.Body.Get(name).Int()
	if !surface.ModelNamed(r.Model).Reasoning || !fits || n <= maxLogprobs {
		return nil
	}
	return request.Bad(name, "", "Invalid value for 'top_logprobs': must be less than or equal to %d.", maxLogprobs)
}

func cacheRetention(r *scenarios.Request, name string) *request.Error {
	switch given := r.Body.Get(name).Text(); {
	case !surface.ModelNamed(r.Model).Reasoning || given == "24h":
		return nil
	case given == "in_memory":
		return request.Bad(name, "", surface.OnlyExtendedCaching)
	}
	return request.Bad(name, "", "Invalid prompt_cache_retention argument")
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
