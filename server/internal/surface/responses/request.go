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
