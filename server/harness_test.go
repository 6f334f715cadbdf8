package server_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"go.uber.org/goleak"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// patience is how long a test waits for something before it fails. Tests that pass do not
// wait that long.
const patience = 30 * time.Second

// hello is a scenario for tests that do not look at the text of the answer.
const hello = `
name: hello
message: { content: Hello. }
`

// held is a scenario whose stream waits in its middle.
const held = `
name: held
stream:
  - role: assistant
  - content: before
  - hold: middle
  - content: " after"
  - finish: stop
`

const ask = `{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"hi"}]}`

// script is a scenario whose stream has n chunks.
func script(n int) string {
	var b strings.Builder
	b.WriteString("name: bench\nstream:\n  - role: assistant\n")
	for i := range n - 2 {
		fmt.Fprintf(&b, "  - content: %q\n", fmt.Sprintf(" word%d", i%100))
	}
	b.WriteString("  - finish: stop\n")
	return b.String()
}

// running is a server that answers requests until its test ends.
type running struct {
	*server.Server
	t       *testing.T
	url     string
	client  *http.Client
	records chan journal.Entry // the entries of requests that have ended
}

// start serves YAML scenarios on loopback until the test ends.
func start(t *testing.T, yaml string, config server.Config) *running {
	t.Helper()
	r := newRunning(t, yaml, config)
	listening := httptest.NewServer(r.Server)
	r.url, r.client = listening.URL, listening.Client()
	r.client.Timeout = patience // a test that fails must not hang
	t.Cleanup(func() {
		r.Close()
		listening.Close()
	})
	return r
}

// local serves YAML scenarios without a network, also in a bubble of testing/synctest.
func local(t *testing.T, yaml string, config server.Config) *running {
	t.Helper()
	r := newRunning(t, yaml, config)
	r.url, r.client = "http://127.0.0.1", &http.Client{Transport: inProcess{r.Server}}
	t.Cleanup(r.Close)
	return r
}

// inProcess is a client of a handler. Answers that break off end with [http.ErrAbortHandler].
type inProcess struct{ http.Handler }

func (p inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	broken := serveTo(p, w, r)
	resp := w.Result()
	if broken {
		resp.Body = io.NopCloser(io.MultiReader(resp.Body, iotest.ErrReader(http.ErrAbortHandler)))
	}
	return resp, nil
}

// serveTo serves a request, and reports whether the answer breaks off.
func serveTo(h http.Handler, w http.ResponseWriter, r *http.Request) (broken bool) {
	defer func() {
		switch v := recover(); v {
		case nil:
		case http.ErrAbortHandler:
			broken = true
		default:
			panic(v)
		}
	}()
	h.ServeHTTP(w, r)
	return false
}

// unobserved is for tests that measure memory: it keeps no entries for [running.ended].
func unobserved(journal.Entry) {}

// newRunning makes the server of a test, without a way to it.
func newRunning(t *testing.T, yaml string, config server.Config) *running {
	t.Helper()
	if yaml != "" {
		config.Scenarios = parse(t, yaml)
	}
	r := &running{t: t, records: make(chan journal.Entry, 1000)}
	if config.Observe == nil {
		config.Observe = func(rec journal.Entry) {
			select {
			case r.records <- rec:
			default: // the test does not look at so many
			}
		}
	}
	s, err := server.New(config)
	if err != nil {
		t.Fatal(err)
	}
	r.Server = s
	return r
}

func parse(t testing.TB, yaml string) *scenarios.Set {
	t.Helper()
	list, diags := yamlfile.Parse("test.yaml", []byte(yaml))
	if err := diags.Err(); err != nil {
		t.Fatal(err)
	}
	set, err := scenarios.NewSet(list...)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// do sends a request. Header lines are "Name: value"; those of the host and of the length of the
// body may be among them.
func (r *running) do(method, path, body string, header ...string) *http.Response {
	r.t.Helper()
	return r.upload(method, path, strings.NewReader(body), header...)
}

// upload is like do, for bodies of any size and speed.
func (r *running) upload(method, path string, body io.Reader, header ...string) *http.Response {
	r.t.Helper()
	ctx, giveUp := context.WithCancelCause(r.t.Context())
	r.t.Cleanup(func() { giveUp(nil) })
	req, err := http.NewRequestWithContext(ctx, method, r.url+path, body)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		switch req.Header.Add(name, value); name {
		case "Host":
			req.Host = value
		case "Content-Length":
			req.ContentLength, _ = strconv.ParseInt(value, 10, 64)
		}
	}
	waiting := time.AfterFunc(patience, func() { giveUp(fmt.Errorf("no answer has begun after %s", patience)) })
	resp, err := r.client.Do(req)
	waiting.Stop()
	if err != nil {
		r.t.Fatal(err, context.Cause(ctx))
	}
	r.t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// ask sends a request and returns the body of the answer, which must have the status.
func (r *running) ask(method, path, body string, status int, header ...string) string {
	r.t.Helper()
	resp := r.do(method, path, body, header...)
	wantStatus(r.t, resp, status)
	return text(r.t, resp)
}

// chat sends a chat completions request.
func (r *running) chat(body string, header ...string) *http.Response {
	r.t.Helper()
	return r.do(http.MethodPost, "/v1/chat/completions", body, header...)
}

// get returns the body of the answer to a GET, which must have the status.
func (r *running) get(path string, status int) string {
	r.t.Helper()
	return r.ask(http.MethodGet, path, "", status)
}

// ended waits for the next request that ends, and returns its journal entry.
func (r *running) ended() journal.Entry {
	r.t.Helper()
	select {
	case rec := <-r.records:
		return rec
	case <-time.After(patience):
		r.t.Fatal("no request ended")
		return journal.Entry{}
	}
}

// text reads an answer's body to its proper end.
func text(t *testing.T, resp *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("body %q breaks off: %v", body, err)
	}
	return string(body)
}

func wantStatus(t *testing.T, resp *http.Response, status int) {
	t.Helper()
	if resp.StatusCode != status {
		body, _ := io.ReadAll(resp.Body)
		t.Fatalf("status %d, want %d; body: %s", resp.StatusCode, status, body)
	}
}

func wantContains(t *testing.T, got string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(got, want) {
			t.Errorf("got %q, which lacks %q", got, want)
		}
	}
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
