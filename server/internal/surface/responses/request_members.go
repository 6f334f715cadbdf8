package responses

import (
	"math"
	"slices"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
)

// requestMembers are the members of a request's body.
var requestMembers = sync.OnceValue(func() []request.Member {
	orNull, object := request.OrNull, request.IsOf(ojson.ObjectKind, "an object", request.AnyValue)
	return []request.Member{
		request.May("model", orNull(request.Str())),
		request.May("input", orNull(request.TextOr("one of a string or array of objects", request.Str(), ojson.ArrayKind, request.Objects(0, request.Unbounded, inputItem)))),
		request.May("instructions", orNull(request.Str())),
		request.May("stream", orNull(request.Boolean())),
		request.May("stream_options", orNull(request.Object(request.May("include_obfuscation", request.Boolean())))),
		request.May("previous_response_id", orNull(request.Str())),
		request.May("conversation", orNull(request.TextOr("one of a string or object", request.Str(), ojson.ObjectKind, object))),
		request.May("store", orNull(request.Boolean())),
		request.May("background", orNull(request.Boolean())),
		request.May("include", orNull(request.Strs(0, request.Unbounded, request.OneOf(included...)))),
		request.May("tools", orNull(request.Objects(0, request.Unbounded, tool))),
		request.May("tool_choice", orNull(request.TextOr("one of a string or object", request.OneOf("none", "auto", "required"), ojson.ObjectKind, object))),
		request.May("parallel_tool_calls", orNull(request.Boolean())),
		request.May("max_tool_calls", orNull(request.Integer(1, math.MaxInt64))),
		request.May("max_output_tokens", orNull(request.Integer(16, math.MaxInt64))),
		request.May("temperature", orNull(request.Decimal(0, 2))),
		request.May("top_p", orNull(request.Decimal(0, 1))),
		request.May("top_logprobs", orNull(request.Integer(0, request.MaxTopLogprobs))),
		request.May("reasoning", orNull(reasoning())),
		request.May("text", orNull(request.Object(request.May("format", orNull(format())), request.May("verbosity", orNull(request.OneOf("low", "medium", "high")))))),
		request.May("truncation", orNull(request.OneOf("auto", "disabled"))),
		request.May("metadata", orNull(request.Dictionary(16, 64, request.StrUpTo(512)))),
		request.May("service_tier", orNull(request.OneOf("auto", "default", "flex", "scale", "priority", "fast", "ultrafast"))),
		request.May("prompt", orNull(object)),
		request.May("prompt_cache_key", orNull(request.StrUpTo(64))),
		request.May("prompt_cache_retention", orNull(request.OneOf("in_memory", "24h"))),
		request.May("prompt_cache_options", orNull(object)),
		request.May("safety_identifier", orNull(request.StrUpTo(128))),
		request.May("user", orNull(request.Str())),
		request.May("context_management", orNull(request.Objects(0, request.Unbounded, object))),
		request.May("moderation", orNull(object)),
		request.May("access_programs", request.AnyValue),
		request.May("image", request.AnyValue),
	}
})

// includeLogprobs is the value of include that asks for log-probabilities.
const includeLogprobs = "message.output_text.logprobs"

// CheckInclude returns the error for an unknown value of include; nil for a known one.
func CheckInclude(name string) *request.Error {
	if slices.Contains(included, name) {
		return nil
	}
	return request.NotOneOf("include", name, included)
}

// included are the values of include.
var included = []string{
	"file_search_call.results", "web_search_call.results", "web_search_call.action.sources", "message.input_image.image_url",
	"computer_call_output.output.image_url", "code_interpreter_call.outputs", "reasoning.encrypted_content", includeLogprobs,
}

func reasoning() request.ValueCheck {
	summary := request.OrNull(request.OneOf("auto", "concise", "detailed"))
	return request.Object(
		request.May("effort", request.OrNull(request.OneOf("none", "minimal", "low", "medium", "high", "xhigh", "max"))),
		request.May("summary", summary), request.May("generate_summary", summary),
		request.May("mode", request.OrNull(request.OneOf("standard", "pro"))),
		request.May("context", request.OrNull(request.OneOf("auto", "current_turn", "all_turns"))),
	)
}

func format() request.ValueCheck {
	return request.Union("type",
		request.CaseOf("text"),
		request.CaseOf("json_object"),
		request.CaseOf("json_schema",
			request.Need("name", request.NameStr()),
			request.Need("schema", request.IsOf(ojson.ObjectKind, "an object", request.AnyValue)),
			request.May("description", request.OrNull(request.Str())),
			request.May("strict", request.OrNull(request.Boolean())),
		),
	)
}

// tool checks a tool. Its type stands beside its other members.
func tool(c *request.Checker, path string, v ojson.Value) { tools()(c, path, v) }

// tools are the checks of tools, by their types. Of tools that are neither functions nor custom only
// required members are checked.
var tools = sync.OnceValue(func() request.ValueCheck {
	need, size := request.Need, request.Integer(1, math.MaxInt64)
	webSearch := request.OpenObject(request.May("search_context_size", request.OrNull(request.OneOf("low", "medium", "high"))))
	return request.ByType(map[string]request.ValueCheck{
		typeOfFunctions: function, "custom": customTool,
		"web_search": webSearch, "web_search_2025_08_26": webSearch, "web_search_preview": webSearch, "web_search_preview_2025_03_11": webSearch,
		"file_search": request.OpenObject(need("vector_store_ids", request.Strs(0, request.Unbounded, request.Str())),
			request.May("max_num_results", request.OrNull(request.Integer(1, 50)))),
		"code_interpreter": request.OpenObject(need("container", request.TextOr("one of a string or object", request.Str(), ojson.ObjectKind, anObject))),
		"image_generation": request.OpenObject(request.May("partial_images", request.OrNull(request.Integer(0, 3))),
			request.May("output_compression", request.OrNull(request.Integer(0, 100)))),
		"mcp": request.OpenObject(need("server_label", request.Str())), "computer": anObject,
		"computer_use_preview": request.OpenObject(need("environment", request.Str()), need("display_width", size), need("display_height", size)),
		"local_shell":          anObject, "shell": anObject, "apply_patch": anObject, "tool_search": anObject, "programmatic_tool_calling": anObject,
		"namespace": request.OpenObject(need("name", request.NameStr()), need("tools", anArray)),
	})
})

var function = request.Union("type", request.CaseOf(typeOfFunctions,
	request.Need("name", request.NameStr()),
	request.May("description", request.OrNull(request.Str())),
	request.May("parameters", request.OrNull(request.IsOf(ojson.ObjectKind, "an object", request.AnyValue))),
	request.May("strict", request.OrNull(request.Boolean())),
	request.May("defer_loading", request.OrNull(request.Boolean())),
	request.May("async", request.OrNull(request.Boolean())),
))

var customTool = request.Union("type", request.CaseOf("custom",
	request.Need("name", request.NameStr()),
	request.May("description", request.OrNull(request.Str())),
	request.May("format", request.OrNull(request.Union("type", request.CaseOf("text"),
		request.CaseOf("grammar", request.Need("syntax", request.OneOf("lark", "regex")), request.Need("definition", request.Str()))))),
	request.May("defer_loading", request.OrNull(request.Boolean())),
))
