package cli

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/serving"
	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// socketAgent is a client of the Responses API over WebSocket. It notes what it gets.
type socketAgent struct {
	t    *testing.T
	url  string
	conn *websocket.Conn
	got  []string
}

const socketKey = "sk-proj-sOck3tAgentKey0123456789abcd"

// dial connects.
func (a *socketAgent) dial() {
	a.t.Helper()
	conn, resp, err := websocket.Dial(a.t.Context(), a.url+"/v1/responses?api_key=qu3ry-secret-4711-x", &websocket.DialOptions{
		HTTPHeader: http.Header{"Authorization": {"Bearer " + socketKey}}, CompressionMode: websocket.CompressionContextTakeover,
	})
	if err != nil {
		a.t.Fatal(err)
	}
	if resp.Body != nil {
		resp.Body.Close()
	}
	conn.SetReadLimit(1 << 20)
	a.conn = conn
}

// ask sends a message in two frames, and returns the last event of its answer.
func (a *socketAgent) ask(members string) (last ojson.Value) {
	a.t.Helper()
	message := `{"type":"response.create","model":"gpt-4o",` + members + `}`
	w, err := a.conn.Writer(a.t.Context(), websocket.MessageText)
	if err != nil {
		a.t.Fatal(err)
	}
	half := strings.Index(message, "sk-") + 7 // in the middle of a key, if there is one
	for _, part := range []string{message[:half], message[half:]} {
		if _, err := w.Write([]byte(part)); err != nil {
			a.t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		a.t.Fatal(err)
	}
	var kinds []string
	for {
		_, text, err := a.conn.Read(a.t.Context())
		if err != nil {
			a.t.Fatal(err)
		}
		last, _ = ojson.Parse(text)
		kinds = append(kinds, last.Get("type").Text())
		if kind := kinds[len(kinds)-1]; kind == "response.completed" || kind == "error" {
			a.got = append(a.got, fmt.Sprintln(kinds, last.Get("error").Get("code"), last.Get("response").Get("output")))
			return last
		}
	}
}

// resultOf is the input with the result of the call in a response.
func resultOf(last ojson.Value, result string) string {
	output := last.Get("response").Get("output").Items()
	call := output[len(output)-1].Get("call_id").Text()
	return fmt.Sprintf(`"input":[{"type":"function_call_output","call_id":%q,"output":%q}]`, call, result)
}

// loop calls tools by previous responses and, on a second connection, in lanes.
func (a *socketAgent) loop() {
	a.dial()
	warm := a.ask(`"generate":false,"input":"Begin for joe.doe@secretcorp.org with ` + socketKey + `"`)
	next := func(before ojson.Value) string {
		return `"previous_response_id":"` + before.Get("response").Get("id").Text() + `",`
	}
	first := a.ask(next(warm) + `"input":[{"role":"user","content":[{"type":"input_file","filename":"notes-ghp_abcdefghijklmnopqrstuvwxyz0123.txt","file_data":"data:text/plain;base64,` +
		base64.StdEncoding.EncodeToString([]byte("key "+socketKey)) + `"},{"type":"input_text","text":"Go"}]}]`)
	second := a.ask(next(first) + resultOf(first, `{"password":"hunt3r2-socket-xyz"}`))
	a.ask(next(second) + resultOf(second, "it is "+socketKey))
	a.ask(`"input":"refuse me"`)
	_ = a.conn.Close(websocket.StatusNormalClosure, "")
	a.dial()
	for _, lane := range []string{"left", "right"} {
		last := a.ask(`"stream_id":"` + lane + `","store":false,"input":"in a lane ` + lane + `"`)
		a.ask(`"stream_id":"` + lane + `",` + next(last) + resultOf(last, lane))
	}
	_ = a.conn.Close(websocket.StatusNormalClosure, "")
}

// socketFake plays scenarios over WebSocket.
func socketFake(t *testing.T, files ...yamlfile.Source) string {
	t.Helper()
	set, problems := server.CheckFiles(files...)
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	fake, err := server.New(server.Config{Scenarios: set, Upgrade: serving.Upgrade, Speed: server.Instant})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(fake.Close)
	s := httptest.NewServer(fake)
	t.Cleanup(s.Close)
	return s.URL
}

// An agent's loop over WebSocket is recorded turn by turn without its secrets, and its recording
// answers the same loop.
func TestALoopOverWebSocketIsRecorded(t *testing.T) {
	t.Parallel()
	const upstream = `name: up
replies:
  - when: { turn: 1, user: refuse me }
    error: { status: 429, code: rate_limit_exceeded, message: "slow down sk-proj-sOck3tAgentKey0123456789abcd", retry_after: 2s }
  - when: { turn: 1 }
    stream:
      - reasoning: thinking of joe.doe@secretcorp.org
      - tool_call: { id: call_1, name: f, arguments: '{"api_key":"sk-proj-sOck3tAgentKey0123456789abcd"}' }
      - finish: tool_calls
  - when: { turn: 2 }
    message: { tool_calls: [{ id: call_2, name: g, arguments: "{}" }] }
  - message: { content: "Your key is sk-proj-sOck3tAgentKey0123456789abcd.", by: { size: 3 } }
`
	up := socketFake(t, yamlfile.Source{Name: "up.yaml", Data: []byte(upstream)})
	to, err := url.Parse(up)
	if err != nil {
		t.Fatal(err)
	}
	r := startRecordOf(t, to.String())
	recorded := socketAgent{t: t, url: r.url}
	recorded.loop()
	r.awaitMessage(t, "POST /v1/responses")
	r.end()
	if code := testflag.Receive(t, r.code); code != console.ExitOK {
		t.Fatalf("record ends with %d: %s", code, r.messages())
	}
	var files []yamlfile.Source
	said := r.messages()
	paths, _ := filepath.Glob(filepath.Join(r.out, "*.yaml"))
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, yamlfile.Source{Name: filepath.Base(path), Data: data})
		said += filepath.Base(path) + "\n" + string(data)
	}
	for _, secret := range []string{socketKey, "joe.doe@secretcorp.org", "qu3ry-secret-4711-x", "ghp_abcdefghijklmnopqrstuvwxyz0123", "hunt3r2-socket-xyz"} {
		for _, form := range []string{secret, base64.StdEncoding.EncodeToString([]byte("key " + secret))[6:], url.QueryEscape(secret)} {
			for i := 0; i+12 <= len(form); i++ {
				if strings.Contains(said, form[i:i+12]) {
					t.Fatalf("%q of a secret is in\n%s", form[i:i+12], said)
				}
			}
		}
	}
	if len(files) != 8 { // The request that warms up has none, and the turns of two lanes have two each.
		t.Errorf("there are %d files", len(files))
	}
	replayed := socketAgent{t: t, url: socketFake(t, files...)}
	replayed.loop()
	for i := range recorded.got {
		if got, want := kindsOf(replayed.got[i]), kindsOf(recorded.got[i]); got != want {
			t.Errorf("%d: replayed is\n%s\nrecorded was\n%s\n%s", i, replayed.got[i], recorded.got[i], said)
		}
	}
}

// kindsOf are the types of the events of an answer, and the code of its error.
func kindsOf(got string) string {
	kinds, rest, _ := strings.Cut(got, "]")
	code, _, _ := strings.Cut(rest, "[")
	return kinds + code
}
