package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/server"
)

// complete is the body of a request for a legacy completion.
const complete = `{"model":"gpt-3.5-turbo-instruct","prompt":"Say hello to Ada."}`

// complete sends a request for a legacy completion.
func (r *running) complete(body string, header ...string) *http.Response {
	r.t.Helper()
	return r.do(http.MethodPost, "/v1/completions", body, header...)
}

// A server that does not check requests answers any model on any API. A strict one returns
// the real service's error.
func TestAStrictServerRefusesModelsOfAnotherAPI(t *testing.T) {
	t.Parallel()
	tests := []struct{ path, body, message string }{
		{"/v1/completions", `{"model":"gpt-4o","prompt":"Hi"}`,
			"This is a chat model and not supported in the v1/completions endpoint. Did you mean to use v1/chat/completions?"},
		{"/v1/chat/completions", `{"model":"gpt-3.5-turbo-instruct","messages":[{"role":"user","content":"Hi"}]}`,
			"This is not a chat model and thus not supported in the v1/chat/completions endpoint. Did you mean to use v1/completions?"},
	}
	lenient, strict := start(t, hello, server.Config{}), start(t, hello, server.Config{Strict: true})
	for _, tt := range tests {
		wantStatus(t, lenient.do(http.MethodPost, tt.path, tt.body), http.StatusOK)
		resp := strict.do(http.MethodPost, tt.path, tt.body, keyA)
		wantStatus(t, resp, http.StatusNotFound)
		want := "{\n  \"error\": {\n    \"message\": \"" + tt.message + "\",\n    \"type\": \"invalid_request_error\",\n    \"param\": \"model\",\n    \"code\": null\n  }\n}"
		if got := text(t, resp); got != want {
			t.Errorf("%s: got %s\nwant %s", tt.path, got, want)
		}
	}
	wantStatus(t, strict.do(http.MethodPost, "/v1/completions", complete, keyA), http.StatusOK)
}

// A scenario that is requested by name is played on every API that can express it.
func TestAChunkOfCompletionsIsNotSaidInChat(t *testing.T) {
	t.Parallel()
	r := start(t, `
name: whole
quirks: [choice-incomplete, chunk-without-envelope]
when: { surface: completions }
stream:
  - content: Hi
  - chunk: { choices: [{ text: " there" }] }
  - { content: "!", finish: stop }
`, server.Config{})
	wantContains(t, r.ask(http.MethodPost, "/v1/chat/completions", ask, http.StatusBadRequest, "X-Fakeopenai-Scenario: whole"), "step 2 is a literal chunk of completions, which chat completions cannot express", `"fake_unsayable"`)
	wantStatus(t, r.complete(complete), http.StatusOK)
}

// A reply that a surface cannot say is refused before anything is used up.
func TestAnUnsayableReplyIsNotUsedUp(t *testing.T) {
	t.Parallel()
	r := start(t, `
name: calls
replies:
  - times: 1
    message: { tool_calls: [{ id: call_1, name: f }] }
  - message: That was all.
`, server.Config{})
	// Programs that are built for each request are checked as well.
	for _, body := range []string{complete, complete, `{"model":"m","prompt":"Hi","echo":true}`, `{"model":"m","prompt":"Hi","logprobs":1,"stream":true}`} {
		resp := r.complete(body)
		wantStatus(t, resp, http.StatusBadRequest)
		wantContains(t, text(t, resp), `scenario \"calls\", reply 1: the message holds a tool call, which completions cannot express`,
			`"code": "fake_unsayable"`, `"type": "invalid_request_error"`, `"param": null`)
		if got := resp.Header.Get("X-Should-Retry"); got != "false" {
			t.Errorf("X-Should-Retry is %q, want false", got)
		}
		if rec := r.ended(); !rec.Unmatched || !strings.Contains(rec.Problem, "a tool call") || rec.Status != http.StatusBadRequest {
			t.Errorf("the journal has unmatched %v, %q and %d", rec.Unmatched, rec.Problem, rec.Status)
		}
	}
	wantContains(t, text(t, r.chat(ask)), `"call_1"`)
	wantContains(t, text(t, r.complete(complete)), "That was all.")
}
