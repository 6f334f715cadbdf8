package chat_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/chat"
)

// parsed parses a chat request with this body. Header alternates names and values.
func parsed(t *testing.T, body string, header ...string) *scenarios.Request {
	t.Helper()
	h := map[string][]string{}
	for i := 0; i < len(header); i += 2 {
		h[header[i]] = append(h[header[i]], header[i+1])
	}
	req, err := chat.Surface{}.Read(h, []byte(body))
	if err != nil {
		t.Fatalf("Parse: %v", err)
	}
	return req
}

func TestParseRequestReadsWhatScenariosLookAt(t *testing.T) {
	t.Parallel()
	req := parsed(t, `{
		"model": "gpt-4o", "stream": true, "n": 2, "user": "ada", "logprobs": true, "top_logprobs": 3,
		"stream_options": {"include_usage": true, "include_obfuscation": false},
		"messages": [
			{"role": "developer", "content": "Be short."},
			{"role": "user", "content": [{"type": "text", "text": "Look"}, {"type": "image_url", "image_url": {"url": "x"}}, {"type": "text", "text": "here"}]},
			{"role": "assistant", "content": null, "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}, {"id": "call_2", "type": "custom", "custom": {"name": "c", "input": "x"}}, 3]},
			{"role": "tool", "tool_call_id": "call_1", "content": "18"}
		],
		"tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}, {"type": "custom", "custom": {"name": "c"}}],
		"functions": [{"name": "old"}],
		"response_format": {"type": "json_schema", "json_schema": {"name": "s", "schema": {"type": "object"}}},
		"unknown": {"anything": [1]}
	}`, "Authorization", "bearer sk-1")

	want := []scenarios.RequestMessage{
		{Role: "developer", Text: "Be short."},
		{Role: "user", Text: "Look\nhere"},
		{Role: "assistant", ToolCalls: []scenarios.RequestCall{
			{ID: "call_1", Type: "function", Name: "f", Arguments: "{}"},
			{ID: "call_2", Type: "custom", Name: "c", Arguments: "x"},
			{Type: "function"},
		}},
		{Role: "tool", Text: "18", ToolCallID: "call_1"},
	}
	if !reflect.DeepEqual(req.Messages, want) {
		t.Errorf("Messages = %+v, want %+v", req.Messages, want)
	}
	var tools []string
	for _, tool := range req.Tools {
		tools = append(tools, tool.Type+" "+tool.Name+" "+tool.Parameters.String())
	}
	if got, want := strings.Join(tools, "; "), `function f {"type":"object"}; custom c ; function old `; got != want {
		t.Errorf("Tools = %s, want %s", got, want)
	}
	if req.Turn != 2 || req.LastUser != "Look\nhere" || req.User != "ada" || req.APIKey != "sk-1" || req.Attempt != 1 {
		t.Errorf("turn %d, last user %q, user %q, key %q, attempt %d", req.Turn, req.LastUser, req.User, req.APIKey, req.Attempt)
	}
	if !req.Stream || req.N != 2 || !req.Logprobs || req.TopLogprobs != 3 || !req.IncludeUsage || req.IncludeObfuscation {
		t.Errorf("options: %+v", req)
	}
	if got := req.Schema.String(); got != `{"type":"object"}` {
		t.Errorf("Schema = %s", got)
	}
}

func TestParseRequestAcceptsNearlyEmptyRequests(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{}`, `{"model":null,"messages":null,"stream":null,"n":null,"stream_options":null,"tools":null,"top_logprobs":null}`} {
		req := parsed(t, body)
		if req.N != 1 || req.Turn != 1 || req.Stream || req.IncludeUsage || !req.IncludeObfuscation {
			t.Errorf("%s: %+v", body, req)
		}
	}
}

func TestParseRequestFindsTheScenarioAskedFor(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body   string
		header []string
		want   string
	}{
		"none":                         {`{"model":"gpt-4o"}`, nil, ""},
		"the model":                    {`{"model":"fake:weather"}`, nil, "weather"},
		"the header":                   {`{"model":"gpt-4o"}`, []string{"X-Fakeopenai-Scenario", "weather"}, "weather"},
		"the header before the model":  {`{"model":"fake:a"}`, []string{"X-Fakeopenai-Scenario", "b"}, "b"},
		"an empty header asks nothing": {`{"model":"fake:a"}`, []string{"X-Fakeopenai-Scenario", ""}, "a"},
		"a header in other case":       {`{}`, []string{"x-fakeopenai-scenario", "b"}, "b"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := parsed(t, c.body, c.header...).Scenario; got != c.want {
				t.Errorf("Scenario = %q, want %q", got, c.want)
			}
		})
	}
}

func TestParseRequestRefusesWrongTypesInOpenAIsWords(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]request.Error{
		``:                                   {Message: request.NotJSON},
		`{"model":`:                          {Message: request.NotJSON},
		`{} {}`:                              {Message: request.NotJSON},
		`[]`:                                 {Code: "invalid_type", Message: "Invalid type for request body: expected an object, but got an array instead."},
		`{"model":1}`:                        {Param: "model", Code: "invalid_type", Message: "Invalid type for 'model': expected a string, but got an integer instead."},
		`{"model":1,"n":"the second error"}`: {Param: "model", Code: "invalid_type", Message: "Invalid type for 'model': expected a string, but got an integer instead."},
		`{"stream":"yes"}`:                   {Param: "stream", Code: "invalid_type", Message: "Invalid type for 'stream': expected a boolean, but got a string instead."},
		`{"n":1.5}`:                          {Param: "n", Code: "invalid_type", Message: "Invalid type for 'n': expected an integer, but got a decimal number instead."},
		`{"n":1000000000}`:                   {Param: "n", Code: "integer_above_max_value", Message: "Invalid 'n': integer above maximum value. Expected a value <= 128, but got 1000000000 instead."},
		`{"n":-99999999999999999999}`:        {Param: "n", Code: "integer_below_min_value", Message: "Invalid 'n': integer below minimum value. Expected a value >= 1, but got -99999999999999999999 instead."},
		`{"top_logprobs":21}`:                {Param: "top_logprobs", Code: "integer_above_max_value", Message: "Invalid 'top_logprobs': integer above maximum value. Expected a value <= 20, but got 21 instead."},
		`{"messages":"hi"}`:                  {Param: "messages", Code: "invalid_type", Message: "Invalid type for 'messages': expected an array of objects, but got a string instead."},
		`{"messages":["hi"]}`:                {Param: "messages[0]", Code: "invalid_type", Message: "Invalid type for 'messages[0]': expected an object, but got a string instead."},
		`{"messages":[{"role":true}]}`:       {Param: "messages[0].role", Code: "invalid_type", Message: "Invalid type for 'messages[0].role': expected a string, but got a boolean instead."},
		`{"messages":[{"content":{}}]}`:      {Param: "messages[0].content", Code: "invalid_type", Message: "Invalid type for 'messages[0].content': expected one of a string or array of objects, but got an object instead."},
		`{"messages":[{"content":[{"text":[]}]}]}`:              {Param: "messages[0].content[0].text", Code: "invalid_type", Message: "Invalid type for 'messages[0].content[0].text': expected a string, but got an array instead."},
		`{"stream_options":true}`:                               {Param: "stream_options", Code: "invalid_type", Message: "Invalid type for 'stream_options': expected an object, but got a boolean instead."},
		`{"tools":{}}`:                                          {Param: "tools", Code: "invalid_type", Message: "Invalid type for 'tools': expected an array of objects, but got an object instead."},
		`{"tools":[{"type":"function","function":{"name":1}}]}`: {Param: "tools[0].function.name", Code: "invalid_type", Message: "Invalid type for 'tools[0].function.name': expected a string, but got an integer instead."},
	} {
		t.Run(body, func(t *testing.T) {
			t.Parallel()
			_, err := chat.Surface{}.Read(nil, []byte(body))
			var got *request.Error
			if !errors.As(err, &got) {
				t.Fatalf("error = %v, want an *request.Error", err)
			}
			want.Status, want.Type = 400, "invalid_request_error"
			if *got != want {
				t.Errorf("got  %+v\nwant %+v", *got, want)
			}
		})
	}
}

func FuzzParseRequest(f *testing.F) {
	f.Add([]byte(`{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"x"}]}],"tools":[{"type":"custom","custom":{"name":"n"}}]}`))
	f.Add([]byte(`{"model":"o1","messages":[{"role":"tool","tool_call_id":"c","content":"x"}],"response_format":{"type":"json_schema","json_schema":{"name":"n","strict":true,"schema":{"type":"object","properties":{"a":{"anyOf":[{}]}}}}}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		req, err := chat.Surface{}.Read(nil, body)
		if err != nil {
			return
		}
		if req.N < 1 || req.N > 128 || req.TopLogprobs < 0 || req.TopLogprobs > 20 {
			t.Errorf("n = %d, top_logprobs = %d", req.N, req.TopLogprobs)
		}
		if err := (chat.Surface{}).Check(req); err != nil && (err.Message == "" || err.Status != 400) {
			t.Errorf("error without message or status: %+v", err)
		}
	})
}
