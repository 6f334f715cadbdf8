package server_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/server"
)

// conversation returns a request of about size bytes, with messages as people and models
// write them.
func conversation(size int) string {
	const turn = `{"role":"user","content":"What does the word \"protocol\" mean?\nIn two sentences, please: one for what it says, one for an example.\n"},` +
		`{"role":"assistant","content":"It is what both sides agree on – which messages there are, and what comes after which.\n\nHTTP is one.","refusal":null},`
	return `{"model":"gpt-4o","stream":true,"stream_options":{"include_usage":true},"messages":[` +
		strings.Repeat(turn, size/len(turn)) + `{"role":"user","content":"hello"}]}`
}

// unwritten is an http.ResponseWriter that discards the response and allocates nothing.
type unwritten struct{ header http.Header }

func (w *unwritten) Header() http.Header         { return w.header }
func (w *unwritten) Write(p []byte) (int, error) { return len(p), nil }
func (w *unwritten) WriteHeader(int)             {}
func (w *unwritten) Flush()                      {}

// SetReadDeadline makes the server believe that it can set deadlines.
func (w *unwritten) SetReadDeadline(time.Time) error { return nil }

// answering returns a function that sends a request to a server of the scenario, without a
// network.
func answering(t *testing.T, yaml, ask string) func() {
	t.Helper()
	s := local(t, yaml, server.Config{Observe: unobserved})
	header := http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer sk-test"}}
	path := "/v1/chat/completions"
	if strings.Contains(ask, `"input"`) {
		path = "/v1/responses"
	}
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(ask))
	r.Header = header
	rec := httptest.NewRecorder()
	s.ServeHTTP(rec, r)
	if rec.Code != http.StatusOK {
		t.Fatal(rec.Body)
	}
	body := strings.NewReader(ask)
	return func() {
		body.Reset(ask)
		r.Header, r.Body, r.ContentLength = header, io.NopCloser(body), int64(len(ask))
		s.ServeHTTP(&unwritten{http.Header{}}, r)
	}
}

// TestALargeRequestCostsLittleMoreThanItsDecode compares the allocations of a request of
// 100 KB and its answer with those of decoding the request with encoding/json.
func TestALargeRequestCostsLittleMoreThanItsDecode(t *testing.T) { // not parallel: it counts the allocations of the process
	testflag.NoRace(t)
	ask := conversation(100 << 10)
	for name, yaml := range map[string]string{
		"20 chunks":  script(20),
		"a template": "name: x\nmessage: 'You said {{ .last_user }}, {{ .request.model }}'\n",
	} {
		ours, ourBytes := used(answering(t, yaml, ask))
		theirs, theirBytes := used(func() {
			var v any
			if err := json.Unmarshal([]byte(ask), &v); err != nil {
				t.Fatal(err)
			}
		})
		t.Logf("%s: %.0f allocations of %.0f bytes; encoding/json makes %.0f of %.0f", name, ours, ourBytes, theirs, theirBytes)
		if ours > theirs/10 || ourBytes > 2*theirBytes {
			t.Errorf("%s: the answer takes %.0f allocations of %.0f bytes, decoding alone takes %.0f of %.0f", name, ours, ourBytes, theirs, theirBytes)
		}
	}
}
