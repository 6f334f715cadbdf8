package sweep_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/tools/sweep"
)

// askChat is a request for a stream.
const askChat = `{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"Hi"}]}`

// answered are the answers to requests, each a path and a body, that the first scenario of the set gives.
func answered(t *testing.T, set *scenarios.Set, requests ...string) []sweep.Answer {
	t.Helper()
	fake, err := server.New(server.Config{Scenarios: set, Speed: scenarios.Instant, Seed: 1, KeepTranscripts: true})
	if err != nil {
		t.Fatal(err)
	}
	defer fake.Close()
	for i := 0; i < len(requests); i += 2 {
		func() {
			defer func() { _ = recover() }() // so does a connection break
			fake.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, requests[i], strings.NewReader(requests[i+1])))
		}()
	}
	return sweep.Answers(fake.Journal())
}

func TestTruncationsAreThoseThatAClientCanNotice(t *testing.T) {
	t.Parallel()
	const chat, responses = "/v1/chat/completions", "/v1/responses"
	for _, tt := range []struct {
		name, yaml, path, body string
		events                 int // events is the number of events after which the answer can end.
	}{
		{"behind the finish nothing matters", `{ stream: [role: assistant, content: '"finish_reason":"stop"', finish: stop] }`, chat, askChat, 3},
		{"each choice has its finish", "{ stream: [role: assistant, finish: stop, { role: assistant, choice: 1 }, { content: Hi, choice: 1 }, { finish: length, choice: 1 }] }", chat, strings.Replace(askChat, "{", `{"n":2,`, 1), 5},
		{"spaces and CR LF are understood", "{ wire: { json_style: spaced, newline: crlf }, stream: [role: assistant, finish: stop] }", chat, askChat, 2},
		{"a response ends with its last event", "{ stream: [role: assistant, content: Hi, finish: stop] }", responses, `{"model":"gpt-5","stream":true,"input":"Hi"}`, 9},
		{"an answer in one piece is whole at its end", "{ message: Hi }", chat, strings.Replace(askChat, "true", "false", 1), 0},
		{"of a path each byte is needed", "{ when: { path: /x }, stream: [event: { data: a }, event: { data: b }] }", "/x", "", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			set := checked(t, strings.Replace(tt.yaml, "{ ", "{ name: x, ", 1))
			answers := answered(t, set, tt.path, tt.body)
			cases := slices.DeleteFunc(sweep.Truncate(set, answers), func(c sweep.Case) bool { return strings.HasPrefix(c.Name, "cut") })
			if len(cases) != tt.events {
				t.Errorf("%d cases, want one for each of %d events: %q\n%s", len(cases), tt.events, names(cases), answers[0].Bytes)
			}
			for _, c := range cases {
				changed, err := c.Set(set, 0)
				if err != nil {
					t.Fatal(err)
				}
				if got := c.Judge(set, false, answered(t, changed, tt.path, tt.body)); got != sweep.PassedSilently {
					t.Fatalf("%s: the verdict is %q", c.Name, got)
				}
			}
		})
	}
}

func TestACompressedAnswerHasNoTruncations(t *testing.T) {
	t.Parallel()
	whole := []byte("\x1f\x8b\n\n\n\n\n\n")
	if list := sweep.Truncations(whole); len(list) > 0 {
		t.Errorf("it has %d", len(list))
	}
}
