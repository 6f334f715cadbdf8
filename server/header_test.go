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

// The content type that a scenario sets for its answers does not apply to its errors.
func TestContentTypesOfCompletionsAreNotThoseOfErrors(t *testing.T) {
	t.Parallel()
	const base = "name: base\nwire: { content_type: text/x-base, headers: { X-Base: b } }\nmessage: Hi.\n---\n"
	for name, tt := range map[string]struct{ yaml, want string }{
		"of a base":               {base + "name: a\nextends: base\nerror: { status: 429 }", "application/json"},
		"written beside an error": {base + "name: a\nextends: base\nwire: { content_type: text/x-own }\nerror: { status: 429 }", "text/x-own"},
		"of a base, for answers":  {base + "name: a\nextends: base\nmessage: Ho.", "text/x-base"},
		"of other replies":        {"name: a\nwire: { content_type: text/x-base, headers: { X-Base: b } }\nreplies: [{ times: 1, error: { status: 429 } }, { message: Hi. }]", "application/json"},
		"of the reply itself":     {"name: a\nreplies: [{ times: 1, error: { status: 429 }, wire: { content_type: text/x-own, headers: { X-Base: b } } }, { message: Hi. }]", "text/x-own"},
		"of an error alone":       {"name: a\nwire: { content_type: text/x-own, headers: { X-Base: b } }\nerror: { status: 429 }", "text/x-own"},
		"of a stream that fails":  {"name: a\nwire: { content_type: text/x-base, headers: { X-Base: b } }\nstream: [{ role: assistant }, { error: { message: No } }]", "application/json"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, tt.yaml, server.Config{})
			resp := r.chat(`{"model":"fake:a","messages":[{"role":"user","content":"Hi"}]}`)
			if got := resp.Header.Get("Content-Type"); !strings.HasPrefix(got, tt.want) || resp.Header.Get("X-Base") != "b" {
				t.Errorf("Content-Type is %q, want %q; the header is %v", got, tt.want, resp.Header)
			}
		})
	}
}
