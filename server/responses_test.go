package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/server"
)

// sources is an answer that has content for every value of include.
const sources = `
name: sources
stream:
  - reasoning: { summary: Looking it up., encrypted_content: sealed }
  - item: { type: file_search_call, queries: [rain], results: [{ file_id: file_1, score: 0.5 }] }
  - text: It rains.
  - finish: stop
`

// A GET of a kept response can include more than the first answer had. Everything else in
// the response stays the same.
func TestAKeptResponseHoldsWhatIsIncluded(t *testing.T) {
	t.Parallel()
	r := start(t, sources, server.Config{})
	made := r.create(`{"model":"gpt-5","input":"Go"}`)
	path := "/v1/responses/" + id(t, made)
	get := func(query string) string { return r.ask(http.MethodGet, path+query, "", http.StatusOK) }
	if plain := get(""); strings.Contains(plain, "sealed") || strings.Contains(plain, "file_1") {
		t.Errorf("without include the response is %s", plain)
	}
	for query, want := range map[string][]string{
		"?include=reasoning.encrypted_content":                                      {"sealed"},
		"?include[]=file_search_call.results":                                       {"file_1"},
		"?include=file_search_call.results&include=reasoning.encrypted_content":     {"sealed", "file_1"},
		"?include=reasoning.encrypted_content,file_search_call.results&stream=true": {"sealed", "file_1"},
		"?stream=true&include_obfuscation=false&include[]=file_search_call.results": {"file_1"},
	} {
		body := get(query)
		for _, all := range []string{"sealed", "file_1"} {
			holds, asked := strings.Contains(body, all), strings.Contains(strings.Join(want, " "), all)
			if holds != asked {
				t.Errorf("GET %s holds %s: %v, want %v, in %s", query, all, holds, asked, body)
			}
		}
		for item := range 3 {
			if name, _ := member(t, made, "output", item, "id").(string); !strings.Contains(body, name) {
				t.Errorf("GET %s has another item than %s: %s", query, name, body)
			}
		}
	}
	wrong := r.ask(http.MethodGet, path+"?include=tea", "", http.StatusBadRequest)
	if member(t, wrong, "error", "param") != "include" || !strings.Contains(wrong, "'reasoning.encrypted_content'") {
		t.Errorf("an unknown name is answered with %s", wrong)
	}
}

// A GET of a kept response can also include log-probabilities.
func TestAKeptResponseTellsLogprobs(t *testing.T) {
	t.Parallel()
	r := start(t, "name: said\nmessage: It rains.", server.Config{})
	path := "/v1/responses/" + id(t, r.create(`{"model":"gpt-4o","input":"Go"}`))
	for query, want := range map[string]bool{"": false, "?include=message.output_text.logprobs": true} {
		list, _ := member(t, r.ask(http.MethodGet, path+query, "", http.StatusOK), "output", 0, "content", 0, "logprobs").([]any)
		if (len(list) > 0) != want {
			t.Errorf("GET %s has the log-probabilities %v", query, list)
		}
	}
}

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
