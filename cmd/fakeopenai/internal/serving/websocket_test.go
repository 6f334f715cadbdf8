package serving_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/serving"
	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is the longest wait of a test for an event that must come.
const patience = 30 * time.Second

// talk is a server and a client that is connected to it.
type talk struct {
	t     *testing.T
	fake  *server.Server
	url   string
	conn  *websocket.Conn
	pings atomic.Int64
	ended chan journal.Entry
}

func serve(t *testing.T, yaml string, config server.Config) *talk {
	t.Helper()
	list, problems := yamlfile.Parse("test.yaml", []byte(yaml))
	for _, s := range list {
		s.Quirks = append(s.Quirks, scenarios.Quirk{Rule: scenarios.AnyQuirk})
	}
	set, more := scenarios.Build(list...)
	if err := append(problems, more...).Err(); err != nil {
		t.Fatal(err)
	}
	k := &talk{t: t, ended: make(chan journal.Entry, 100)}
	config.Scenarios, config.Upgrade = set, serving.Upgrade
	config.Observe = func(e journal.Entry) { k.ended <- e }
	fake, err := server.New(config)
	if err != nil {
		t.Fatal(err)
	}
	listening := httptest.NewUnstartedServer(fake)
	listening.Config.ConnContext = fake.ConnContext
	listening.Listener = fake.Watch(listening.Listener)
	listening.Start()
	k.fake, k.url = fake, listening.URL
	t.Cleanup(func() { fake.Close(); listening.Close() })
	return k
}

// dial connects, or returns the HTTP answer that refused the handshake.
func (k *talk) dial(header http.Header) *http.Response {
	k.t.Helper()
	conn, resp, err := websocket.Dial(k.t.Context(), k.url+"/v1/responses", &websocket.DialOptions{
		HTTPHeader:     header,
		OnPingReceived: func(context.Context, []byte) bool { k.pings.Add(1); return true },
	})
	if err != nil {
		if resp == nil {
			k.t.Fatal(err)
		}
		return resp
	}
	conn.SetReadLimit(-1)
	k.conn = conn
	k.t.Cleanup(func() { conn.CloseNow() })
	return resp
}

func (k *talk) send(message string) {
	k.t.Helper()
	if err := k.conn.Write(k.t.Context(), websocket.MessageText, []byte(message)); err != nil {
		k.t.Fatal(err)
	}
}

// next reads the next message, or an error.
func (k *talk) next() (map[string]any, error) {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(k.t.Context(), patience)
	defer cancel()
	_, message, err := k.conn.Read(ctx)
	if err != nil {
		return nil, err
	}
	var v map[string]any
	if err := json.Unmarshal(message, &v); err != nil {
		k.t.Fatalf("%s: %v", message, err)
	}
	return v, nil
}

// until reads messages up to one of the type and returns that, and the types of all.
func (k *talk) until(kind string) (map[string]any, []string) {
	k.t.Helper()
	var types []string
	for {
		v, err := k.next()
		if err != nil {
			k.t.Fatalf("after %v: %v", types, err)
		}
		types = append(types, v["type"].(string))
		if v["type"] == kind {
			return v, types
		}
	}
}

// status returns the code of the close frame that ends the connection.
func (k *talk) status() websocket.StatusCode {
	k.t.Helper()
	for {
		if _, err := k.next(); err != nil {
			return websocket.CloseStatus(err)
		}
	}
}

// at returns the value at a path of members.
func at(v any, path ...string) any {
	for _, name := range path {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}

func create(members string) string {
	return `{"type":"response.create","model":"gpt-4o",` + members + `}`
}

const agent = `
name: agent
replies:
  - when: { tool_result: { content: "18" } }
    message: It is 18 degrees.
  - when: { user: { contains: Weather } }
    message: { tool_calls: [{ id: call_1, name: weather, arguments: { city: Oslo } }] }
`

// Two turns go over one connection, the events of each as over SSE, and each is in
// the journal.
func TestTurnsOfOneConnection(t *testing.T) {
	t.Parallel()
	k := serve(t, agent, server.Config{Speed: server.Instant})
	k.dial(http.Header{"Authorization": {"Bearer sk-test"}})
	k.send(create(`"input":"Weather in Oslo?"`))
	first, types := k.until("response.completed")
	if got, want := strings.Join(types, " "), "response.created response.in_progress response.output_item.added response.function_call_arguments.delta "; !strings.HasPrefix(got, want) {
		t.Errorf("the events are %s", got)
	}
	id, _ := at(first, "response", "id").(string)
	k.send(create(`"previous_response_id":"` + id + `","input":[{"type":"function_call_output","call_id":"call_1","output":"18"}]`))
	started, _ := k.until("response.created")
	if n := at(started, "sequence_number"); n != 0.0 {
		t.Errorf("the second turn begins with the number %v", n)
	}
	second, _ := k.until("response.completed")
	if at(second, "response", "previous_response_id") != id {
		t.Errorf("the second turn follows %v, want %s", at(second, "response", "previous_response_id"), id)
	}
	k.conn.Close(websocket.StatusNormalClosure, "")
	for i := range 2 {
		e := <-k.ended
		d := e.Delivery
		if e.Method != "POST" || e.Path != "/v1/responses" || e.Status != 200 || e.Scenario != "agent" || e.APIKey != "sk-test" || e.Failed ||
			d.Protocol != "WebSocket" || d.RequestNumber != int64(i+1) || d.Reused != (i == 1) || d.Ended != journal.EndedComplete || d.Frames != d.Planned || d.Frames < 5 {
			t.Errorf("the entry of turn %d is %+v", i+1, e)
		}
	}
}

func TestErrorsOfTurnsAreMessages(t *testing.T) {
	t.Parallel()
	k := serve(t, `
name: limited
replies:
  - when: { user: fail }
    error: { status: 429, retry_after: 2s, message: Slow down. }
  - message: Hi
`, server.Config{Speed: server.Instant, Strict: true})
	k.dial(http.Header{"Authorization": {"Bearer sk-test"}})
	for _, tt := range []struct {
		message, text, code, param string
		status                     float64
	}{
		{create(`"input":"fail"`), "Slow down.", "rate_limit_exceeded", "", 429},
		{`{`, "We could not parse the JSON body of your request.", "", "", 400},
		{`[]`, "Invalid type for message: expected an object, but got an array instead.", "invalid_type", "", 400},
		{`{"model":"gpt-4o"}`, "Missing required parameter: 'type'.", "missing_required_parameter", "type", 400},
		{`{"type":"session.update"}`, "Invalid value: 'session.update'. Supported values are: 'response.create'.", "invalid_value", "type", 400},
		{create(`"stream_id":"a b"`), "The 'stream_id' field must be a non-empty string", "invalid_stream_id", "stream_id", 400},
		{create(`"generate":"no"`), "Invalid type for 'generate': expected a boolean, but got a string instead.", "invalid_type", "generate", 400},
		{create(`"messages":[]`), "Unknown parameter: 'messages'.", "unknown_parameter", "messages", 400},
	} {
		k.send(tt.message)
		v, types := k.until("error")
		text, _ := at(v, "error", "message").(string)
		code, _ := at(v, "error", "code").(string)
		param, _ := at(v, "error", "param").(string)
		if len(types) != 1 || v["status"] != tt.status || !strings.HasPrefix(text, tt.text) || code != tt.code || param != tt.param {
			t.Errorf("%s: got %v", tt.message, v)
		}
		if tt.status == 429 && at(v, "headers", "retry-after") != "2" {
			t.Errorf("the headers are %v", v["headers"])
		}
		if e := <-k.ended; e.Status != int(tt.status) || !e.Failed {
			t.Errorf("the entry is %+v", e)
		}
	}
	k.send(create(`"input":"Hi"`)) // the connection goes on
	k.until("response.completed")
}

// The handshake itself is answered with HTTP where a scenario, a missing key or a
// missing Upgrade asks for that.
func TestHandshakesThatAreRefused(t *testing.T) {
	t.Parallel()
	k := serve(t, `
name: handshake
when: { header: { Upgrade: websocket } }
replies:
  - when: { header: { X-Run: "426" } }
    error: { status: 426, message: Use SSE. }
  - times: 1
    error: { status: 503 }
---
name: hello
message: Hi
`, server.Config{Speed: server.Instant, APIKeys: []string{"sk-test"}})
	key := http.Header{"Authorization": {"Bearer sk-test"}}
	for _, tt := range []struct {
		header http.Header
		status int
		text   string
	}{
		{nil, 401, "missing bearer"},
		{http.Header{"Authorization": {"Bearer sk-test"}, "X-Run": {"426"}}, 426, "Use SSE."},
		{key, 503, "overloaded"},
		{key, 101, ""},
	} {
		resp := k.dial(tt.header)
		body := []byte{}
		if resp.Body != nil {
			body, _ = io.ReadAll(resp.Body)
		}
		if resp.StatusCode != tt.status || !strings.Contains(strings.ToLower(string(body)), strings.ToLower(tt.text)) {
			t.Errorf("%v: %d %s, want %d with %s", tt.header, resp.StatusCode, body, tt.status, tt.text)
		}
	}
	k.send(create(`"input":"Hi"`))
	k.until("response.completed")
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, k.url+"/v1/responses", nil)
	req.Header.Set("Authorization", "Bearer sk-test")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != 426 || resp.Header.Get("Upgrade") != "websocket" || !strings.Contains(string(body), `"type": "invalid_request_error"`) {
		t.Errorf("a GET without an upgrade: %d %v %s", resp.StatusCode, resp.Header, body)
	}
}

// The framing options of a scenario have no effect over WebSocket; a comment is a ping.
func TestTheWireOfAScenario(t *testing.T) {
	t.Parallel()
	k := serve(t, `
name: wire
wire: { newline: crlf, ids: count, retry: 5, gzip: flush, comments_between: beat, split: 7, final_newline: false, bom: true, multiline_data: true, headers: { X-A: b } }
stream:
  - comment: first
  - content: "a\nb"
  - raw: "data: {\"type\":\"mine\"}\n\n"
  - heartbeat: 1
  - finish: stop
`, server.Config{Speed: server.Instant})
	k.dial(nil)
	k.send(create(`"input":"Hi"`))
	v, types := k.until("response.completed")
	all := strings.Join(types, " ")
	if !strings.Contains(all, " mine ") || !strings.Contains(all, " keepalive ") || at(v, "response", "status") != "completed" {
		t.Errorf("the events are %s", all)
	}
	k.conn.Close(websocket.StatusNormalClosure, "")
	if k.pings.Load() == 0 {
		t.Error("no comment came as a ping")
	}
}

// Endings end the connection: in order with a close frame, otherwise without one.
func TestEndings(t *testing.T) {
	t.Parallel()
	for end, want := range map[string]websocket.StatusCode{
		"{ close: { after: 3 } }": websocket.StatusNormalClosure, "{ cut: { after: 3 } }": -1, "{ reset: { after: 3 } }": -1,
		"refuse": -1, "{ stall: { after: 3, for: 1ms } }": -1,
	} {
		k := serve(t, "name: x\nmessage: Hi there you\nend: "+end, server.Config{})
		k.dial(nil)
		k.send(create(`"input":"Hi"`))
		if got := k.status(); got != want {
			t.Errorf("%s: the connection ends with %d, want %d", end, got, want)
		}
		if e := <-k.ended; e.Delivery.Ended != journal.EndedAsAuthored || !e.Failed {
			t.Errorf("%s: the entry is %+v", end, e)
		}
	}
	k := serve(t, "name: x\nmessage: Hi\nend: { linger: { for: 1ms } }", server.Config{})
	k.dial(nil)
	for range 2 {
		k.send(create(`"input":"Hi"`))
		k.until("response.completed")
	}
}

const held = "name: held\nstream:\n  - role: assistant\n  - content: a\n  - hold: middle\n  - content: b\n  - finish: stop\n"

// The server notices that the client leaves in the middle of a turn.
func TestAClientThatLeaves(t *testing.T) {
	t.Parallel()
	k := serve(t, held, server.Config{})
	k.dial(nil)
	k.send(create(`"input":"Hi"`))
	k.until("response.output_text.delta")
	if err := k.fake.Await(t.Context(), "middle"); err != nil {
		t.Fatal(err)
	}
	k.conn.CloseNow()
	e := <-k.ended
	if d := e.Delivery; d.Ended != journal.EndedByClient || d.Left == "" || d.Unread.Frames == 0 {
		t.Errorf("the delivery is %+v", d)
	}
}

// A shutdown closes connections with 1001, idle ones and those with a turn.
func TestShutdown(t *testing.T) {
	t.Parallel()
	k := serve(t, held, server.Config{DrainTimeout: time.Millisecond})
	idle := &talk{t: t, url: k.url}
	idle.dial(nil)
	k.dial(nil)
	k.send(create(`"input":"Hi"`))
	k.until("response.output_text.delta")
	closed := make(chan websocket.StatusCode, 2)
	for _, c := range []*talk{k, idle} {
		go func() { closed <- c.status() }()
	}
	_ = k.fake.Shutdown(t.Context())
	for range 2 {
		if got := <-closed; got != websocket.StatusGoingAway {
			t.Errorf("closed with %d", got)
		}
	}
	if e := <-k.ended; e.Delivery.Ended != journal.EndedByShutdown {
		t.Errorf("the turn ended by %s", e.Delivery.Ended)
	}
}

// Turns of different stream ids run at the same time, and their events name them.
func TestStreamIDs(t *testing.T) {
	t.Parallel()
	k := serve(t, "name: held\nwhen: { user: wait }\nstream:\n  - role: assistant\n  - content: a\n  - hold: middle\n  - finish: stop\n---\nname: quick\nmessage: Hi\n", server.Config{Speed: server.Instant})
	k.dial(nil)
	k.send(create(`"stream_id":"slow","input":"wait"`))
	if err := k.fake.Await(t.Context(), "middle"); err != nil {
		t.Fatal(err)
	}
	k.send(create(`"stream_id":"slow","input":"next"`))
	k.send(create(`"stream_id":"fast","input":"Hi"`))
	done, _ := k.until("response.completed")
	if done["stream_id"] != "fast" {
		t.Errorf("the first to complete is %v", done["stream_id"])
	}
	k.fake.Release("middle")
	for range 2 {
		if done, _ := k.until("response.completed"); done["stream_id"] != "slow" {
			t.Errorf("another is %v", done["stream_id"])
		}
	}
}

// A client can open its chain without output.
func TestATurnWithoutOutput(t *testing.T) {
	t.Parallel()
	k := serve(t, "name: once\nreplies:\n  - times: 1\n    message: Hi\n", server.Config{Speed: server.Instant})
	k.dial(nil)
	k.send(create(`"generate":false,"input":"Hi"`))
	v, types := k.until("response.completed")
	if got := strings.Join(types, " "); got != "response.created response.in_progress response.completed" {
		t.Errorf("the events are %s", got)
	}
	if output, _ := at(v, "response", "output").([]any); len(output) != 0 || at(v, "response", "usage", "output_tokens") != 0.0 {
		t.Errorf("the response is %v", v)
	}
	k.send(create(`"input":"Hi"`))
	k.until("response.completed")
}

func TestMessagesThatAreTooLarge(t *testing.T) {
	t.Parallel()
	k := serve(t, "name: x\nmessage: Hi\n", server.Config{MaxBody: 1000})
	k.dial(nil)
	k.send(create(`"input":"` + strings.Repeat("a", 2000) + `"`))
	if got := k.status(); got != websocket.StatusMessageTooBig {
		t.Errorf("closed with %d", got)
	}
}

// The time for a message counts from its first frame.
func TestMessagesThatAreNotCompleteInTime(t *testing.T) {
	t.Parallel()
	const limit = 50 * time.Millisecond
	k := serve(t, "name: x\nmessage: Hi\n", server.Config{BodyTimeout: limit})
	k.dial(nil)
	k.send(create(`"input":"Hi"`))
	k.until("response.completed")
	time.Sleep(2 * limit) // a connection may be idle for longer
	began := time.Now()
	w, err := k.conn.Writer(t.Context(), websocket.MessageText)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, `{"type":"response.create","input":"`+strings.Repeat("a", 10_000)); err != nil {
		t.Fatal(err)
	}
	v, _ := k.until("error")
	if v["status"] != 408.0 || at(v, "error", "code") != "fake_body_too_slow" || time.Since(began) < limit {
		t.Errorf("after %s the server says %v", time.Since(began), v)
	}
	if got := k.status(); got != websocket.StatusNormalClosure {
		t.Errorf("closed with %d", got)
	}
}

// A client that reads nothing does not keep a server from ending.
func TestAShutdownDoesNotWaitForAClientThatDoesNotRead(t *testing.T) {
	t.Parallel()
	testflag.Heavy(t)
	k := serve(t, "name: large\nstream:\n  - role: assistant\n  - content: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n    repeat: 40000\n  - finish: stop\n", server.Config{Speed: server.Instant})
	k.dial(nil)
	k.send(create(`"input":"Hi"`))
	k.until("response.in_progress")
	k.fake.Close()
	select {
	case e := <-k.ended:
		if e.Delivery.Ended != journal.EndedByShutdown {
			t.Errorf("the turn ended by %s", e.Delivery.Ended)
		}
	case <-time.After(patience):
		t.Fatal("the turn goes on")
	}
}
