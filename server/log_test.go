package server_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/fakeopenai/fakeopenai/server"
)

// logged is a log that the test can read while the server writes to it.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer // text is guarded by mu.
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *logged) lines() []string { return strings.Split(strings.TrimSuffix(l.String(), "\n"), "\n") }

func TestEachRequestIsOneLineInTheLog(t *testing.T) {
	t.Parallel()
	var out logged
	r := start(t, "name: hello\nwhen: { model: gpt-4o }\nmessage: { content: Hello. }\n", server.Config{Logger: slog.New(slog.NewTextHandler(&out, nil))})
	for _, body := range []string{ask, `{"model":"o3"}`} {
		io.Copy(io.Discard, r.chat(body).Body)
		r.ended()
	}
	r.do(http.MethodGet, "/_fake/healthz", "")

	got := out.lines()
	if len(got) != 2 {
		t.Fatalf("%d lines: %q", len(got), got)
	}
	wantContains(t, got[0], "level=INFO", "request=1 ", "method=POST", "path=/v1/chat/completions", "status=200", "scenario=hello", "reply=0", "frames=", "bytes=", "ended=complete", "duration=")
	wantContains(t, got[1], "level=WARN", "request=2 ", "status=404", `problem="no scenario answers this request: the nearest is \"hello\"`)
}

// In JSON, slog would write a duration as a number without a unit.
func TestLinesOfTheLogHaveUnitsAndTheirSource(t *testing.T) {
	t.Parallel()
	var out logged
	r := start(t, hello, server.Config{Logger: slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{AddSource: true}))})
	text(t, r.chat(ask))
	r.ended()
	line := decode[struct {
		Duration string
		Source   slog.Source
	}](t, out.String())
	if !strings.HasSuffix(line.Duration, "s") || !strings.HasSuffix(line.Source.File, "exchange.go") {
		t.Errorf("the line is %+v", line)
	}
}

// What people forget is said in the journal and in the log, once for each scenario and kind.
func TestWhatPeopleForgetIsSaidOnce(t *testing.T) {
	t.Parallel()
	const src = `
name: agent
when: { user: weather }
message: { tool_calls: [{ id: call_1, name: look, arguments: { a: 1 } }] }
---
name: nameless
when: { user: rain }
message: { tool_calls: [{ name: look, arguments: { a: 1 } }] }
---
name: late
when: { user: late }
error: { status: 429, headers: { Retry-After: '{{ now "30s" }}' } }
---
name: dated
when: { user: dated }
error: { status: 429, headers: { Retry-After: '{{ http_date "30s" }}' } }
`
	const tools = `"tools":[{"type":"function","function":{"name":"look","parameters":{}}}],`
	asking := func(extra, user string) string {
		return `{"model":"gpt-4o",` + extra + `"messages":[{"role":"user","content":"` + user + `"}`
	}
	result := func(id, arguments string) string {
		return `,{"role":"assistant","tool_calls":[{"id":"` + id + `","type":"function","function":{"name":"look","arguments":"` + arguments + `"}}]},{"role":"tool","tool_call_id":"` + id + `","content":"x"}`
	}
	r := local(t, src, server.Config{})
	for _, tt := range []struct{ what, body, warns string }{
		{"the tool is offered", asking(tools, "weather") + `]}`, ""},
		{"no tool is offered", asking("", "weather") + `]}`, "which the request does not offer (it offers none)"},
		{"it was said", asking("", "weather") + `]}`, ""},
		{"another scenario, another tool", asking(strings.ReplaceAll(tools, "look", "search"), "rain") + `]}`, "which the request does not offer (it offers search)"},
		{"an earlier turn has the result", asking(tools, "weather") + result("call_1", `{}`) + `,{"role":"assistant","content":"Rain."},{"role":"user","content":"weather"}]}`, ""},
		{"another result", asking(tools, "weather") + result("call_2", `{}`) + `]}`, ""},
		{"its own result, by the id", asking(tools, "weather") + result("call_1", `{}`) + `]}`, "calls look again in answer to the result of this call"},
		{"other arguments", asking(tools, "rain") + result("call_7", `{}`) + `]}`, ""},
		{"its own result, by the arguments", asking(tools, "rain") + result("call_7", `{\"a\": 1}`) + `]}`, "calls look again in answer"},
		{"a Retry-After that nobody reads", asking("", "late") + `]}`, "which is neither seconds nor an HTTP date"},
		{"an HTTP date", asking("", "dated") + `]}`, ""},
	} {
		r.do(http.MethodPost, "/v1/chat/completions", tt.body)
		r.warned(tt.what, tt.warns)
	}
	r.do(http.MethodGet, "/v1/models", "")
	r.warned("a GET without a body", "")
	r.do(http.MethodGet, "/v1/responses/resp_1", `{"stream":true}`)
	r.warned("a GET with a body", "the body of a GET is not read")
	r.do(http.MethodGet, "/v1/models", `{"stream":true}`)
	r.warned("a second one", "")
}

// warned checks the warnings of the next request that ends.
func (r *running) warned(what, want string) {
	r.t.Helper()
	got := strings.Join(r.ended().Warnings, "; ")
	if (want == "") != (got == "") || !strings.Contains(got, want) {
		r.t.Errorf("%s: warned %q, want %q", what, got, want)
	}
}

// What an error says of the tokens of a prompt is true of it, and embeddings are refused like everything that is too long.
func TestPromptsThatAreTooLongAreCounted(t *testing.T) {
	t.Parallel()
	r := local(t, "name: long\nwhen: { surface: chat }\nerror: { code: context_length_exceeded }\n", server.Config{})
	short := r.do(http.MethodPost, "/v1/chat/completions", ask)
	if got := text(t, short); !strings.Contains(got, "maximum context length is 6 tokens. However, your messages resulted in 7 tokens.") {
		t.Errorf("a short prompt: %s", got)
	}
	long := r.do(http.MethodPost, "/v1/chat/completions", `{"model":"gpt-4o","messages":[{"role":"user","content":"`+strings.Repeat("word ", 9000)+`"}]}`)
	if got := text(t, long); !strings.Contains(got, "maximum context length is 8192 tokens. However, your messages resulted in 9") && !strings.Contains(got, "8192 tokens. However, your messages resulted in 1") {
		t.Errorf("a long prompt: %s", got)
	}
	resp := r.do(http.MethodPost, "/v1/embeddings", `{"model":"text-embedding-3-small","input":"`+strings.Repeat("word ", 9000)+`"}`)
	wantStatus(t, resp, http.StatusBadRequest)
	if got := text(t, resp); !strings.Contains(got, "This model's maximum context length is 8192 tokens, however you requested 9") {
		t.Errorf("embeddings: %s", got)
	}
}
