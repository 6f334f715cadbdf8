package cli

import "testing"

// The timeline shows calls of every kind, and texts of every API, as the API itself reads
// them, even if the chunk does not name its object.
func TestChunksAreDescribed(t *testing.T) {
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
	} {
		if got := describe(c.kind, []byte("data: "+c.data+"\n\n")); got != c.want {
			t.Errorf("%s is described as %s, want %s", c.data, got, c.want)
		}
	}
}
