package responses

import (
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// Path is the path of the API, below /v1.
const Path = "/responses"

// typeOfFunctions is the type of tools that are functions.
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
