package serving_test

import (
	"bufio"
	"context"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// judged is a row of the table of what the judge says, for one API.
type judged struct {
	api, scenario, reads string
	answers              map[string]journal.Answer // answers are those over each protocol.
	retry                string
}

// judgedRows are the rows of the table in the page of the server, and further ones.
func judgedRows(t *testing.T) (rows []judged) {
	t.Helper()
	for _, file := range []string{"../../../../server/README.md", "testdata/judged.txt"} {
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, table, found := strings.Cut(string(page), "| API | scenario | the client reads |")
		if !found {
			t.Fatalf("%s has no table", file)
		}
		table, _, _ = strings.Cut(table, "\n\n")
		for line := range strings.Lines(table) {
			cells := strings.Split(strings.Trim(strings.TrimSpace(line), "| "), " | ")
			if len(cells) != 7 || strings.HasPrefix(cells[0], "---") {
				continue
			}
			for api := range strings.SplitSeq(cells[0], ", ") {
				row := judged{api: api, scenario: strings.Trim(cells[1], "`"), reads: cells[2], retry: cells[6], answers: map[string]journal.Answer{}}
				for i, protocol := range []string{"HTTP/1.1", "HTTP/2.0", "WebSocket"} {
					if got := cells[3+i]; got != "–" && (protocol != "WebSocket" || api == "responses") {
						row.answers[protocol] = journal.Answer(got)
					}
				}
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// endOf is what a line of a stream has up to which a client reads.
var endOf = map[string][]string{
	"its beginning": {`"content":"One`, `"delta":"One`},
	"to the finish": {`"finish_reason":"stop"`},
	"to its end":    {"[DONE]", `"type":"response.completed"`},
}

// ends reports whether a client that reads so far stops at the line.
func (j *judged) ends(line string) bool {
	for _, mark := range endOf[j.reads] {
		if strings.Contains(line, mark) {
			return true
		}
	}
	return false
}

// ask asks over a protocol, reads so far as the row says, and leaves.
func (j *judged) ask(k *talk, protocol string) {
	k.t.Helper()
	header := http.Header{"Idempotency-Key": {"one"}}
	if protocol == "WebSocket" {
		j.askInTurn(k, header)
		return
	}
	method, path, body := http.MethodPost, "/v1/chat/completions", `{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"Hi"}]}`
	switch j.api {
	case "responses":
		path, body = "/v1/responses", `{"model":"gpt-4o","stream":true,"input":"Hi"}`
	case "chat in one piece":
		body = strings.Replace(body, "true", "false", 1)
	case "other path":
		method, path, body = http.MethodGet, "/v1/other", ""
	}
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetHTTP1(protocol == "HTTP/1.1")
	transport.Protocols.SetUnencryptedHTTP2(protocol == "HTTP/2.0")
	k.t.Cleanup(transport.CloseIdleConnections) // and not before the server knows how the client left
	req, err := http.NewRequestWithContext(k.t.Context(), method, k.url+path, strings.NewReader(body))
	if err != nil {
		k.t.Fatal(err)
	}
	req.Header = header
	req.GetBody = nil // net/http must not ask again by itself
	resp, err := (&http.Client{Transport: transport, Timeout: patience}).Do(req)
	if err != nil {
		return
	}
	defer resp.Body.Close()
	for r := bufio.NewReader(resp.Body); ; {
		if line, err := r.ReadString('\n'); err != nil || j.ends(line) {
			return
		}
	}
}

// askInTurn asks over a WebSocket connection.
func (j *judged) askInTurn(k *talk, header http.Header) {
	k.t.Helper()
	conn, _, err := websocket.Dial(k.t.Context(), k.url+"/v1/responses", &websocket.DialOptions{HTTPHeader: header})
	if err != nil {
		k.t.Fatal(err)
	}
	defer conn.CloseNow()
	k.conn = conn
	k.send("")
	if j.reads == "all" {
		var reader sync.WaitGroup
		reader.Go(func() { k.status() }) // reads until the connection ends
		testflag.Receive(k.t, k.ended)
		conn.CloseNow()
		reader.Wait() // because the next question sets k.conn
		return
	}
	for {
		if message, err := k.next(); err != nil || j.ends(message) {
			return
		}
	}
}

// The table in the page of the server is right.
func TestTheJudgeSaysWhatItsTableSays(t *testing.T) {
	t.Parallel()
	rows := judgedRows(t)
	if len(rows) < 40 {
		t.Fatalf("the table has %d rows", len(rows))
	}
	for _, row := range rows {
		for protocol, want := range row.answers {
			t.Run(row.api+" "+protocol+" "+row.scenario+" "+row.reads, func(t *testing.T) {
				t.Parallel()
				when := map[string]string{"responses": "surface: responses", "other path": "path: /v1/other"}[row.api]
				k := serve(t, "{ name: x, when: { "+when+" }, "+row.scenario+" }", server.Config{})
				ctx, stop := context.WithTimeout(t.Context(), patience)
				defer stop()
				for i := range 2 {
					row.ask(k, protocol)
					e, err := k.fake.AwaitEnd(ctx, i)
					if err != nil {
						t.Fatal(err)
					}
					if e.Answer != want || e.Failed != want.IsFailure() || e.Delivery.Protocol != protocol {
						t.Errorf("answer %d is %q, %s", i+1, e.Answer, e.Delivery)
					}
				}
				attempts := k.fake.Calls()[0].Attempts
				if len(attempts) != 2 {
					t.Fatalf("the calls are %v", k.fake.Calls())
				}
				retry := "not known"
				if right := attempts[1].Right; right != nil {
					retry = map[bool]string{true: "right", false: "wrong"}[*right]
				}
				if retry != row.retry {
					t.Errorf("the retry is %s, %s", retry, attempts[1].Problem)
				}
			})
		}
	}
}
