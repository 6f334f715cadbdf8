package chat

import (
	"math"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
)

// commonMembers are the members that requests of both APIs can have.
func commonMembers() []request.Member {
	options := request.Object(request.May("include_usage", request.Boolean()), request.May("include_obfuscation", request.Boolean()))
	return []request.Member{
		request.May("model", request.Str()), // it may be missing: a gateway can have it in the path
		request.May("stream", request.OrNull(request.Boolean())),
		request.May("stream_options", request.OrNull(options)),
		request.May("n", request.OrNull(request.Integer(1, request.MaxChoices))),
		request.May("temperature", request.OrNull(request.Decimal(0, 2))),
		request.May("top_p", request.OrNull(request.Decimal(0, 1))),
		request.May("frequency_penalty", request.OrNull(request.Decimal(-2, 2))),
		request.May("presence_penalty", request.OrNull(request.Decimal(-2, 2))),
		request.May("stop", request.OrNull(request.TextOr("one of a string or array of strings", request.Str(), ojson.ArrayKind, request.Strs(1, 4, request.Str())))),
		request.May("seed", request.OrNull(request.Integer(math.MinInt64, math.MaxInt64))),
		request.May("user", request.Str()),
	}
}

// requestMembers are the members of a chat completions request.
var requestMembers = sync.OnceValue(func() []request.Member {
	tokens := request.OrNull(request.Integer(1, math.MaxInt64))
	return append(commonMembers(),
		request.Need("messages", request.Objects(1, request.Unbounded, message())),
		request.May("max_completion_tokens", tokens),
		request.May("max_tokens", tokens),
		request.May("logit_bias", request.OrNull(request.Dictionary(request.Unbounded, request.Unbounded, request.Integer(-100, 100)))),
		request.May("logprobs", request.OrNull(request.Boolean())),
		request.May("top_logprobs", request.OrNull(request.Integer(0, request.MaxTopLogprobs))),
		request.May("response_format", responseFormat()),
		request.May("tools", request.Objects(1, 128, tool())),
		request.May("tool_choice", toolChoice()),
		request.May("parallel_tool_calls", request.Boolean()),
		request.May("functions", request.Objects(1, 128, request.Object(functionMembers()...))),
		request.May("function_call", request.TextOr("one of a string or object", request.OneOf("none", "auto"), ojson.ObjectKind, request.Object(request.Need("name", request.Str())))),
		request.May("modalities", request.OrNull(request.Strs(1, request.Unbounded, request.OneOf("text", "audio")))),
		request.May("audio", request.OrNull(request.Object(request.Need("voice", request.TextOr("one of a string or object", request.Str(), ojson.ObjectKind, request.Object(request.Need("id", request.Str())))),
			request.Need("format", request.OneOf("wav", "aac", "mp3", "flac", "opus", "pcm16"))))),
		request.May("prediction", request.OrNull(request.Union("type", request.CaseOf("content", request.Need("content", textContent()))))),
		request.May("reasoning_effort", request.OrNull(request.OneOf("none", "minimal", "low", "medium", "high", "xhigh", "max"))),
		request.May("verbosity", request.OrNull(request.OneOf("low", "medium", "high"))),
		request.May("service_tier", request.OrNull(request.OneOf("auto", "default", "flex", "scale", "priority", "fast"))),
		request.May("store", request.OrNull(request.Boolean())),
		request.May("metadata", request.OrNull(request.Dictionary(16, 64, request.StrUpTo(512)))),
		request.May("safety_identifier", request.OrNull(request.StrUpTo(64))),
		request.May("prompt_cache_key", request.OrNull(request.Str())),
		request.May("prompt_cache_retention", request.OrNull(request.OneOf("in_memory", "24h"))),
		request.May("prompt_cache_options", request.Object(request.May("mode", request.OneOf("implicit", "explicit")), request.May("ttl", request.OneOf("30m", "12h")))),
		request.May("moderation", request.OrNull(moderation())),
		request.May("web_search_options", webSearchOptions()),
	)
})

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
	return request.Union("role",
		request.CaseOf("system", request.Need("content", textContent()), request.May("name", request.Str())),
		request.CaseOf("assistant",
			request.May("content", request.OrNull(contentOf(textPart(), refusalPart()))),
			request.May("refusal", request.OrNull(request.Str())),
			request.May("name", request.Str()),
			request.May("audio", request.OrNull(request.Object(request.Need("id", request.Str())))),
			request.May("tool_calls", calls),
			request.May("function_call", request.OrNull(request.Object(request.Need("name", request.Str()), request.Need("arguments", request.Str())))),
			request.May("annotations", request.OrNull(request.ArrayOf("an array of objects", 0, request.Unbounded, request.AnyValue))),
		),
		request.CaseOf("user", request.Need("content", contentOf(textPart(), imagePart(), audioPart(), filePart())), request.May("name", request.Str())),
		request.CaseOf("function", request.Need("content", request.OrNull(request.Str())), request.Need("name", request.Str())),
		request.CaseOf("tool", request.Need("content", textContent()), request.Need("tool_call_id", request.Str())),
		request.CaseOf("developer", request.Need("content", textContent()), request.May("name", request.Str())),
	)
}

// textContent accepts a text, or parts of type text.
func textContent() request.ValueCheck { return contentOf(textPart()) }

// contentOf accepts a text, or a list of parts of these kinds.
func contentOf(kinds ...request.UnionCase) request.ValueCheck {
	for i := range kinds {
		kinds[i].Members = append(kinds[i].Members, request.May("prompt_cache_breakpoint", request.Object(request.May("mode", request.OneOf("explicit")), request.May("ttl", request.Str()))))
	}
	return request.TextOr("one of a string or array of objects", request.Str(), ojson.ArrayKind, request.Objects(1, request.Unbounded, request.Union("type", kinds...)))
}

func textPart() request.UnionCase {
	return request.CaseOf("text", request.Need("text", request.Str()))
}
func refusalPart() request.UnionCase {
	return request.CaseOf("refusal", request.Need("refusal", request.Str()))
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
		request.Need("name", request.NameStr()),
		request.May("description", request.Str()),
		request.May("parameters", request.IsOf(ojson.ObjectKind, "an object", request.AnyValue)),
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
	return request.TextOr("one of a string or object", request.OneOf("none", "auto", "required"), ojson.ObjectKind, request.Union("type",
		request.CaseOf("function", request.Need("function", named)),
		request.CaseOf("custom", request.Need("custom", named)),
		request.CaseOf("allowed_tools", request.Need("allowed_tools", allowed)),
	))
}

func responseFormat() request.ValueCheck {
	return request.Union("type",
		request.CaseOf("text"),
		request.CaseOf("json_object"),
		request.CaseOf("json_schema", request.Need("json_schema", request.Object(
			request.Need("name", request.NameStr()),
			request.May("description", request.Str()),
			request.May("schema", request.IsOf(ojson.ObjectKind, "an object", request.AnyValue)),
			request.May("strict", request.OrNull(request.Boolean())),
		))),
	)
}
