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
func readRequest(body request.Field, req *scenarios.Request) {
	req.IncludeUsage = true
	options := body.At("stream_options").AsObject()
	req.IncludeObfuscation = options.At("include_obfuscation").AsBool(true)
	req.TopLogprobs = body.At("top_logprobs").AsInt(0, 0, request.MaxTopLogprobs)
	req.Logprobs = slices.ContainsFunc(body.At("include").AsList("an array of strings"), func(v ojson.Value) bool { return v.Text() == includeLogprobs })
	req.Schema = body.At("text").AsObject().At("format").AsObject().At("schema").AsObject().Value
	readState(body)
	readInput(body, req)
	readTools(body.At("tools"), req)
}

func readInput(body request.Field, req *scenarios.Request) {
	h := history{req: req}
	req.Messages, req.Turn, req.LastUser = nil, 1, ""
	if req.Before == nil && body.At("previous_response_id").AsText() != "" {
		req.Turn = 2 // at least one answer came before
	}
	if instructions := body.At("instructions"); !instructions.IsNullOrAbsent() {
		h.add(scenarios.RequestMessage{Role: "system", Text: contentOf(instructions)})
	}
	input := body.At("input")
	for _, before := range req.Before {
		item := input
		item.Value = before
		h.item(item)
	}
	if input.Kind() == ojson.StringKind {
		h.add(scenarios.RequestMessage{Role: "user", Text: input.Text()})
	} else {
		h.items(input, "one of a string or array of objects")
	}
	req.PromptTokens = surface.TokensOfMessages(req)
}

// CheckItems returns the error for a list of items, the value of this member of a body, that
// could not be an input; nil if it could.
func CheckItems(items ojson.Value, member string) *request.Error {
	h, list := history{req: new(scenarios.Request)}, request.NewField(member, items)
	h.items(list, "an array of objects")
	return list.Err()
}

// items reads a list of items. Expected describes the list in the error for a value of another
// type.
func (h *history) items(list request.Field, expected string) {
	for i := range list.AsList(expected) {
		item := list.Item(i)
		if item.Kind() != ojson.ObjectKind {
			item.FailType("an object")
			return
		}
		h.item(item)
	}
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

func (h *history) item(item request.Field) {
	if referred, ok := h.req.Referred[item.Get("id").Text()]; ok && IsReference(item.Value) {
		item.Value = referred
	}
	kind, role := item.At("type").AsText(), item.At("role").AsText()
	switch {
	case IsReference(item.Value):
		h.answer("") // the item of an unknown answer
	case kind == "" || kind == Message:
		text := contentOf(item.At("content"))
		if role == "assistant" {
			h.answer(text)
			return
		}
		h.add(scenarios.RequestMessage{Role: role, Text: text})
	case strings.HasSuffix(kind, "_output") || kind == approvalGiven:
		h.add(resultOf(kind, item))
	case strings.HasPrefix(kind, "compaction"), kind == "configuration_update":
	case kind == additionalTools:
		readTools(item.At("tools"), h.req)
	default:
		h.answer("")
		h.call(kind, item.Value)
	}
}

// contentOf returns a content, or the JSON of an object: the output of a tool that clients of this
// server invented.
func contentOf(v request.Field) string {
	if v.Kind() == ojson.ObjectKind {
		return v.String()
	}
	return v.AsContent()
}

func readTools(list request.Field, req *scenarios.Request) {
	for i := range list.AsList("an array of objects") {
		t := list.Item(i).AsObject()
		tool := scenarios.Tool{Type: t.At("type").AsText(), Name: t.At("name").AsText()}
		if tool.Type == typeOfFunctions {
			tool.Parameters = t.At("parameters").AsObject().Value
		}
		if tool.Name == "" { // a tool of the service itself
			tool.Name = tool.Type
		}
		req.Tools = append(req.Tools, tool)
		if tool.Type == "namespace" {
			readTools(t.At("tools"), req)
		}
	}
}
