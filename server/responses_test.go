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

// Recordings of streams of this API tell no limits.
func TestAStreamOfResponsesTellsNoLimits(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{})
	for body, told := range map[string]bool{streamedResponse: false, `{"model":"gpt-4o","input":"hi"}`: true} {
		if got := r.respond(body).Header.Get("X-Ratelimit-Limit-Requests") != ""; got != told {
			t.Errorf("%s: limits are told: %t", body, got)
		}
	}
}
