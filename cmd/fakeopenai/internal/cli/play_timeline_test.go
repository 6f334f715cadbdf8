package cli

import "testing"

// The timeline shows calls of every kind, and texts of every API, as the API itself reads
// them, even if the chunk does not name its object.
func TestEventsAreDescribed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kind, data, want string }{
		{"role", `{"choices":[{"delta":{"role":"assistant","content":""}}]}`, "role assistant"},
		{"tool", `{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"c","type":"custom","custom":{"name":"run","input":"ls"}}]}}]}`, `tool 1 run "ls"`},
		{"tool", `{"choices":[{"delta":{"function_call":{"name":"f","arguments":"{"}}}]}`, `tool f "{"`},
		{"content", `{"object":"other","choices":[{"index":1,"text":"Hi"}]}`, `content[1] "Hi"`},
		{"usage", `{"choices":[],"usage":{"prompt_tokens":8,"completion_tokens":2}}`, "usage 8 + 2 tokens"},
		{"completion", `{"object":"chat.completion","choices":[{"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}]}`, `completion "Hi"`},
		{"chunk", `{"choices":[{"delta":{}}]}`, "chunk"},
		{"chunk", `{"id":"x"}`, `chunk "{\"id\":\"x\"}"`},
		{"created", `{"type":"response.created","response":{"status":"in_progress","usage":null}}`, "created"},
		{"content", `{"type":"response.output_text.delta","delta":"Hi"}`, `content "Hi"`},
		{"output_item.added", `{"type":"response.output_item.added","item":{"type":"function_call","name":"get_weather","arguments":""}}`, "output_item.added function_call get_weather"},
		{"content_part.added", `{"type":"response.content_part.added","part":{"type":"refusal"}}`, "content_part.added refusal"},
		{"finish", `{"type":"response.completed","response":{"status":"completed","error":null,"usage":{"input_tokens":8,"output_tokens":2}}}`, "finish completed 8 + 2 tokens"},
		{"finish", `{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}}`, "finish incomplete max_output_tokens"},
		{"finish", `{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"Sorry"}}}`, `finish failed server_error "Sorry"`},
		{"error", `{"type":"error","code":"rate_limit_exceeded","message":"Slow down"}`, `error rate_limit_exceeded "Slow down"`},
		{"completion", `{"object":"response","output":[{"type":"message","content":[{"text":"Hi"}]},{"type":"function_call","name":"f","arguments":"{}"}],"text":{"format":{}}}`, `completion "Hi" function_call f "{}"`},
		{"content", `{"object":"chat.completion.chunk","choices":[{"delta":{"content":"Hi"}}]}`, `content "Hi"`},
	} {
		if got := describe(c.kind, []byte("data: "+c.data+"\n\n")); got != c.want {
			t.Errorf("%s is described as %s, want %s", c.data, got, c.want)
		}
	}
}

// What is no JSON is shown as it is sent, with what it is.
func TestWhatIsNoJSONIsDescribed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kind, bytes, want string }{
		{"content", "event: response.output_text.delta\nda", `content torn "event: response.output_text.delta\nda"`},
		{"content", "data: {\"id\":\"c", `content torn "data: {\"id\":\"c"`},
		{"content", "data: {\"id\":\xff}\n\n", `content no JSON "{\"id\":\xff}"`},
		{"completion", "<html>\n\n<p>data: x</p>\n", `body "<html>\n\n<p>data: x</p>"`},
		{"completion", "", `body ""`},
		{"content", "\ufeffdata: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\r\r", `content "Hi"`},
	} {
		if got := describe(c.kind, []byte(c.bytes)); got != c.want {
			t.Errorf("%q is described as %s, want %s", c.bytes, got, c.want)
		}
	}
}
