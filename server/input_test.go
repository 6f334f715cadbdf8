package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server"
)

const windowInput = `"model":"gpt-4o","input":[{"role":"user","content":"Weather in Oslo?"},{"role":"assistant","content":"It is 18 degrees."},{"type":"message","role":"user","content":[{"type":"input_text","text":"And tomorrow?"}]}]`

// TestInputTokensAreThoseOfTheUsage requests the count and then the answer. The answer is
// still the request's first attempt.
func TestInputTokensAreThoseOfTheUsage(t *testing.T) {
	t.Parallel()
	r := start(t, "name: first\nwhen: { attempt: 1 }\nmessage: Hi", server.Config{Speed: server.Instant})
	for _, prefix := range []string{"/v1", "", "/openai/v1", "/openai", "/openai/deployments/gpt-4o"} {
		status, body := r.sent(prefix+"/responses/input_tokens", "{"+windowInput+"}")
		if status != http.StatusOK || value(t, body, "object").Text() != "response.input_tokens" {
			t.Fatalf("%s: %d %s", prefix, status, body)
		}
		if prefix != "/v1" {
			continue
		}
		status, answered := r.sent("/v1/responses", "{"+windowInput+"}")
		if status != http.StatusOK {
			t.Fatalf("the response is refused: %d %s", status, answered)
		}
		if counted, used := value(t, body, "input_tokens").String(), value(t, answered, "usage.input_tokens").String(); counted != used || counted == "0" {
			t.Errorf("%s tokens are counted, and %s used", counted, used)
		}
	}
	if e := r.Journal()[0]; e.Path != "/v1/responses/input_tokens" || e.Request == nil || e.Scenario != "" || e.Failed {
		t.Errorf("the journal has %+v", e)
	}
}

// The items before previous_response_id are counted as if the input held them.
func TestAnInputHoldsWhatItGoesOnFrom(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{})
	_, before := r.sent("/v1/responses", `{"model":"gpt-4o","input":"Weather in Oslo?"}`)
	past := `,"previous_response_id":"` + value(t, before, "id").Text() + `"}`
	_, alone := r.sent("/v1/responses/input_tokens", `{"model":"gpt-4o","input":"And tomorrow?"}`)
	_, all := r.sent("/v1/responses/input_tokens", `{"model":"gpt-4o","input":"And tomorrow?"`+past)
	few, _ := value(t, alone, "input_tokens").Int()
	if many, _ := value(t, all, "input_tokens").Int(); many <= few {
		t.Errorf("%d tokens with what was said before, %d without", many, few)
	}
	if status, body := r.sent("/v1/responses/input_tokens", `{"model":"gpt-4o","input":"Hi","previous_response_id":"resp_none"}`); status != http.StatusBadRequest || !strings.Contains(body, "previous_response_not_found") {
		t.Errorf("an unknown id is answered with %d %s", status, body)
	}
}

func TestCountsOfInputsThatAreRefused(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{APIKeys: []string{"sk-test"}, Limits: []server.Limit{{Limits: scenarios.Limits{RPM: 1}}}})
	strict := start(t, hello, server.Config{Strict: true})
	for _, tt := range []struct {
		r             *running
		body, message string
		status        int
	}{
		{r, `{"input":5}`, "Invalid type for 'input': expected one of a string or array of input items, but got an integer instead.", 400},
		{r, `{`, "We could not parse the JSON body of your request.", 400},
		{strict, `{"model":"gpt-17","input":"Hi"}`, "The requested model 'gpt-17' does not exist.", 400},
		{strict, `{"model":"gpt-4o","input":"Hi","bogus":[]}`, "Unknown parameter: 'bogus'.", 400},
		{r, `{"model":"gpt-4o","input":"Hi"}`, "response.input_tokens", 200},
		{r, `{"model":"gpt-4o","input":"Hi"}`, "Rate limit reached for gpt-4o", 429},
	} {
		status, body := tt.r.sent("/v1/responses/input_tokens", tt.body)
		if status != tt.status || !strings.Contains(body, tt.message) {
			t.Errorf("%s: %d %s, want %d with %s", tt.body, status, body, tt.status, tt.message)
		}
	}
	r.ask("POST", "/v1/responses/input_tokens", "{"+windowInput+"}", http.StatusUnauthorized) // without a key
}

// sent posts a body with an API key, and returns the status and the body of the answer.
func (r *running) sent(path, body string) (int, string) {
	r.t.Helper()
	resp := r.do(http.MethodPost, path, body, "Authorization: Bearer sk-test")
	return resp.StatusCode, text(r.t, resp)
}

// value returns the value at a path of a JSON text.
func value(t *testing.T, body, path string) ojson.Value {
	t.Helper()
	v, err := ojson.Parse([]byte(body))
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	p, err := ojson.ParsePath(path)
	if err != nil {
		t.Fatal(err)
	}
	return v.Find(p)
}
