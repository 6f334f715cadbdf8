package responses

import (
	"cmp"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// answerMember is a member of the response object. Either the answer tells it, as [speaker.member]
// says, or it repeats the request.
type answerMember struct {
	name     string
	since    era  // since is the first layout that has the member.
	onAzure  bool // onAzure says that only Azure sends it.
	onlyUsed bool // onlyUsed says that it is sent only if the request has it.

	otherwise ojson.Value                           // otherwise is the default of the real service for a member that repeats that of the request.
	repeat    func(e *surface.Envelope) ojson.Value // repeat returns a member that repeats the request in another way.
}

// answerMembers are the members of the response object in the order of recordings.
var answerMembers = []answerMember{
	{name: "id"},
	{name: "object"},
	{name: "created_at"},
	{name: "status"},
	{name: "background", since: october2025, otherwise: ojson.Bool(false)},
	{name: "completed_at", since: february2026},
	{name: "content_filters", onAzure: true},
	{name: "error"},
	{name: "frequency_penalty", since: february2026, otherwise: ojson.Number("0.0")},
	{name: "incomplete_details"},
	{name: "instructions", otherwise: ojson.Null()},
	{name: "max_output_tokens", otherwise: ojson.Null()},
	{name: "max_tool_calls", since: october2025, otherwise: ojson.Null()},
	{name: "model"},
	{name: "moderation", since: february2026, otherwise: ojson.Null()},
	{name: "output"},
	{name: "parallel_tool_calls", otherwise: ojson.Bool(true)},
	{name: "presence_penalty", since: february2026, otherwise: ojson.Number("0.0")},
	{name: "previous_response_id", otherwise: ojson.Null()},
	{name: "prompt", since: february2026, onlyUsed: true, otherwise: ojson.Null()},
	{name: "prompt_cache_key", since: october2025, otherwise: ojson.Null()},
	{name: "prompt_cache_options", since: february2026, onlyUsed: true, otherwise: ojson.Null()},
	{name: "prompt_cache_retention", since: october2025, otherwise: ojson.Null()},
	{name: "reasoning", repeat: reasoningEcho},
	{name: "safety_identifier", since: october2025, otherwise: ojson.Null()},
	{name: "service_tier", since: october2025},
	{name: "store", otherwise: ojson.Bool(true)},
	{name: "temperature", otherwise: ojson.Number("1.0")},
	{name: "text", repeat: textEcho},
	{name: "tool_choice", otherwise: ojson.String("auto")},
	{name: "tool_usage", since: february2026},
	{name: "tools", repeat: toolsEcho},
	{name: "top_logprobs", since: october2025, otherwise: ojson.Int(0)},
	{name: "top_p", repeat: topPEcho},
	{name: "truncation", otherwise: ojson.String("disabled")},
	{name: "usage"},
	{name: "user", otherwise: ojson.Null()},
	{name: "metadata", otherwise: ojson.Object()},
}

// memberNamed returns the member of the response object with this name; nil if there is none.
func memberNamed(name string) *answerMember {
	if i := slices.IndexFunc(answerMembers, func(m answerMember) bool { return m.name == name }); i >= 0 {
		return &answerMembers[i]
	}
	return nil
}

func (m *answerMember) repeats() bool { return m.repeat != nil || !m.otherwise.IsAbsent() }

// of returns the member as it repeats the request.
func (m *answerMember) of(e *surface.Envelope) ojson.Value {
	if m.repeat != nil {
		return m.repeat(e)
	}
	return echo(e, m.name, m.otherwise)
}

// used returns the names of the members that are sent only if the request has them, and that it has, for
// [script.Want].
func used(req *scenarios.Request) (names string) {
	for _, m := range answerMembers {
		if m.onlyUsed && !req.Body.Get(m.name).IsNullOrAbsent() {
			names += " " + m.name
		}
	}
	return names
}

// toolUsage returns the member tool_usage of a response with so many web searches. What images cost
// is not known, so that they count nothing.
func toolUsage(searches int) ojson.Value {
	details := ojson.Object(ojson.M("image_tokens", ojson.Int(0)), ojson.M("text_tokens", ojson.Int(0)))
	return ojson.Object(
		ojson.M("image_gen", ojson.Object(
			ojson.M("input_tokens", ojson.Int(0)), ojson.M("input_tokens_details", details),
			ojson.M("output_tokens", ojson.Int(0)), ojson.M("output_tokens_details", details), ojson.M("total_tokens", ojson.Int(0)),
		)),
		ojson.M("web_search", ojson.Object(ojson.M("num_requests", ojson.Int(int64(searches))))),
	)
}

// echo returns the member of the request, or otherwise if the request has none.
func echo(e *surface.Envelope, name string, otherwise ojson.Value) ojson.Value {
	if v := e.Selection.Request.Body.Get(name); !v.IsNullOrAbsent() {
		return v
	}
	return otherwise
}

func reasoningEcho(e *surface.Envelope) ojson.Value {
	effort, summary := ojson.Null(), "summary"
	if facts := surface.ModelNamed(e.Model); facts.Reasoning {
		effort = ojson.String(cmp.Or(facts.Effort, "medium"))
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
	asked := e.Selection.Request.Body.Get("text").Clone()
	if format := asked.Get("format"); format.Get("type").Text() == "json_schema" {
		whole := ojson.Object(ojson.M("type", format.Get("type")), ojson.M("description", ojson.Null()), ojson.M("name", format.Get("name")),
			ojson.M("schema", format.Get("schema")), ojson.M("strict", ojson.Bool(false)))
		asked.Set("format", laidOver(whole, format))
	}
	return laidOver(v, asked)
}

func topPEcho(e *surface.Envelope) ojson.Value {
	top := "1.0"
	if surface.ModelNamed(e.Model).Reasoning {
		top = "0.98"
	}
	return echo(e, "top_p", ojson.Number(top))
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
			ojson.M("description", tool.Get("description").Or(ojson.Null())),
			ojson.M("name", tool.Get("name")),
			ojson.M("parameters", tool.Get("parameters").Or(ojson.Null())),
			ojson.M("strict", ojson.Bool(true)),
		)
		list.Push(laidOver(v, tool))
	}
	return list
}
