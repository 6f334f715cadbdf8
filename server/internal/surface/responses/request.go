package responses

import (
	"errors"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses/hosted"
)

// Path is the path of the API, below /v1.
const Path = "/responses"

// typeOfFunctions is the type of tools that are functions.
const typeOfFunctions = "function"

// readRequest reads what conditions look at, so that they mean the same as on chat completions:
// instructions become a message of the system, the items of one answer become one message of
// the assistant, and the output of a call becomes a message of a tool.
func readRequest(r *request.Reader, req *scenarios.Request) {
	body := req.Body
	req.IncludeUsage = true
	options := r.Object(body.Get("stream_options"), request.At("stream_options"))
	req.IncludeObfuscation = r.Boolean(options.Get("include_obfuscation"), request.At("stream_options.include_obfuscation"), true)
	req.TopLogprobs = r.Integer(body.Get("top_logprobs"), request.At("top_logprobs"), 0, 0, request.MaxTopLogprobs)
	req.Logprobs = slices.ContainsFunc(r.List(body.Get("include"), request.At("include"), "an array of strings"), func(v ojson.Value) bool { return v.Text() == includeLogprobs })
	format := r.Object(r.Object(body.Get("text"), request.At("text")).Get("format"), request.At("text.format"))
	req.Schema = r.Object(format.Get("schema"), request.At("text.format.schema"))
	readState(r, req)
	readInput(r, req)
	readTools(r, req, body.Get("tools"), request.At("tools"))
}

func readInput(r *request.Reader, req *scenarios.Request) {
	h := history{Reader: r, req: req}
	req.Messages, req.Turn, req.LastUser = nil, 1, ""
	if req.Before == nil && r.Text(req.Body.Get("previous_response_id"), request.At("previous_response_id")) != "" {
		req.Turn = 2 // at least one answer came before
	}
	if instructions := req.Body.Get("instructions"); !instructions.IsNullOrAbsent() {
		h.add(scenarios.RequestMessage{Role: "system", Text: h.content(instructions, request.At("instructions"))})
	}
	for _, item := range req.Before {
		h.item(request.At("input"), item)
	}
	input := req.Body.Get("input")
	if input.Kind() == ojson.StringKind {
		h.add(scenarios.RequestMessage{Role: "user", Text: input.Text()})
		return
	}
	h.items(input, request.At("input"), "one of a string or array of objects")
}

// CheckItems returns the error for a list of items, the value of this member of a body, that
// could not be an input; nil if it could.
func CheckItems(items ojson.Value, member string) *request.Error {
	r := new(request.Reader)
	h := history{Reader: r, req: new(scenarios.Request)}
	h.items(items, request.At(member), "an array of objects")
	wrong, _ := errors.AsType[*request.Error](r.Err())
	return wrong
}

// items reads a list of items. Expected describes the list in the error for a value of another
// type.
func (h *history) items(items ojson.Value, list request.Place, expected string) {
	for i, item := range h.List(items, list, expected) {
		at := list.Item(i)
		if item.Kind() != ojson.ObjectKind {
			h.Fail(request.InvalidType(at.String(), "an object", item))
			return
		}
		h.item(at, item)
	}
}

// history turns the items of a request into messages.
type history struct {
	*request.Reader
	req      *scenarios.Request
	answered bool // answered says that the last item belongs to an answer.
	// joined is the text of the last message if that is of several items. Its text is not added
	// to directly, because that would copy it for each item.
	joined strings.Builder
}

// add adds a message.
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

func (h *history) item(at request.Place, item ojson.Value) {
	if referred, ok := h.req.Referred[item.Get("id").Text()]; ok && IsReference(item) {
		item = referred
	}
	kind := h.Text(item.Get("type"), at.Member("type"))
	role := h.Text(item.Get("role"), at.Member("role"))
	switch {
	case IsReference(item):
		h.answer("") // the item of an unknown answer
	case kind == "" || kind == hosted.Message:
		text := h.content(item.Get("content"), at.Member("content"))
		if role == "assistant" {
			h.answer(text)
			return
		}
		h.add(scenarios.RequestMessage{Role: role, Text: text})
	case strings.HasSuffix(kind, "_output") || kind == approvalGiven:
		h.add(h.result(at, kind, item))
	case strings.HasPrefix(kind, "compaction"), kind == "configuration_update":
	case kind == additionalTools:
		readTools(h.Reader, h.req, item.Get("tools"), at.Member("tools"))
	default:
		h.answer("")
		h.call(kind, item)
	}
}

// content returns a text, or the texts of the parts of a list, one on each line.
func (h *history) content(v ojson.Value, at request.Place) string {
	if v.Kind() != ojson.ArrayKind {
		if v.Kind() == ojson.ObjectKind { // the output of a tool that clients of this server invented
			return v.String()
		}
		return h.Text(v, at)
	}
	var texts []string
	for i, part := range v.Items() {
		item := at.Item(i)
		if text := h.Object(part, item).Get("text"); !text.IsNullOrAbsent() {
			texts = append(texts, h.Text(text, item.Member("text")))
		}
	}
	return strings.Join(texts, "\n")
}

func readTools(r *request.Reader, req *scenarios.Request, tools ojson.Value, list request.Place) {
	for i, t := range r.List(tools, list, "an array of objects") {
		at := list.Item(i)
		t = r.Object(t, at)
		tool := scenarios.Tool{Type: r.Text(t.Get("type"), at.Member("type")), Name: r.Text(t.Get("name"), at.Member("name"))}
		if tool.Type == typeOfFunctions {
			tool.Parameters = r.Object(t.Get("parameters"), at.Member("parameters"))
		}
		if tool.Name == "" { // a tool of the service itself
			tool.Name = tool.Type
		}
		req.Tools = append(req.Tools, tool)
		if tool.Type == "namespace" {
			readTools(r, req, t.Get("tools"), request.At(at.String()+".tools"))
		}
	}
}
