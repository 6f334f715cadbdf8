package chat

import (
	"strconv"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
)

func readChat(r *request.Reader, req *scenarios.Request) {
	body := req.Body
	req.N = r.Integer(body.Get("n"), "n", 1, 1, request.MaxChoices)
	req.Logprobs = r.Boolean(body.Get("logprobs"), "logprobs", false)
	req.TopLogprobs = r.Integer(body.Get("top_logprobs"), "top_logprobs", 0, 0, request.MaxTopLogprobs)
	options := r.Object(body.Get("stream_options"), "stream_options")
	req.IncludeUsage = r.Boolean(options.Get("include_usage"), "stream_options.include_usage", false)
	req.IncludeObfuscation = r.Boolean(options.Get("include_obfuscation"), "stream_options.include_obfuscation", true)
	readMessages(r, req)
	readTools(r, req)
	format := r.Object(body.Get("response_format"), "response_format")
	req.Schema = r.Object(format.Get("json_schema"), "response_format.json_schema").Get("schema")
}

func readMessages(r *request.Reader, req *scenarios.Request) {
	req.Turn = 1
	for i, m := range r.List(req.Body.Get("messages"), "messages", "an array of objects") {
		path := "messages[" + strconv.Itoa(i) + "]"
		if m.Kind() != ojson.ObjectKind {
			r.Fail(request.InvalidType(path, "an object", m))
			return
		}
		msg := scenarios.RequestMessage{
			Role:       r.Text(m.Get("role"), path+".role"),
			Text:       readContent(r, m.Get("content"), path+".content"),
			ToolCallID: r.Text(m.Get("tool_call_id"), path+".tool_call_id"),
			Name:       r.Text(m.Get("name"), path+".name"),
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

// readCalls are the calls of a message. What is wrong with them is for checks of the
// history to say.
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

// readContent is a message's content: a text, or the texts of its parts.
func readContent(r *request.Reader, v ojson.Value, path string) string {
	if v.Kind() == ojson.StringKind {
		return v.Text()
	}
	var texts []string
	for i, part := range r.List(v, path, "one of a string or array of objects") {
		at := path + "[" + strconv.Itoa(i) + "]"
		text := r.Object(part, at).Get("text")
		if !text.IsAbsent() {
			texts = append(texts, r.Text(text, at+".text"))
		}
	}
	return strings.Join(texts, "\n")
}

func readTools(r *request.Reader, req *scenarios.Request) {
	for i, t := range r.List(req.Body.Get("tools"), "tools", "an array of objects") {
		path := "tools[" + strconv.Itoa(i) + "]"
		t = r.Object(t, path)
		kind := r.Text(t.Get("type"), path+".type")
		if kind != "custom" {
			kind = "function"
		}
		path += "." + kind
		readTool(r, req, kind, r.Object(t.Get(kind), path), path)
	}
	for i, f := range r.List(req.Body.Get("functions"), "functions", "an array of objects") {
		path := "functions[" + strconv.Itoa(i) + "]"
		readTool(r, req, "function", r.Object(f, path), path)
	}
}

func readTool(r *request.Reader, req *scenarios.Request, kind string, t ojson.Value, path string) {
	req.Tools = append(req.Tools, scenarios.Tool{
		Type:       kind,
		Name:       r.Text(t.Get("name"), path+".name"),
		Parameters: r.Object(t.Get("parameters"), path+".parameters"),
	})
}
