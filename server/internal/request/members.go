package request

import (
	"math"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// requestMembers are the members of a chat completions request.
func requestMembers() []bodyMember {
	tokens := orNull(integer(1, math.MaxInt64))
	return []bodyMember{
		may("model", str()), // a gateway may have it in the path
		need("messages", objects(1, unbounded, message())),
		may("stream", orNull(boolean())),
		may("stream_options", orNull(object(may("include_usage", boolean()), may("include_obfuscation", boolean())))),
		may("max_completion_tokens", tokens),
		may("max_tokens", tokens),
		may("n", orNull(integer(1, maxChoices))),
		may("temperature", orNull(decimal(0, 2))),
		may("top_p", orNull(decimal(0, 1))),
		may("frequency_penalty", orNull(decimal(-2, 2))),
		may("presence_penalty", orNull(decimal(-2, 2))),
		may("logit_bias", orNull(dictionary(unbounded, anyName, integer(-100, 100)))),
		may("logprobs", orNull(boolean())),
		may("top_logprobs", orNull(integer(0, MaxTopLogprobs))),
		may("stop", orNull(textOr("one of a string or array of strings", str(), ojson.ArrayKind, strs(1, 4, str())))),
		may("seed", orNull(integer(math.MinInt64, math.MaxInt64))),
		may("response_format", responseFormat()),
		may("tools", objects(1, 128, tool())),
		may("tool_choice", toolChoice()),
		may("parallel_tool_calls", boolean()),
		may("functions", objects(1, 128, object(functionMembers()...))),
		may("function_call", textOr("one of a string or object", oneOf("none", "auto"), ojson.ObjectKind, object(need("name", str())))),
		may("modalities", orNull(strs(1, unbounded, oneOf("text", "audio")))),
		may("audio", orNull(object(need("voice", textOr("one of a string or object", str(), ojson.ObjectKind, object(need("id", str())))),
			need("format", oneOf("wav", "aac", "mp3", "flac", "opus", "pcm16"))))),
		may("prediction", orNull(variants("type", variant{"content", []bodyMember{need("content", textContent())}}))),
		may("reasoning_effort", orNull(oneOf("none", "minimal", "low", "medium", "high", "xhigh", "max"))),
		may("verbosity", orNull(oneOf("low", "medium", "high"))),
		may("service_tier", orNull(oneOf("auto", "default", "flex", "scale", "priority", "fast"))),
		may("store", orNull(boolean())),
		may("metadata", orNull(dictionary(16, metadataName, strUpTo(512)))),
		may("user", str()),
		may("safety_identifier", orNull(strUpTo(64))),
		may("prompt_cache_key", orNull(str())),
		may("prompt_cache_retention", orNull(oneOf("in_memory", "24h"))),
		may("prompt_cache_options", object(may("mode", oneOf("implicit", "explicit")), may("ttl", oneOf("30m", "12h")))),
		may("moderation", orNull(moderation())),
		may("web_search_options", webSearchOptions()),
	}
}

func anyName(*requestChecker, string, string) {}

func metadataName(c *requestChecker, path, name string) { c.length(path+"."+name, name, 64) }

func moderation() valueCheck {
	side := object(may("mode", oneOf("score", "block")))
	return object(need("model", str()), may("policy", object(may("input", side), may("output", side))))
}

func webSearchOptions() valueCheck {
	place := object(may("country", str()), may("region", str()), may("city", str()), may("timezone", str()))
	return object(
		may("search_context_size", oneOf("low", "medium", "high")),
		may("user_location", orNull(variants("type", variant{"approximate", []bodyMember{need("approximate", place)}}))),
	)
}

// message is one message, by its role. The members of an answer are taken back
// as they came.
func message() valueCheck {
	calls := orNull(objects(1, 128, variants("type",
		variant{"function", []bodyMember{need("id", str()), need("function", object(need("name", str()), need("arguments", str())))}},
		variant{"custom", []bodyMember{need("id", str()), need("custom", object(need("name", str()), need("input", str())))}},
	)))
	return variants("role",
		variant{"system", []bodyMember{need("content", textContent()), may("name", str())}},
		variant{"assistant", []bodyMember{
			may("content", orNull(contentOf(textPart(), refusalPart()))),
			may("refusal", orNull(str())),
			may("name", str()),
			may("audio", orNull(object(need("id", str())))),
			may("tool_calls", calls),
			may("function_call", orNull(object(need("name", str()), need("arguments", str())))),
			may("annotations", orNull(arrayOf("an array of objects", 0, unbounded, anyValue))),
		}},
		variant{"user", []bodyMember{need("content", contentOf(textPart(), imagePart(), audioPart(), filePart())), may("name", str())}},
		variant{"function", []bodyMember{need("content", orNull(str())), need("name", str())}},
		variant{"tool", []bodyMember{need("content", textContent()), need("tool_call_id", str())}},
		variant{"developer", []bodyMember{need("content", textContent()), may("name", str())}},
	)
}

// textContent is a text, or parts that are texts.
func textContent() valueCheck { return contentOf(textPart()) }

// contentOf is a text, or a list of parts of these kinds.
func contentOf(kinds ...variant) valueCheck {
	for i := range kinds {
		kinds[i].members = append(kinds[i].members, may("prompt_cache_breakpoint", object(may("mode", oneOf("explicit")), may("ttl", str()))))
	}
	return textOr("one of a string or array of objects", str(), ojson.ArrayKind, objects(1, unbounded, variants("type", kinds...)))
}

func textPart() variant    { return variant{"text", []bodyMember{need("text", str())}} }
func refusalPart() variant { return variant{"refusal", []bodyMember{need("refusal", str())}} }

func imagePart() variant {
	return variant{"image_url", []bodyMember{need("image_url", object(need("url", str()), may("detail", oneOf("auto", "low", "high", "original"))))}}
}

func audioPart() variant {
	return variant{"input_audio", []bodyMember{need("input_audio", object(need("data", str()), need("format", oneOf("wav", "mp3"))))}}
}

func filePart() variant {
	return variant{"file", []bodyMember{need("file", object(may("filename", str()), may("file_data", str()), may("file_id", str())))}}
}

func functionMembers() []bodyMember {
	return []bodyMember{
		need("name", nameStr()),
		may("description", str()),
		may("parameters", isOf(ojson.ObjectKind, "an object", anyValue)),
	}
}

func tool() valueCheck {
	grammar := object(need("definition", str()), need("syntax", oneOf("lark", "regex")))
	return variants("type",
		variant{"function", []bodyMember{need("function", object(append(functionMembers(), may("strict", orNull(boolean())))...))}},
		variant{"custom", []bodyMember{need("custom", object(
			need("name", nameStr()),
			may("description", str()),
			may("format", variants("type", variant{"text", nil}, variant{"grammar", []bodyMember{need("grammar", grammar)}})),
		))}},
	)
}

func toolChoice() valueCheck {
	named := object(need("name", str()))
	allowed := object(need("mode", oneOf("auto", "required")), need("tools", objects(1, unbounded, anyValue)))
	return textOr("one of a string or object", oneOf("none", "auto", "required"), ojson.ObjectKind, variants("type",
		variant{"function", []bodyMember{need("function", named)}},
		variant{"custom", []bodyMember{need("custom", named)}},
		variant{"allowed_tools", []bodyMember{need("allowed_tools", allowed)}},
	))
}

func responseFormat() valueCheck {
	return variants("type",
		variant{"text", nil},
		variant{"json_object", nil},
		variant{"json_schema", []bodyMember{need("json_schema", object(
			need("name", nameStr()),
			may("description", str()),
			may("schema", isOf(ojson.ObjectKind, "an object", anyValue)),
			may("strict", orNull(boolean())),
		))}},
	)
}
