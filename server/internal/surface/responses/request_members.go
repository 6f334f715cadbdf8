package responses

import (
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

const expectedTools = "an array of tools"

// table has the members of a request's body.
var table = sync.OnceValue(func() *request.Table {
	orNull, may, str := request.OrNull, request.May, request.OrNull(request.Str())
	boolean, object := orNull(request.Boolean()), orNull(anObject)
	items := request.ArrayOf("", 0, request.Unbounded, request.Leniently(inputItem, seenItem))
	instructions := func(c *request.Checker, v ojson.Value) {
		if v.Kind() != ojson.ObjectKind {
			request.Contents(expectedContent)(c, v)
		}
	}
	cacheOptions := request.Object(may("mode", request.OneOf("implicit", "explicit")), may("ttl", request.OneOf("30m", "12h")),
		may("prewarm", request.Boolean()), may("comparison_response_id", str))
	return &request.Table{First: []request.Rule{modelIsNamed, inputIsThere}, Last: requestRules, Moved: moved, Members: []request.Member{
		may("model", request.Str()).Seen(),
		may("input", noNull(request.TextOr("one of a string or array of input items", request.Str(), ojson.ArrayKind, items))).Seen(),
		may("moderation", object),
		may("include", orNull(request.Leniently(request.EachOneOf(included...), request.Strs(0, request.Unbounded, request.AnyValue)))).Seen(),
		may("tools", orNull(request.Leniently(request.ArrayOf(expectedTools, 0, request.Unbounded, tool), seenTools))).Seen(),
		may("tool_choice", orNull(toolChoice)),
		may("metadata", orNull(request.Metadata())),
		may("text", orNull(request.Object(may("format", orNull(request.Leniently(format(), request.OpenObject(may("schema", anObject).Seen())))).Seen(),
			may("verbosity", orNull(request.OneOf("low", "medium", "high")))))).Seen(),
		may("temperature", orNull(request.Decimal(0, 2))),
		may("top_p", orNull(request.Decimal(0, 1))),
		may("presence_penalty", orNull(request.Decimal(-2, 2))),
		may("frequency_penalty", orNull(request.Decimal(-2, 2))),
		may("parallel_tool_calls", boolean),
		may("stream", boolean).Seen(),
		may("stream_options", orNull(request.Object(may("include_obfuscation", request.Boolean()).Seen()))).Seen(),
		may("background", boolean).Seen(),
		may("background_options", orNull(request.Object(may("completion_window", request.OneOf("soonest", "2h", "8h")), may("continuation_id", request.Str())))),
		may("max_output_tokens", orNull(request.Integer(16, math.MaxInt64))),
		may("max_tool_calls", orNull(request.Integer(1, math.MaxInt64))),
		may("reasoning", orNull(reasoning())),
		may("user", str).Seen(),
		may("safety_identifier", orNull(request.StrUpTo(128))),
		may("prompt_cache_options", orNull(cacheOptions)),
		may("prompt_cache_key", orNull(request.StrUpTo(64))),
		may("prompt_cache_retention", orNull(request.OneOf("in_memory", "24h"))).Refused(cacheRetention),
		may("truncation", orNull(request.OneOf("auto", "disabled"))),
		may("instructions", orNull(request.Leniently(request.Str(), instructions))).Seen(),
		may("store", boolean).Seen(),
		may("service_tier", orNull(request.OneOf("auto", "default", "fast", "flex", "priority"))),
		may("top_logprobs", orNull(request.Integer(0, request.MaxTopLogprobs))).Seen(),
		may("context_management", orNull(request.Objects(0, request.Unbounded, anObject))),
		may("previous_response_id", str).Seen(),
		may("conversation", orNull(request.TextOr("one of a string or object", request.Str(), ojson.ObjectKind, request.OpenObject(may("id", request.Str()).Seen())))).Seen(),
		may("prompt", object),
		may("access_programs", request.AnyValue),
		may("image", request.AnyValue),
	}}
})

// moved says where the members of chat completions are to be found.
var moved = map[string]string{
	"messages": "input", "response_format": "text.format", "max_completion_tokens": "max_output_tokens", "reasoning_effort": "reasoning.effort",
}

// noNull calls null an object, as the service does for this member.
func noNull(check request.ValueCheck) request.ValueCheck {
	return func(c *request.Checker, v ojson.Value) {
		if v.IsNull() {
			c.FailType("a string", ojson.Object())
		}
		check(c, v)
	}
}

func toolChoice(c *request.Checker, v ojson.Value) {
	named := anObject
	if kind := v.Get("type").Text(); kind == typeOfFunctions || kind == "custom" {
		named = request.OpenObject(request.Need("name", request.Str()))
	}
	request.TextOr("one of an object or 'none', 'auto', or 'required'", request.OneOf("none", "auto", "required"), ojson.ObjectKind, named)(c, v)
}

// includeLogprobs is the value of include that asks for log-probabilities.
const includeLogprobs = "message.output_text.logprobs"

// CheckInclude returns the error for an unknown value of include; nil for a known one.
func CheckInclude(name string) *request.Error {
	return request.CheckValue("include", ojson.String(name), request.OneOf(included...))
}

// included are the values of include.
var included = []string{
	"file_search_call.results", "web_search_call.results", "web_search_call.action.sources", "message.input_image.image_url",
	"computer_call_output.output.image_url", "code_interpreter_call.outputs", "reasoning.encrypted_content", includeLogprobs,
}

// allEfforts are the efforts that models can be told, but not all models.
var allEfforts = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}

func reasoning() request.ValueCheck {
	return request.Object(
		request.May("effort", request.OrNull(effort)),
		request.May("summary", request.OrNull(request.OneOf("concise", "detailed", "auto"))),
		request.May("mode", request.OrNull(request.OneOf("standard", "pro"))),
		request.May("context", request.OrNull(request.OneOf("auto", "current_turn", "all_turns"))),
	)
}

// effort has words of its own for numbers.
func effort(c *request.Checker, v ojson.Value) {
	any := request.OneOf(allEfforts...)
	number := request.OneOf("minimal", "low", "medium", "high")
	efforts := strings.Fields(surface.ModelNamed(c.Request().Model).Efforts)
	switch {
	case v.Kind() == ojson.NumberKind:
		number(c, v)
	case v.Kind() != ojson.StringKind:
		c.FailType("one of one of "+request.Alternatives(allEfforts)+" or integer", v)
	case len(efforts) > 0 && slices.Contains(allEfforts, v.Text()) && !slices.Contains(efforts, v.Text()):
		c.Fail("unsupported_value", "Unsupported value: '%s' is not supported with the '%s' model. Supported values are: %s.",
			v.Text(), c.Request().Model, request.Enumerate(efforts))
	default:
		any(c, v)
	}
}

func format() request.ValueCheck {
	return request.Union("type",
		request.CaseOf("json_object"),
		request.CaseOf("text"),
		request.CaseOf("json_schema",
			request.Need("name", request.NameStr()),
			request.Need("schema", request.IsOf(ojson.ObjectKind, "an object", request.AnyValue)),
			request.May("description", request.OrNull(request.Str())),
			request.May("strict", request.OrNull(request.Boolean())),
		),
	)
}

// tool checks a tool. Its type stands beside its other members.
func tool(c *request.Checker, v ojson.Value) { tools()(c, v) }

// tools are the checks of tools, by their types. Of tools that are neither functions nor custom only
// required members are checked.
var tools = sync.OnceValue(func() request.ValueCheck {
	need, size := request.Need, request.Integer(1, math.MaxInt64)
	webSearch := request.OpenObject(request.May("search_context_size", request.OrNull(request.OneOf("low", "medium", "high"))))
	return request.ByType("an object", map[string]request.ValueCheck{
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
	request.May("output_schema", request.OrNull(request.IsOf(ojson.ObjectKind, "an object", request.AnyValue))),
	request.May("defer_loading", request.OrNull(request.Boolean())),
	request.May("async", request.OrNull(request.Boolean())),
	request.May("allowed_callers", allowedCallers),
))

// allowedCallers is what may call a function or a custom tool: the model, or a program that it writes.
var allowedCallers = request.OrNull(request.ArrayOf("an array of one of 'direct' or 'programmatic'", 0, request.Unbounded, request.OneOf("direct", "programmatic")))

var customTool = request.Later(func() request.ValueCheck {
	return request.Union("type", request.CaseOf("custom",
		request.Need("name", request.NameStr()),
		request.May("description", request.OrNull(request.Str())),
		request.May("format", request.OrNull(request.Union("type", request.CaseOf("text"),
			request.CaseOf("grammar", request.Need("syntax", request.OneOf("lark", "regex")), request.Need("definition", request.Str()))))),
		request.May("defer_loading", request.OrNull(request.Boolean())),
		request.May("async", request.OrNull(request.Boolean())),
		request.May("allowed_callers", allowedCallers),
	))
})
