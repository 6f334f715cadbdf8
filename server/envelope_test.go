package server_test

import (
	"testing"

	"github.com/fakeopenai/fakeopenai/server"
)

// What a scenario adds to all chunks does not take away what one of them says.
func TestTheEnvelopeKeepsAuthoredUsage(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]struct{ path, body string }{
		"chat":        {"/v1/chat/completions", `{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"Hi"}]}`},
		"completions": {"/v1/completions", `{"model":"gpt-3.5-turbo-instruct","stream":true,"prompt":"Hi"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, "name: a\nenvelope: { usage: null }\nstream: [{ role: assistant }, { finish: stop }, { usage: { prompt_tokens: 41, completion_tokens: 1 } }]", server.Config{})
			got := text(t, r.do("POST", ask.path, ask.body))
			wantContains(t, got, `"usage":null`, `"prompt_tokens":41`)
		})
	}
}
