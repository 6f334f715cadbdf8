package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/server"
)

// respond sends a request for a response.
func (r *running) respond(body string, header ...string) *http.Response {
	r.t.Helper()
	return r.do(http.MethodPost, "/v1/responses", body, header...)
}

const streamedResponse = `{"model":"gpt-4o","stream":true,"input":"hi"}`

// One scenario can answer on several APIs in different ways, and the journal has the API of
// each request.
func TestAResponseIsKnownInTheJournal(t *testing.T) {
	t.Parallel()
	r := start(t, `
name: both
replies:
  - when: { surface: responses, system: { contains: kind } }
    message: A response.
  - when: { surface: chat }
    message: A chat.
`, server.Config{})
	resp := r.respond(`{"model":"gpt-4o","stream":true,"instructions":"Be kind.","input":[{"role":"user","content":"hi"}]}`)
	wantContains(t, text(t, resp), "event: response.completed\n", `"delta":" response"`)
	rec := r.ended()
	if rec.Scenario != "both" || rec.Reply != 0 || rec.Path != "/v1/responses" || rec.Request.Surface != "responses" || rec.Request.LastUser != "hi" {
		t.Errorf("the journal has %q, reply %d, %s on %s, asked for %q", rec.Scenario, rec.Reply, rec.Path, rec.Request.Surface, rec.Request.LastUser)
	}
	if d := rec.Delivery; d.Frames != 11 || rec.Failed {
		t.Errorf("%d frames were delivered, want 11; failed: %t", d.Frames, rec.Failed)
	}
	wantContains(t, text(t, r.chat(ask)), `" chat"`)
}

// A hold is at the same place as in a stream of chat completions. The events that a shutdown
// sends continue the sequence numbers.
func TestAResponseIsHeldAndShutDown(t *testing.T) {
	t.Parallel()
	r := start(t, held+"wire: { on_shutdown: { error: { message: Going., type: server_error } } }\n", server.Config{DrainTimeout: time.Nanosecond})
	resp := r.respond(streamedResponse)
	await(t, r, "middle")
	if err := r.Shutdown(t.Context()); err == nil {
		t.Error("Shutdown says that no answer was ended")
	}
	got := text(t, resp)
	events := strings.Split(strings.TrimSpace(got), "\n\n")
	if len(events) != 7 || !strings.Contains(events[4], `"delta":"before"`) {
		t.Fatalf("the stream is %s", got)
	}
	wantContains(t, events[5], "event: error\n", `"message":"Going."`, `"sequence_number":11}`)
	wantContains(t, events[6], "event: response.failed\n", `"status":"failed"`, `"sequence_number":12}`)
}

// The error for an unknown model differs from that of chat completions.
func TestAResponseOfAModelThatDoesNotExist(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{Strict: true})
	resp := r.respond(`{"model":"gpt-9000","stream":true,"input":"hi"}`, keyA)
	wantStatus(t, resp, http.StatusBadRequest)
	wantContains(t, text(t, resp), `"message": "The requested model 'gpt-9000' does not exist."`, `"param": "model"`, `"code": "model_not_found"`)
}

// The headers are those of chat completions, except the rate limits, which recordings of
// streams do not have.
func TestTheHeadersOfAResponse(t *testing.T) {
	t.Parallel()
	r := start(t, hello+"---\nname: full\nwhen: { user: full }\nerror: 429\n", server.Config{})
	for body, want := range map[string]struct {
		contentType string
		limits      bool
	}{
		streamedResponse:                                  {"text/event-stream; charset=utf-8", false},
		`{"model":"gpt-4o","input":"hi"}`:                 {"application/json", true},
		`{"model":"gpt-4o","stream":true,"input":"full"}`: {"application/json", true},
	} {
		resp := r.respond(body)
		text(t, resp)
		if got := resp.Header.Get("Content-Type"); got != want.contentType {
			t.Errorf("%s: the content type is %q", body, got)
		}
		if got := resp.Header.Get("X-Ratelimit-Limit-Requests") != ""; got != want.limits {
			t.Errorf("%s: limits are told: %t", body, got)
		}
		for _, name := range []string{"Openai-Version", "Openai-Organization", "Openai-Processing-Ms", "X-Request-Id", "X-Content-Type-Options"} {
			if resp.Header.Get(name) == "" {
				t.Errorf("%s: there is no %s", body, name)
			}
		}
	}
}
