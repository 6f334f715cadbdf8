package server_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

func TestErrorsHaveTheShapeOfTheRealService(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{})
	shape := func(message, param, code string) string {
		return fmt.Sprintf("{\n  \"error\": {\n    \"message\": %q,\n    \"type\": \"invalid_request_error\",\n    \"param\": %s,\n    \"code\": %s\n  }\n}", message, param, code)
	}
	tests := []struct {
		name, method, path, body string
		status                   int
		want                     string
	}{
		{"an unknown path below /v1", "POST", "/v1/chat/nothing", "{}", 404, shape("Invalid URL (POST /v1/chat/nothing)", "null", "null")},
		{"a doubled slash is not cleaned away", "POST", "/v1//chat", "{}", 404, shape("Invalid URL (POST /v1//chat)", "null", "null")},
		{"an unknown path elsewhere", "POST", "/v2/chat", "{}", 404,
			`{
  "error": {
    "type": "invalid_request_error",
    "code": "unknown_url",
    "message": "Unknown request URL: POST /v2/chat. Please check the URL for typos, or see the docs at https://platform.openai.com/docs/api-reference/.",
    "param": null
  }
}`},
		{"an unknown path of Azure", "POST", "/openai/deployments/x/images", "{}", 404, `{"error":{"code":"404","message":"Resource not found"}}`},
		{"a wrong method", "GET", "/v1/embeddings", "", 405, shape("Only POST requests are accepted.", "null", `"method_not_supported"`)},
		{"a wrong method where there are two", "PUT", "/v1/responses/resp_1", "", 405, shape("Only GET and DELETE requests are accepted.", "null", `"method_not_supported"`)},
		{"an escaped slash", "POST", "/v1/responses/resp_1%2Fcancel", "", 405, shape("Only GET and DELETE requests are accepted.", "null", `"method_not_supported"`)},
		{"an unknown model", "GET", "/v1/models/fake:id", "", 404, shape("The model 'fake:id' does not exist", `"model"`, `"model_not_found"`)},
		{"a member of the wrong type", "POST", "/v1/chat/completions", `{"model":"gpt-4o","n":"two"}`, 400,
			shape("Invalid type for 'n': expected an integer, but got a string instead.", `"n"`, `"invalid_type"`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			resp := r.do(tt.method, tt.path, tt.body)
			wantStatus(t, resp, tt.status)
			if got := text(t, resp); got != tt.want {
				t.Errorf("body:\n%s\nwant:\n%s", got, tt.want)
			}
			if got := resp.Header.Get("Content-Type"); got != "application/json" {
				t.Errorf("content type %q", got)
			}
			if id := resp.Header.Get("X-Request-Id"); id == "" {
				t.Error("there is no x-request-id")
			}
			if limit := resp.Header.Get("X-Ratelimit-Limit-Requests"); limit != "" {
				t.Errorf("a request that no model saw has a rate limit of %s", limit)
			}
		})
	}
}

func TestABodyThatIsNoJSONIsRefused(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{})
	for _, body := range []string{"", "{", "model: gpt-4o", `{"model":"gpt-4o"} trailing`, "\xff\xfe", "{\"model\":\"gpt-4o\xff\"}", `{"model":"\ud83d"}`} {
		wantContains(t, r.ask(http.MethodPost, "/v1/chat/completions", body, http.StatusBadRequest), "We could not parse the JSON body of your request.")
		if rec := r.ended(); rec.Request != nil || !strings.HasPrefix(rec.Problem, "the body ") || rec.Unmatched {
			t.Errorf("for %q the record has request %v, problem %q, unmatched %t", body, rec.Request, rec.Problem, rec.Unmatched)
		}
	}
}

func TestOnlyListedAPIKeysAreAccepted(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{APIKeys: []string{"sk-right"}})
	for header, want := range map[string][2]string{ // a long key is masked, a short one is not
		"Authorization: Bearer not-a-real-key-not-authorized": {"Incorrect API key provided: not-a-re*****************ized. You can find your API key at https://platform.openai.com/account/api-keys.", `"invalid_api_key"`},
		"Authorization: Bearer fake_key":                      {"Incorrect API key provided: fake_key. You can find your API key at https://platform.openai.com/account/api-keys.", `"invalid_api_key"`},
		"Accept: */*":                                         {"Missing bearer or basic authentication in header", "null"},
	} {
		resp := r.chat(ask, header)
		wantStatus(t, resp, http.StatusUnauthorized)
		const shape = "{\n    \"error\": {\n        \"message\": %q,\n        \"type\": \"invalid_request_error\",\n        \"param\": null,\n        \"code\": %s\n    }\n}\n"
		if got, want := text(t, resp), fmt.Sprintf(shape, want[0], want[1]); got != want {
			t.Errorf("%s: body:\n%s\nwant:\n%s", header, got, want)
		}
		h := resp.Header
		if h.Get("Content-Type") != "application/json; charset=utf-8" || h.Get("Vary") != "Origin" || h.Get("Openai-Version") != "" {
			t.Errorf("header %v", h)
		}
	}
	for _, near := range []string{"sk-righ", "sk-right1", "SK-RIGHT", "sk-left", "x"} {
		wantStatus(t, r.chat(ask, "Authorization: Bearer "+near), http.StatusUnauthorized)
	}
	wantStatus(t, r.chat(ask, "Authorization: Bearer sk-right"), http.StatusOK)
	wantStatus(t, r.chat(ask, "Api-Key: sk-right"), http.StatusOK)
	wantStatus(t, r.do(http.MethodGet, "/v1/models", ""), http.StatusUnauthorized)
	azure := r.do(http.MethodPost, "/openai/deployments/x/chat/completions", ask, "Api-Key: wrong")
	wantContains(t, text(t, azure), `{"error":{"code":"401","message":"Access denied`)
}

// endless is a body of 100 MB that counts how much of it was read.
type endless struct{ left int64 }

func (e *endless) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n := min(int64(len(p)), e.left)
	for i := range p[:n] {
		p[i] = ' '
	}
	e.left -= n
	return int(n), nil
}

func TestABodyOverTheLimitIsRefusedUnread(t *testing.T) {
	t.Parallel()
	const size = 100 << 20
	for name, length := range map[string]int64{"announced": size, "not announced": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, hello, server.Config{MaxBody: 1 << 20})
			resp := r.upload(http.MethodPost, "/v1/chat/completions", &endless{size}, fmt.Sprint("Content-Length: ", length))
			wantStatus(t, resp, http.StatusRequestEntityTooLarge)
			wantContains(t, text(t, resp), `"code": "fake_body_too_large"`, "1048576 bytes", `"type": "invalid_request_error"`)
			if !resp.Close {
				t.Error("the connection stays open")
			}
			if rec := r.ended(); len(rec.Body) != 0 || rec.Status != http.StatusRequestEntityTooLarge {
				t.Errorf("the record has status %d and a body of %d bytes", rec.Status, len(rec.Body))
			}
		})
	}
}

func TestABodyAtTheLimitIsRead(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{MaxBody: 1 << 10})
	padded := ask + strings.Repeat(" ", 1<<10-len(ask))
	wantStatus(t, r.chat(padded), http.StatusOK)
	wantStatus(t, r.chat(padded+" "), http.StatusRequestEntityTooLarge)
}

// The server does not wait for ever for a body that a client announced but does not send.
func TestABodyThatDoesNotComeIsRefused(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{"read": "/v1/chat/completions", "not read": "/v1/nothing"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, hello, server.Config{BodyTimeout: time.Millisecond})
			body, stalled := io.Pipe() // delivers nothing, and does not end
			defer stalled.Close()
			resp := r.upload(http.MethodPost, path, body, "Content-Length: 100")
			if name == "not read" {
				wantStatus(t, resp, http.StatusNotFound)
				return
			}
			wantStatus(t, resp, http.StatusRequestTimeout)
			wantContains(t, text(t, resp), `"code": "fake_body_too_slow"`, "after the 1ms")
			if resp.Header.Get("X-Should-Retry") != "false" || !resp.Close {
				t.Errorf("retried: %q, connection closed: %t", resp.Header.Get("X-Should-Retry"), resp.Close)
			}
		})
	}
}

// The limits for bodies apply to scenarios that are sent to the server, too.
func TestScenariosTooLargeOrTooSlowAreRefused(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	stalled, never := io.Pipe() // delivers nothing, and does not end
	defer never.Close()
	for _, tt := range []struct {
		body   io.Reader
		status int
		want   string
	}{
		{strings.NewReader(strings.Repeat("#", 2000)), http.StatusRequestEntityTooLarge, `"code": "fake_body_too_large"`},
		{stalled, http.StatusRequestTimeout, `"code": "fake_body_too_slow"`},
	} {
		r := start(t, hello, server.Config{BodyTimeout: time.Second, MaxBody: 1000})
		resp := r.upload(http.MethodPut, "/_fake/scenarios", tt.body)
		wantStatus(t, resp, tt.status)
		wantContains(t, text(t, resp), tt.want)
	}
}

// If the server closes while a body is still arriving, the journal does not blame the client.
func TestABodyIsNotReadAfterTheServersEnd(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{})
	conn := r.rawDial()
	defer conn.Close()
	if _, err := io.WriteString(conn, "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(conn, make([]byte, len("HTTP/1.1 100 Continue\r\n\r\n"))); err != nil { // the server has begun to read the body
		t.Fatal(err)
	}
	r.Close()
	if e := r.ended(); e.Status != http.StatusServiceUnavailable || e.Problem != "the server was closed" || e.Delivery.Ended != journal.EndedByShutdown {
		t.Errorf("status %d, problem %q, %s", e.Status, e.Problem, e.Delivery.Ended)
	}
}

// one is a listener that accepts a single connection.
type one struct{ conns chan net.Conn }

func (l one) Accept() (net.Conn, error) {
	if conn, ok := <-l.conns; ok {
		return conn, nil
	}
	return nil, net.ErrClosed
}
func (l one) Close() error   { return nil }
func (l one) Addr() net.Addr { return &net.TCPAddr{} }

// BodyTimeout limits only the body of the request: a stream may take longer.
func TestAStreamMayTakeLongerThanABody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const yaml = "name: slow\nstream:\n  - role: assistant\n  - content: before\n  - wait: 1m\n  - content: after\n  - finish: stop\n"
		s := local(t, yaml, server.Config{BodyTimeout: time.Second})
		near, far := net.Pipe()
		listener := one{make(chan net.Conn, 1)}
		listener.conns <- far
		httpd := &http.Server{Handler: s}
		go func() { _ = httpd.Serve(listener) }()
		client := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return near, nil }}}
		resp, err := client.Post("http://test/v1/chat/completions", "application/json", strings.NewReader(`{"model":"m","messages":[],"stream":true}`))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil || !strings.HasSuffix(string(body), "data: [DONE]\n\n") {
			t.Errorf("the stream broke off: %v, %q", err, body)
		}
		client.CloseIdleConnections()
		near.Close()
		close(listener.conns)
		s.Close()
		httpd.Close()
	})
}

func TestNewReportsAllWrongValuesOfAConfig(t *testing.T) {
	t.Parallel()
	_, err := server.New(server.Config{MaxBody: -1, BodyTimeout: -1, Speed: -2, DrainTimeout: -1, TranscriptLimit: -1, Default: "nobody"})
	if err == nil {
		t.Fatal("there is no error")
	}
	wantContains(t, err.Error(), "max body", "body timeout", "speed", "drain timeout", "transcript limit", `"nobody"`)
}

func TestAClosedServerSaysSo(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{})
	if err := r.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantContains(t, r.ask(http.MethodPost, "/v1/chat/completions", ask, http.StatusServiceUnavailable), `"fake_closed"`)
	if err := r.Await(context.Background(), "x"); err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("Await on a closed server: %v", err)
	}
}

func TestEndpointsThatAreNotPlayedSaySo(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{})
	for _, request := range []string{
		"GET /v1/responses/resp_1/parts", "POST /v1/batches", "POST /v1/images/generations", "POST /v1/audio/speech",
		"GET /v1/files", "GET /v1/files/file-1/content", "POST /v1/evals", "POST /v1/threads/t/runs", "POST /batches",
		"DELETE /openai/v1/responses/resp_1/parts", "POST /openai/deployments/d/images/generations", "POST /v1/agents/sessions", "GET /v1/webhook_endpoints", "POST /v1/live/sessions",
	} {
		method, path, _ := strings.Cut(request, " ")
		wantContains(t, r.ask(method, path, "{}", http.StatusNotFound), `"code": "fake_not_played"`, "This fake does not play "+request+" by itself,", "POST /v1/chat/completions, POST /v1/completions, POST /v1/responses, sessions at /v1/realtime, POST /v1/embeddings, POST /v1/moderations and GET /v1/models, and other paths as scenarios say.", "when: { path: '"+path+"', method: "+method+" }")
		if rec := r.ended(); !rec.Unmatched || !strings.Contains(rec.Problem, "does not play") {
			t.Errorf("%s: the record has unmatched %t, problem %q", request, rec.Unmatched, rec.Problem)
		}
	}
	for _, path := range []string{"/v1/response", "/v1/responsesx", "/v1/images", "/v1/v1/responses", "/v1/chat/nothing", "/v2/responses"} {
		resp := r.do("POST", path, "{}")
		wantStatus(t, resp, http.StatusNotFound)
		if got := text(t, resp); strings.Contains(got, "fake_not_played") {
			t.Errorf("%s, which OpenAI does not have, is answered with %s", path, got)
		}
	}
}

func TestAScenarioThatFailsAtARequestIsAFault(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	r := start(t, "name: a\nmessage: 'Run {{ .request.metadata.run }}'", server.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	wantContains(t, r.ask(http.MethodPost, "/v1/chat/completions", ask, http.StatusInternalServerError), `"code": "fake_internal"`, "test.yaml:2:10", "metadata")
	if rec := r.ended(); !rec.Fault || rec.Unmatched || !strings.Contains(rec.Problem, "metadata") {
		t.Errorf("the record has fault %t, unmatched %t, problem %q", rec.Fault, rec.Unmatched, rec.Problem)
	}
	wantContains(t, log.String(), "level=ERROR", "metadata")
	wantContains(t, r.get("/_fake/requests", http.StatusOK), `"fault": true`)

	wantStatus(t, r.chat(`{"model":"o1","metadata":{"run":"7"}}`), http.StatusOK)
	if rec := r.ended(); rec.Fault {
		t.Errorf("a request that got its answer is a fault: %+v", rec)
	}
}

// An error can have any members, of any type, and others beside it: as an answer, in
// mid-stream, and for a request that did not ask for a stream.
func TestErrorsCanLackMembers(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ yaml, ask, want string }{
		"without members":    {"error: { status: 400, omit: [message, type, error.param] }", ask, `{"error":{"code":null}}`},
		"of other types":     {"error: { status: 400, omit: [type, param], set: { code: 42, message: { text: none } } }", ask, `{"error":{"message":{"text":"none"},"code":42}}`},
		"a text":             {"error: { set: { error: boom } }", ask, `{"error":"boom"}`},
		"none":               {"error: { omit: error, beside: { detail: Not found } }", ask, `{"detail":"Not found"}`},
		"beside choices":     {`error: { set: { error: boom }, beside: { choices: [], model: "{{ .request.model }}" } }`, ask, `{"error":"boom","choices":[],"model":"gpt-4o"}`},
		"in mid-stream":      {`stream: [{ role: assistant }, { error: { set: { error: "{{ .request.model }}" }, beside: { choices: [] } } }]`, ask, `data: {"error":"gpt-4o","choices":[]}`},
		"that breaks it off": {`stream: [{ role: assistant }, { error: { set: { error: "{{ .request.model }}" }, beside: { choices: [] } } }]`, `{"model":"gpt-4o","messages":[]}`, `{"error":"gpt-4o","choices":[]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := text(t, start(t, "name: a\n"+tt.yaml, server.Config{}).chat(tt.ask))
			if !strings.HasPrefix(tt.want, "data") {
				got = strings.NewReplacer("\n", "", "  ", "", `": `, `":`).Replace(got)
			}
			wantContains(t, got, tt.want)
		})
	}
}

func TestHeadersCanBeTakenAway(t *testing.T) {
	t.Parallel()
	const gone = "{ x-request-id: null, Date: null, Content-Type: null, OpenAI-Version: null, X-Kept: [a, b] }"
	for name, yaml := range map[string]string{
		"of an answer":          "wire: { headers: " + gone + " }\nmessage: Hi",
		"of an error":           "error: { status: 429, headers: " + gone + " }",
		"of an error with body": "error: { status: 429, body: no, headers: " + gone + " }",
		"of all":                "wire: { headers: " + gone + " }\nerror: { status: 401 }",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resp := start(t, "name: a\n"+yaml, server.Config{}).chat(ask)
			for _, name := range []string{"X-Request-Id", "Date", "Content-Type", "Openai-Version"} {
				if got, ok := resp.Header[name]; ok {
					t.Errorf("%s: %q", name, got)
				}
			}
			if got := resp.Header["X-Kept"]; len(got) != 2 {
				t.Errorf("X-Kept is %q", got)
			}
		})
	}
}

// The content type of an error is the written one, whatever its body looks like.
func TestTheContentTypeOfAnErrorIsTheWrittenOne(t *testing.T) {
	t.Parallel()
	for yaml, want := range map[string]string{
		"error: { body: oops }":   "text/plain; charset=utf-8",
		"error: { body: <html> }": "text/html; charset=utf-8",
		"error: { body: oops }\nwire: { content_type: application/vnd.x }":                                "application/vnd.x",
		"error: { body: <html> }\nwire: { content_type: text/html }":                                      "text/html",
		"wire: { content_type: text/x }\nreplies:\n  - { error: { body: no }, times: 1 }\n  - message: a": "text/plain; charset=utf-8",
	} {
		if got := start(t, "name: a\n"+yaml, server.Config{}).chat(ask).Header.Get("Content-Type"); got != want {
			t.Errorf("%s: the content type is %q, want %q", yaml, got, want)
		}
	}
}
