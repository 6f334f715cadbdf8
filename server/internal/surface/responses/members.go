package responses

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// answerMember is a member of the response object. Either the answer tells it, as [speaker.member]
// says, or it repeats the request.
type answerMember struct {
	name     string
	since    era  // since is the first layout that has the member.
	onAzure  bool // onAzure says that only Azure sends the member.
	onlyUsed bool // onlyUsed says that the member is sent only if the request has it.

	otherwise ojson.Value                           // otherwise is the default of the real service for a member that repeats that of the request.
	repeat    func(e *surface.Envelope) ojson.Value // repeat returns a member that repeats the request in another way.
}

// answerMembers are the members of the response object in the order of recordings.
var answerMembers = []answerMember{
	{name: "id"},
	{name: "object"},
	{name: "created_at"},
	{name: "status"},
	{name: "access_programs", since: february2026, onlyUsed: true, otherwise: ojson.Null()},
	{name: "background", since: october2025, otherwise: ojson.Bool(false)},
	{name: "completed_at", since: february2026},
	{name: "content_filters", onAzure: true},
	{name: "error"},
	{name: "frequency_penalty", since: february2026, otherwise: ojson.Number("0.0")},
	{name: "image", since: february2026, onlyUsed: true, repeat: imageEcho},
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

func memberNamed(name string) *answerMember {
	if i := slices.IndexFunc(answerMembers, func(m answerMember) bool { return m.name == name }); i >= 0 {
		return &answerMembers[i]
	}
	return nil
}

func (m *answerMember) repeats() bool { return m.repeat != nil || !m.otherwise.IsAbsent() }

// repeated returns the value that the answer repeats from the request.
func (m *answerMember) repeated(e *surface.Envelope) ojson.Value {
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

// toolUsage returns the member tool_usage of a response with a number of web searches. The tokens of
// images are not known, so that they count nothing.
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

// imageEcho says whether images are compressed: if the service decides, those of a fake are not.
func imageEcho(e *surface.Envelope) ojson.Value {
	v := laidOver(ojson.Object(), e.Selection.Request.Body.Get("image"))
	if v.Get("context_compression").Text() == "auto" {
		v.Set("context_compression", ojson.String("disabled"))
	}
	return v
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

// usageObject returns a usage object of this API. What the author wrote replaces what was
// counted; members with no counterpart here are sent as written. If bare, only details that the
// author wrote are sent.
func usageObject(u *script.Usage, in layout) ojson.Value {
	if u.Null {
		return ojson.Null()
	}
	input := details(u.Written.Get("prompt_tokens_details"), ojson.M("cached_tokens", ojson.Int(0)))
	if in.era >= february2026 {
		input = details(input, ojson.M("cache_write_tokens", ojson.Int(0)))
	}
	output := details(u.Written.Get("completion_tokens_details"), ojson.M("reasoning_tokens", u.Reasoning))
	v := ojson.Object(
		ojson.M("input_tokens", u.Prompt), ojson.M("input_tokens_details", input),
		ojson.M("output_tokens", u.Completion), ojson.M("output_tokens_details", output),
		ojson.M("total_tokens", u.Total),
	)
	known := []string{"prompt_tokens", "completion_tokens", "total_tokens", "prompt_tokens_details", "completion_tokens_details"}
	v.SetAll(slices.DeleteFunc(slices.Clone(u.Written.Members()), func(m ojson.Member) bool { return slices.Contains(known, m.Name) }))
	return v
}

// details returns the details that the author wrote, with the members that the service always
// sends. A value that is no object is returned as it is.
func details(written ojson.Value, always ...ojson.Member) ojson.Value {
	if !written.IsAbsent() && written.Kind() != ojson.ObjectKind {
		return written
	}
	v := ojson.Object(always...)
	v.SetAll(written.Members())
	return v
}

// logprobsOf returns the log-probabilities of the text of a group.
func logprobsOf(g *script.Group) []ojson.Value {
	for _, beat := range g.Beats {
		l, ok := beat.(script.Logprobs)
		if !ok {
			continue
		}
		list := make([]ojson.Value, len(l.Content.Items()))
		for i, entry := range l.Content.Items() {
			list[i] = ordered(entry)
		}
		return list
	}
	return nil
}

// ordered returns an entry with its members in the order of recordings.
func ordered(entry ojson.Value) ojson.Value {
	v := entry.First("token", "bytes", "logprob")
	if list := v.Get("top_logprobs"); !list.IsAbsent() {
		top := ojson.Array()
		for _, other := range list.Items() {
			top.Push(ordered(other))
		}
		v.Set("top_logprobs", top)
	}
	return v
}

// roundedLogprobs returns the entries as in closed items: rounded to six decimals, unlike those
// of the events before.
func roundedLogprobs(list []ojson.Value) ojson.Value {
	out := ojson.Array()
	for _, entry := range list {
		out.Push(rounded(entry))
	}
	return out
}

func rounded(entry ojson.Value) ojson.Value {
	entry = entry.Clone()
	if n := entry.Get("logprob"); n.Kind() == ojson.NumberKind {
		entry.Set("logprob", ojson.Number(sixDecimals(n.Text())))
	}
	for i, other := range entry.Get("top_logprobs").Items() {
		entry.Get("top_logprobs").Items()[i] = rounded(other)
	}
	return entry
}

func sixDecimals(number string) string {
	const decimals = 1e6
	f, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return number
	}
	return strconv.FormatFloat(math.Round(f*decimals)/decimals, 'f', -1, 64)
}
