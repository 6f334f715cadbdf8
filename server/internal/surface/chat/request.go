package chat

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

func readChat(req *scenarios.Request) *request.Error {
	readNumbers(req)
	req.Logprobs, _ = req.Body.Get("logprobs").Bool()
	top, _ := req.Body.Get("top_logprobs").Int()
	req.TopLogprobs = int(top)
	readMessages(req)
	req.PromptTokens = surface.TokensOfMessages(req)
	readTools(req)
	req.Schema = req.Body.Get("response_format").Get("json_schema").Get("schema")
	return nil
}

// readNumbers reads n and stream_options.
func readNumbers(req *scenarios.Request) {
	if n, asked := req.Body.Get("n").Int(); asked {
		req.N = int(n)
	}
	options := req.Body.Get("stream_options")
	req.IncludeUsage, _ = options.Get("include_usage").Bool()
	if include, said := options.Get("include_obfuscation").Bool(); said {
		req.IncludeObfuscation = include
	}
}

func readMessages(req *scenarios.Request) {
	messages := req.Body.Get("messages").Items()
	req.Messages = slices.Grow(req.Messages, len(messages))
	for _, m := range messages {
		msg := scenarios.RequestMessage{
			Role:       m.Get("role").Text(),
			Text:       request.TextOf(m.Get("content")),
			ToolCallID: m.Get("tool_call_id").Text(),
			Name:       m.Get("name").Text(),
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

func readTools(req *scenarios.Request) {
	for _, t := range req.Body.Get("tools").Items() {
		kind := t.Get("type").Text()
		if kind != "custom" {
			kind = "function"
		}
		readTool(kind, t.Get(kind), req)
	}
	for _, f := range req.Body.Get("functions").Items() {
		readTool("function", f, req)
	}
}

func readTool(kind string, t ojson.Value, req *scenarios.Request) {
	tool := scenarios.Tool{Type: kind, Name: t.Get("name").Text()}
	if p := t.Get("parameters"); !p.IsNull() {
		tool.Parameters = p
	}
	req.Tools = append(req.Tools, tool)
}
