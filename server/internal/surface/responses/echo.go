package responses

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/model"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// echoes are the members of the response object that repeat the request, with the defaults of
// the real service, in the order of recordings.
var echoes = []echoed{
	{"background", echo("background", ojson.Bool(false))},
	{"frequency_penalty", echo("frequency_penalty", ojson.Number("0.0"))},
	{"instructions", echo("instructions", ojson.Null())},
	{"max_output_tokens", echo("max_output_tokens", ojson.Null())},
	{"max_tool_calls", echo("max_tool_calls", ojson.Null())},
	{"moderation", echo("moderation", ojson.Null())},
	{"parallel_tool_calls", echo("parallel_tool_calls", ojson.Bool(true))},
	{"presence_penalty", echo("presence_penalty", ojson.Number("0.0"))},
	{"previous_response_id", echo("previous_response_id", ojson.Null())},
	{"prompt", echo("prompt", ojson.Null())},
	{"prompt_cache_key", echo("prompt_cache_key", ojson.Null())},
	{"prompt_cache_options", echo("prompt_cache_options", ojson.Null())},
	{"prompt_cache_retention", echo("prompt_cache_retention", ojson.Null())},
	{"reasoning", reasoningEcho},
	{"safety_identifier", echo("safety_identifier", ojson.Null())},
	{"store", echo("store", ojson.Bool(true))},
	{"temperature", echo("temperature", ojson.Number("1.0"))},
	{"text", textEcho},
	{"tool_choice", echo("tool_choice", ojson.String("auto"))},
	{"tool_usage", func(*surface.Envelope) ojson.Value { return toolUsage }},
	{"tools", toolsEcho},
	{"top_logprobs", echo("top_logprobs", ojson.Int(0))},
	{"top_p", topPEcho},
	{"truncation", echo("truncation", ojson.String("disabled"))},
	{"user", echo("user", ojson.Null())},
	{"metadata", echo("metadata", ojson.Object())},
}

// echoed is one such member, with the function that computes it.
type echoed struct {
	name string
	of   func(e *surface.Envelope) ojson.Value
}

// onlyUsed are the members of echoes that are sent only if the request has them.
var onlyUsed = []string{"prompt", "prompt_cache_options"}

// used returns the names of onlyUsed that a request has, for [script.Want].
func used(req *scenarios.Request) (names string) {
	for _, name := range onlyUsed {
		if !req.Body.Get(name).IsNullOrAbsent() {
			names += " " + name
		}
	}
	return names
}

// toolUsage is the member tool_usage of a response that used no tools of the service.
var toolUsage = func() ojson.Value {
	details := ojson.Object(ojson.M("image_tokens", ojson.Int(0)), ojson.M("text_tokens", ojson.Int(0)))
	return ojson.Object(
		ojson.M("image_gen", ojson.Object(
			ojson.M("input_tokens", ojson.Int(0)), ojson.M("input_tokens_details", details),
			ojson.M("output_tokens", ojson.Int(0)), ojson.M("output_tokens_details", details), ojson.M("total_tokens", ojson.Int(0)),
		)),
		ojson.M("web_search", ojson.Object(ojson.M("num_requests", ojson.Int(0)))),
	)
}()

// echo returns a function that returns the member of the request, or otherwise if the request
// has none.
func echo(name string, otherwise ojson.Value) func(*surface.Envelope) ojson.Value {
	return func(e *surface.Envelope) ojson.Value {
		if v := e.Selection.Request.Body.Get(name); !v.IsNullOrAbsent() {
			return v
		}
		return otherwise
	}
}

func reasoningEcho(e *surface.Envelope) ojson.Value {
	effort, summary := ojson.Null(), "summary"
	if model.Lookup(e.Model).Reasoning {
		effort = ojson.String("medium")
	}
	if e.Layout == scenarios.Layout202503 {
		summary = "generate_summary"
	}
	return laidOver(ojson.Object(ojson.M("effort", effort), ojson.M(summary, ojson.Null())), e.Selection.Request.Body.Get("reasoning"))
}

func textEcho(e *surface.Envelope) ojson.Value {
	format := ojson.Object(ojson.M("type", ojson.String("text")))
	v := ojson.Object(ojson.M("format", format))
	if e.Layout != scenarios.Layout202503 {
		v.Set("verbosity", ojson.String("medium"))
	}
	return laidOver(v, e.Selection.Request.Body.Get("text"))
}

func topPEcho(e *surface.Envelope) ojson.Value {
	top := "1.0"
	if model.Lookup(e.Model).Reasoning {
		top = "0.98"
	}
	return echo("top_p", ojson.Number(top))(e)
}

// laidOver adds the members of over to the object v, or replaces those of v, except by null.
func laidOver(v, over ojson.Value) ojson.Value {
	v.SetAll(slices.DeleteFunc(slices.Clone(over.Members()), func(m ojson.Member) bool { return m.Value.IsNull() }))
	return v
}

// toolsEcho returns the tools of the request. Functions get the members that they lack.
func toolsEcho(e *surface.Envelope) ojson.Value {
	list := ojson.Array()
	for _, tool := range e.Selection.Request.Body.Get("tools").Items() {
		if tool.Get("type").Text() != typeOfFunctions {
			list.Push(tool)
			continue
		}
		v := ojson.Object(
			ojson.M("type", tool.Get("type")),
			ojson.M("description", orElse(tool.Get("description"), ojson.Null())),
			ojson.M("name", tool.Get("name")),
			ojson.M("parameters", orElse(tool.Get("parameters"), ojson.Null())),
			ojson.M("strict", ojson.Bool(true)),
		)
		list.Push(laidOver(v, tool))
	}
	return list
}
