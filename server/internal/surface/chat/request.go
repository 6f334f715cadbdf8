package chat

import (
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
)

func readChat(r *request.Reader, req *scenarios.Request) {
	body := req.Body
	req.N = r.Integer(body.Get("n"), request.At("n"), 1, 1, request.MaxChoices)
	req.Logprobs = r.Boolean(body.Get("logprobs"), request.At("logprobs"), false)
	req.TopLogprobs = r.Integer(body.Get("top_logprobs"), request.At("top_logprobs"), 0, 0, request.MaxTopLogprobs)
	options := r.Object(body.Get("stream_options"), request.At("stream_options"))
	req.IncludeUsage = r.Boolean(options.Get("include_usage"), request.At("stream_options.include_usage"), false)
	req.IncludeObfuscation = r.Boolean(options.Get("include_obfuscation"), request.At("stream_options.include_obfuscation"), true)
	readMessages(r, req)
	readTools(r, req)
	format := r.Object(body.Get("response_format"), request.At("response_format"))
	req.Schema = r.Object(format.Get("json_schema"), request.At("response_format.json_schema")).Get("schema")
}

func readMessages(r *request.Reader, req *scenarios.Request) {
	req.Turn = 1
	list := request.At("messages")
	messages := r.List(req.Body.Get("messages"), list, "an array of objects")
	req.Messages = slices.Grow(req.Messages, len(messages))
	for i, m := range messages {
		at := list.Item(i)
		if m.Kind() != ojson.ObjectKind {
			r.Fail(request.InvalidType(at.String(), "an object", m))
			return
		}
		msg := scenarios.RequestMessage{
			Role:       r.Text(m.Get("role"), at.Member("role")),
			Text:       readContent(r, m.Get("content"), at.Member("content")),
			ToolCallID: r.Text(m.Get("tool_call_id"), at.Member("tool_call_id")),
			Name:       r.Text(m.Get("name"), at.Member("name")),
			ToolCalls:  readCalls(m.Get("tool_calls")),
		}
		req.Messages = append(req.Messages, msg)
		switch msg.Role {
		case "assistant":
			req.Turn++
		case "user":
			req.LastUser = msg.Text
		}
	}
}

// readCalls reads the calls of a message. It skips errors, which the checks report.
func readCalls(calls ojson.Value) []scenarios.RequestCall {
	var list []scenarios.RequestCall
	for _, c := range calls.Items() {
		kind, input := "function", "arguments"
		if c.Get("type").Text() == "custom" {
			kind, input = "custom", "input"
		}
		tool := c.Get(kind)
		list = append(list, scenarios.RequestCall{ID: c.Get("id").Text(), Type: kind, Name: tool.Get("name").Text(), Arguments: tool.Get(input).Text()})
	}
	return list
}

// readContent reads the content of a message: a text, or the texts of its parts.
func readContent(r *request.Reader, v ojson.Value, at request.Place) string {
	if v.Kind() == ojson.StringKind {
		return v.Text()
	}
	var texts []string
	for i, part := range r.List(v, at, "one of a string or array of objects") {
		item := at.Item(i)
		text := r.Object(part, item).Get("text")
		if !text.IsAbsent() {
			texts = append(texts, r.Text(text, item.Member("text")))
		}
	}
	return strings.Join(texts, "\n")
}

func readTools(r *request.Reader, req *scenarios.Request) {
	list := request.At("tools")
	for i, t := range r.List(req.Body.Get("tools"), list, "an array of objects") {
		at := list.Item(i)
		t = r.Object(t, at)
		kind := r.Text(t.Get("type"), at.Member("type"))
		if kind != "custom" {
			kind = "function"
		}
		inner := at.Member(kind)
		readTool(r, req, kind, r.Object(t.Get(kind), inner), &inner)
	}
	list = request.At("functions")
	for i, f := range r.List(req.Body.Get("functions"), list, "an array of objects") {
		at := list.Item(i)
		readTool(r, req, "function", r.Object(f, at), &at)
	}
}

func readTool(r *request.Reader, req *scenarios.Request, kind string, t ojson.Value, at *request.Place) {
	req.Tools = append(req.Tools, scenarios.Tool{
		Type:       kind,
		Name:       r.Text(t.Get("name"), at.Member("name")),
		Parameters: r.Object(t.Get("parameters"), at.Member("parameters")),
	})
}
