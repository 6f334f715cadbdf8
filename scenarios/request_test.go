package scenarios_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// request returns a chat request with this body, and header fields given as pairs of name
// and value. It reads only what conditions look at: the server's reader of requests
// cannot be imported here.
func request(t testing.TB, body string, header ...string) *scenarios.Request {
	t.Helper()
	doc, err := ojson.Parse([]byte(body))
	if err != nil {
		t.Fatalf("the body of the request: %v", err)
	}
	h := http.Header{}
	for i := 0; i < len(header); i += 2 {
		h.Add(header[i], header[i+1])
	}
	stream, _ := doc.Get("stream").Bool()
	req := &scenarios.Request{
		Surface: "chat", Header: h, Body: doc, RawBody: []byte(body), N: 1, Turn: 1, Attempt: 1,
		Model: doc.Get("model").Text(), Stream: stream, User: doc.Get("user").Text(),
		Messages: messagesOf(doc.Get("messages")), Tools: toolsOf(doc.Get("tools")),
		PromptTokens: len(body),
	}
	for _, m := range req.Messages {
		switch m.Role {
		case "assistant":
			req.Turn++
		case "user":
			req.LastUser = m.Text
		}
	}
	req.APIKey, _ = strings.CutPrefix(h.Get("Authorization"), "Bearer ")
	if req.Scenario = h.Get("X-Fakeopenai-Scenario"); req.Scenario == "" {
		if name, ok := strings.CutPrefix(req.Model, "fake:"); ok {
			req.Scenario = name
		}
	}
	return req
}

func messagesOf(list ojson.Value) (messages []scenarios.RequestMessage) {
	for _, m := range list.Items() {
		text := m.Get("content").Text()
		if parts := m.Get("content").Items(); len(parts) > 0 {
			text = parts[0].Get("text").Text()
		}
		messages = append(messages, scenarios.RequestMessage{
			Role: m.Get("role").Text(), Text: text, ToolCallID: m.Get("tool_call_id").Text(), Name: m.Get("name").Text(),
		})
	}
	return messages
}

func toolsOf(list ojson.Value) (tools []scenarios.Tool) {
	for _, tool := range list.Items() {
		kind := tool.Get("type").Text()
		tools = append(tools, scenarios.Tool{Type: kind, Name: tool.Get(kind).Get("name").Text()})
	}
	return tools
}

func replying(text string) []scenarios.Reply {
	return []scenarios.Reply{{Message: &scenarios.Message{Content: scenarios.Some(scenarios.Text{Source: text})}}}
}

func contains(s string) *scenarios.TextMatch { return &scenarios.TextMatch{Contains: &s} }
func equals(s string) *scenarios.TextMatch   { return &scenarios.TextMatch{Equals: &s} }

func matches(expr string) *scenarios.TextMatch {
	return &scenarios.TextMatch{Matches: regexp.MustCompile(expr)}
}

func newSet(t testing.TB, list ...*scenarios.Scenario) *scenarios.Set {
	t.Helper()
	set, err := scenarios.NewSet(list...)
	if err != nil {
		t.Fatalf("NewSet: %v", err)
	}
	return set
}

// load returns the set of the scenarios in the text of a file, checked as a file.
func load(t *testing.T, text string) *scenarios.Set {
	t.Helper()
	set, problems := server.CheckFiles(yamlfile.Source{Name: "x.yaml", Data: []byte(text)})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return set
}
