package responses

import (
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// Path is the path of the API, below /v1.
const Path = "/responses"

const typeOfFunctions = "function"

// readRequest reads what conditions look at, so that they mean the same as on chat completions:
// instructions become a message of the system, the items of one answer become one message of
// the assistant, and the output of a call becomes a message of a tool.
func readRequest(req *scenarios.Request) *request.Error {
	req.IncludeUsage = true
	if include, said := req.Body.Get("stream_options").Get("include_obfuscation").Bool(); said {
		req.IncludeObfuscation = include
	}
	top, _ := req.Body.Get("top_logprobs").Int()
	req.TopLogprobs = int(top)
	req.Logprobs = slices.ContainsFunc(req.Body.Get("include").Items(), func(v ojson.Value) bool { return v.Text() == includeLogprobs })
	if schema := req.Body.Get("text").Get("format").Get("schema"); !schema.IsNull() {
		req.Schema = schema
	}
	readInput(req)
	readTools(req.Body.Get("tools"), req)
	return nil
}

func readInput(req *scenarios.Request) {
	h := history{req: req}
	req.Messages, req.Turn, req.LastUser = nil, 1, ""
	if req.Before == nil && req.Body.Get("previous_response_id").Text() != "" {
		req.Turn = 2 // at least one answer came before
	}
	if instructions := req.Body.Get("instructions"); !instructions.IsNullOrAbsent() {
		h.add(scenarios.RequestMessage{Role: "system", Text: contentOf(instructions)})
	}
	input := req.Body.Get("input")
	for _, item := range slices.Concat(req.Before, input.Items()) {
		h.item(item)
	}
	if input.Kind() == ojson.StringKind {
		h.add(scenarios.RequestMessage{Role: "user", Text: input.Text()})
	}
	req.PromptTokens = surface.TokensOfMessages(req)
}

// CheckItems returns the error for a list of items, the value of this member of a body, that
// could not be an input; nil if it could.
func CheckItems(items ojson.Value, member string) *request.Error {
	return request.CheckTypesOf(member, items, request.Objects(0, request.Unbounded, seenItem))
}

// history turns the items of a request into messages.
type history struct {
	req      *scenarios.Request
	answered bool // answered says that the last item belongs to an answer.
	// joined is the text of the last message if that is of several items. Its text is not added
	// to directly, because that would copy it for each item.
	joined strings.Builder
}

func (h *history) add(m scenarios.RequestMessage) {
	h.req.Messages = append(h.req.Messages, m)
	h.answered = m.Role == "assistant"
	h.joined.Reset()
	switch m.Role {
	case "assistant":
		h.req.Turn++
	case "user":
		h.req.LastUser = m.Text
	}
}

// answer adds text to the message of the current answer, or begins one.
func (h *history) answer(text string) {
	if !h.answered {
		h.add(scenarios.RequestMessage{Role: "assistant", Text: text})
		return
	}
	last := &h.req.Messages[len(h.req.Messages)-1]
	if last.Text == "" || text == "" {
		last.Text += text
		return
	}
	if h.joined.Len() == 0 {
		h.joined.WriteString(last.Text)
	}
	h.joined.WriteString("\n")
	h.joined.WriteString(text)
	last.Text = h.joined.String()
}

func (h *history) item(item ojson.Value) {
	if referred, ok := h.req.Referred[item.Get("id").Text()]; ok && IsReference(item) {
		item = referred
	}
	kind, role := item.Get("type").Text(), item.Get("role").Text()
	switch {
	case IsReference(item):
		h.answer("") // the item of an unknown answer
	case kind == "" || kind == Message:
		text := contentOf(item.Get("content"))
		if role == "assistant" {
			h.answer(text)
			return
		}
		h.add(scenarios.RequestMessage{Role: role, Text: text})
	case strings.HasSuffix(kind, "_output") || kind == approvalGiven:
		h.add(resultOf(kind, item))
	case strings.HasPrefix(kind, "compaction"), kind == configurationUpdate:
	case kind == additionalTools:
		readTools(item.Get("tools"), h.req)
	default:
		h.answer("")
		h.call(kind, item)
	}
}

// contentOf returns a content, or the JSON of an object: the output of a tool that clients of this
// server invented.
func contentOf(v ojson.Value) string {
	if v.Kind() == ojson.ObjectKind {
		return v.String()
	}
	return request.TextOf(v)
}

func readTools(list ojson.Value, req *scenarios.Request) {
	for _, t := range list.Items() {
		tool := scenarios.Tool{Type: t.Get("type").Text(), Name: t.Get("name").Text()}
		if p := t.Get("parameters"); tool.Type == typeOfFunctions && !p.IsNull() {
			tool.Parameters = p
		}
		if tool.Name == "" { // a tool of the service itself
			tool.Name = tool.Type
		}
		req.Tools = append(req.Tools, tool)
		if tool.Type == "namespace" {
			readTools(t.Get("tools"), req)
		}
	}
}

// call adds a call to the message of its answer. It leaves out calls that the service answers
// itself, as no client sends an output for them. It reports no mistakes; checks of the history
// do.
func (h *history) call(kind string, item ojson.Value) {
	id, name := item.Get("call_id").Text(), item.Get("name").Text()
	call := scenarios.RequestCall{ID: id, Type: strings.TrimSuffix(kind, "_call"), Name: name}
	switch kind {
	case Function:
		call.Arguments = item.Get("arguments").Text()
	case Custom:
		call.Type, call.Arguments = "custom", item.Get("input").Text()
	case approvalAsked:
		call.ID, call.Arguments = item.Get("id").Text(), item.Get("arguments").Text()
	default:
		does := firstOf(item, "action", "actions", "operation", "arguments", "code")
		if id == "" || does.IsAbsent() {
			return
		}
		call.Name, call.Arguments = call.Type, textOrJSON(does)
	}
	last := &h.req.Messages[len(h.req.Messages)-1]
	last.ToolCalls = append(last.ToolCalls, call)
}

// resultOf returns the output of a call as a message of a tool.
func resultOf(kind string, item ojson.Value) scenarios.RequestMessage {
	m := scenarios.RequestMessage{Role: "tool", ToolCallID: item.Get("call_id").Text()}
	switch kind {
	case approvalGiven:
		m.ToolCallID, m.Text = item.Get("approval_request_id").Text(), item.Get("approve").String()
	case "shell_call_output":
		m.Text = shellText(item.Get("output"))
	case "tool_search_output":
		m.Text = item.Get("tools").String()
	case "program_output":
		m.Text = contentOf(item.Get("result"))
	case "apply_patch_call_output":
		if m.Text = item.Get("output").Text(); m.Text == "" {
			m.Text = item.Get("status").Text()
		}
	default:
		m.Text = contentOf(item.Get("output"))
	}
	if m.ToolCallID == "" && kind == "local_shell_call_output" { // such an output may have the id of its call here
		m.ToolCallID = item.Get("id").Text()
	}
	return m
}

// shellText returns what shell commands wrote, in order.
func shellText(output ojson.Value) string {
	if output.Kind() != ojson.ArrayKind {
		return contentOf(output)
	}
	var texts []string
	for _, ran := range output.Items() {
		for _, name := range []string{"stdout", "stderr"} {
			if text := ran.Get(name).Text(); text != "" {
				texts = append(texts, text)
			}
		}
	}
	return strings.Join(texts, "\n")
}

// firstOf returns the first of these members that the object has.
func firstOf(v ojson.Value, names ...string) ojson.Value {
	for _, name := range names {
		if m := v.Get(name); !m.IsNullOrAbsent() {
			return m
		}
	}
	return ojson.Value{}
}

func textOrJSON(v ojson.Value) string {
	if v.Kind() == ojson.StringKind {
		return v.Text()
	}
	return v.String()
}

// encryptedLength is the number of random characters in an encrypted_content.
const encryptedLength = 200

// InputTokens returns the body of the answer to POST /v1/responses/input_tokens. The number is
// that which usage has for the same request if the scenario does not say it.
func InputTokens(req *scenarios.Request) ojson.Value {
	return ojson.Object(
		ojson.M("object", ojson.String("response.input_tokens")),
		ojson.M("input_tokens", ojson.Int(int64(req.PromptTokens))),
	)
}

const expectedTools = "an array of tools"

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

// noNull is check for a member whose error for null says, as the service does, that it got an object.
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
