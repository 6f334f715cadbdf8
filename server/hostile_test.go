package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/server"
)

// hostileTool returns a request of two kilobytes that offers a tool f, for whose parameters
// no values can be invented with bounded work.
func hostileTool(levels int) string {
	var defs strings.Builder
	for i := range levels {
		fmt.Fprintf(&defs, `"%d":{"allOf":[{"$ref":"#/$defs/%d"},{"$ref":"#/$defs/%d"}]},`, i, i+1, i+1)
	}
	return fmt.Sprintf(`{"model":"gpt-4o","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"f",`+
		`"parameters":{"$ref":"#/$defs/0","$defs":{%s"%d":{}}}}}]}`, defs.String(), levels)
}

// A schema that takes too much work is the request's mistake: a 400.
func TestASchemaThatTakesTooMuchWorkIsRefused(t *testing.T) {
	t.Parallel()
	r := start(t, "name: x\nmessage: { tool_calls: [{ name: f, arguments: fake }] }\n", server.Config{})
	const many = `{"model":"gpt-4o","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"f",` +
		`"parameters":{"type":"array","minItems":90000,"items":{"type":"array","minItems":3,"items":{"type":"boolean"}}}}}]}` // ends after some more steps
	for _, body := range []string{hostileTool(30), many} {
		wantContains(t, r.ask(http.MethodPost, "/v1/chat/completions", body, http.StatusBadRequest), "it takes more than 250000 steps to satisfy it", `"invalid_request_error"`)
	}
}

// The server stops inventing an answer when its client has left.
func TestInventingStopsWhenTheClientLeaves(t *testing.T) {
	t.Parallel()
	s := local(t, "name: x\nmessage: { choices: ["+strings.Repeat("{ tool_calls: [{ name: f, arguments: fake }] }, ", 128)+"] }\n", server.Config{})
	body := strings.Replace(hostileTool(12), `{"model"`, `{"n":128,"model"`, 1)
	if !json.Valid([]byte(body)) {
		t.Fatal(body)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	req, err := http.NewRequestWithContext(gone, http.MethodPost, "/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, req)
	if got := w.Body.String(); !strings.Contains(got, "nobody waits for it any more") {
		t.Errorf("the answer is %.300s", got)
	}
}
