package server_test

import (
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/server"
)

// No two answers of a server have the same request id, so that an id identifies one request.
// A server that is started again gives the same ids.
func TestEveryAnswerHasARequestIDOfItsOwn(t *testing.T) {
	t.Parallel()
	config := server.Config{APIKeys: []string{"sk-right"}, MaxBody: 200}
	r, again := start(t, hello, config), start(t, hello, config)
	other := start(t, hello, server.Config{Seed: 2}).chat(ask, "Authorization: Bearer sk-right")
	seen := map[string]string{other.Header.Get("X-Request-Id"): "the answer of another seed"}
	for _, c := range []struct{ name, method, path, key, body string }{
		{"an unknown path", "GET", "/v1/nope", "sk-right", ""},
		{"a wrong key", "POST", "/v1/chat/completions", "sk-wrong", ask},
		{"a wrong method", "PUT", "/v1/chat/completions", "sk-right", ""},
		{"no JSON", "POST", "/v1/chat/completions", "sk-right", "{"},
		{"other text that is no JSON", "POST", "/v1/chat/completions", "sk-right", "["},
		{"a body that is too large", "POST", "/v1/chat/completions", "sk-right", strings.Repeat("x", 201)},
		{"the list of models", "GET", "/v1/models", "sk-right", ""},
		{"an unknown model", "GET", "/v1/models/fake:x", "sk-right", ""},
		{"an answer", "POST", "/v1/chat/completions", "sk-right", ask},
		{"a completion", "POST", "/v1/completions", "sk-right", `{"prompt":"x"}`},
		{"a path of Azure", "POST", "/openai/deployments/x/images", "sk-right", ""},
	} {
		for range 2 {
			id := r.do(c.method, c.path, c.body, "Authorization: Bearer "+c.key).Header.Get("X-Request-Id")
			if other, ok := seen[id]; ok || id == "" {
				t.Errorf("%s has the id %q, as %s has", c.name, id, other)
			}
			seen[id] = c.name
			if same := again.do(c.method, c.path, c.body, "Authorization: Bearer "+c.key).Header.Get("X-Request-Id"); same != id {
				t.Errorf("%s has the id %q on one server and %q on its like", c.name, id, same)
			}
		}
	}
}
