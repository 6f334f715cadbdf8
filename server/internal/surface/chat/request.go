package chat

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// readChat reads the members of a request that scenarios can look at.
func readChat(body request.Field, req *scenarios.Request) {
	req.N = body.At("n").AsInt(1, 1, request.MaxChoices)
	req.Logprobs = body.At("logprobs").AsBool(false)
	req.TopLogprobs = body.At("top_logprobs").AsInt(0, 0, request.MaxTopLogprobs)
	options := body.At("stream_options").AsObject()
	req.IncludeUsage = options.At("include_usage").AsBool(false)
	req.IncludeObfuscation = options.At("include_obfuscation").AsBool(true)
	readMessages(body.At("messages"), req)
	req.PromptTokens = surface.TokensOfMessages(req)
	readTools(body, req)
	req.Schema = body.At("response_format").AsObject().At("json_schema").AsObject().Get("schema")
}

func readMessages(list request.Field, req *scenarios.Request) {
	req.Turn = 1
	messages := list.AsList("an array of objects")
	req.Messages = slices.Grow(req.Messages, len(messages))
	for i := range messages {
		m := list.Item(i)
		if m.Kind() != ojson.ObjectKind {
			m.FailType("an object")
			return
		}
		msg := scenarios.RequestMessage{
			Role:       m.At("role").AsText(),
			Text:       m.At("content").AsContent(),
			ToolCallID: m.At("tool_call_id").AsText(),
			Name:       m.At("name").AsText(),
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

func readTools(body request.Field, req *scenarios.Request) {
	list := body.At("tools")
	for i := range list.AsList("an array of objects") {
		t := list.Item(i).AsObject()
		kind := t.At("type").AsText()
		if kind != "custom" {
			kind = "function"
		}
		readTool(kind, t.At(kind).AsObject(), req)
	}
	list = body.At("functions")
	for i := range list.AsList("an array of objects") {
		readTool("function", list.Item(i).AsObject(), req)
	}
}

func readTool(kind string, t request.Field, req *scenarios.Request) {
	req.Tools = append(req.Tools, scenarios.Tool{Type: kind, Name: t.At("name").AsText(), Parameters: t.At("parameters").AsObject().Value})
}
