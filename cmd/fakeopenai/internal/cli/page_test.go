package cli

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// A client that left got only a part of the answer, and no more is written of it.
func TestAScenarioOfAnAnswerHasWhatWasSent(t *testing.T) {
	t.Parallel()
	event := func(text string) journal.PlannedFrame {
		return journal.PlannedFrame{Kind: "content", Bytes: []byte(`data: {"id":"a","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"` + text + `"},"finish_reason":null}]}` + "\n\n")}
	}
	plan := journal.Plan{Status: 200, Header: map[string][]string{"Content-Type": {"text/event-stream"}}, Frames: []journal.PlannedFrame{event("first"), event("second"), event("third")}}
	for name, tt := range map[string]struct {
		again bool
		sent  int // sent is how many frames were sent, in a write each
	}{"made again": {true, 2}, "with its writes": {false, 2}, "the whole": {false, 3}} {
		e := journal.Entry{
			Method: "POST", Path: "/v1/chat/completions", Status: 200,
			Body:     []byte(`{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`),
			Delivery: journal.Delivery{Frames: tt.sent, Planned: 3, Ended: journal.EndedByClient},
			Trace:    &journal.Trace{Plan: plan, MadeAgain: tt.again},
		}
		for _, f := range plan.Frames[:tt.sent] {
			if !tt.again {
				e.Trace.Wrote(journal.TracedWrite{Bytes: len(f.Bytes)})
			}
		}
		text, err := asScenario(e)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i, piece := range []string{"first", "second", "third"} {
			if got := strings.Contains(string(text), piece); got != (i < tt.sent) {
				t.Errorf("%s: the scenario has %q: %t\n%s", name, piece, got, text)
			}
		}
	}
}

// A copy of an answer that a client left has the hold at which it waited.
func TestAScenarioOfAnAnswerWaitsWhereTheClientLeft(t *testing.T) {
	t.Parallel()
	frames := []journal.PlannedFrame{
		{Hold: "first"},
		{Kind: "content", Bytes: []byte("data: {\"id\":\"a\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"finish_reason\":null}]}\n\n")},
		{Hold: "second"}, {Kind: "done", Bytes: []byte("data: [DONE]\n\n")},
	}
	for name, tt := range map[string]struct {
		sent     int
		ended    journal.Ending
		again    bool
		released time.Duration
		want     string
	}{
		"at the first":              {0, journal.EndedByClient, false, 0, "first"},
		"at the second":             {1, journal.EndedByClient, false, 0, "second"},
		"where nobody looked":       {1, journal.EndedByClient, true, 0, "second"},
		"after a release":           {1, journal.EndedByClient, false, 1, ""},
		"not: the server shut down": {1, journal.EndedByShutdown, false, 0, ""},
		"not: it has all":           {2, journal.EndedByClient, false, 1, ""},
	} {
		e := journal.Entry{
			ID: 7, Method: "POST", Path: "/v1/chat/completions", Status: 200, Surface: "chat",
			Body:     []byte(`{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`),
			Delivery: journal.Delivery{Frames: tt.sent, Planned: 2, Ended: tt.ended},
			Trace:    &journal.Trace{Plan: journal.Plan{Status: 200, Header: map[string][]string{"Content-Type": {"text/event-stream"}}, Frames: frames}, MadeAgain: tt.again},
		}
		if !tt.again {
			for i, n := 0, 0; n < tt.sent; i++ {
				if frames[i].Hold == "" {
					e.Trace.Wrote(journal.TracedWrite{Bytes: len(frames[i].Bytes)})
					n++
				}
			}
			e.Trace.Reached("any", 0)
			if tt.released > 0 {
				e.Trace.Released(tt.released)
			}
		}
		text, err := asScenario(e)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, problems := server.CheckFiles(yamlfile.Source{Name: "copy.yaml", Data: text}); problems.Err() != nil {
			t.Errorf("%s: %v\n%s", name, problems.Err(), text)
		}
		_, hold, _ := strings.Cut(string(text), "- hold: ")
		if hold, _, _ = strings.Cut(hold, " #"); strings.Trim(hold, `"`) != tt.want {
			t.Errorf("%s: the hold is %s, want %q\n%s", name, hold, tt.want, text)
		}
	}
}

// Copies of a refusal with the texts of the server's own, and of a stream that its client left at a hold, give the same
// bytes when they are played.
func TestCopiesOfAnswersGiveTheSameBytes(t *testing.T) {
	t.Parallel()
	serve := func(text string) *server.Server {
		t.Helper()
		set, problems := server.CheckFiles(yamlfile.Source{Name: "a.yaml", Data: []byte(text)})
		if err := problems.Err(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		fake, err := server.New(server.Config{Scenarios: set, AsScenario: asScenario, KeepTranscripts: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(fake.Close)
		return fake
	}
	ask := func(fake *server.Server) (got string) {
		w := httptest.NewRecorder()
		defer func() {
			if failed := recover(); failed != nil && failed != http.ErrAbortHandler {
				panic(failed)
			}
			got = strconv.Itoa(w.Code) + " " + w.Body.String()
		}()
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		go func() {
			if fake.Await(ctx, "gate") == nil {
				leave()
			}
		}()
		fake.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/chat/completions", strings.NewReader(`{"model": "gpt-4o", "stream": true, "messages": [{"role": "user", "content": "hi"}]}`)))
		return ""
	}
	for name, text := range map[string]string{
		"limited": "name: limited\nerror: { status: 429 }\n",
		"held":    "name: held\nstream: [{ role: assistant }, { content: One }, { hold: gate }, { content: two }, { finish: stop }]\n",
	} {
		fake := serve(text)
		first, w := ask(fake), httptest.NewRecorder()
		fake.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost/_fake/requests/1/scenario", nil))
		if again := ask(serve(w.Body.String())); again != first {
			t.Errorf("%s: the answer was\n%s\nand that of its copy is\n%s\n%s", name, first, again, w.Body)
		}
		if strings.Contains(w.Body.String(), "hold: ") != (name == "held") {
			t.Errorf("%s: the copy is\n%s", name, w.Body)
		}
	}
}
