package recording_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/tools/recording"
)

// writeLog is a client that records each write, and its time.
type writeLog struct {
	*httptest.ResponseRecorder
	began  time.Time
	writes []string
	open   bool // open says that the last write is not flushed yet.
}

func (w *writeLog) Write(p []byte) (int, error) {
	if !w.open {
		w.writes = append(w.writes, fmt.Sprintf("[%s]", time.Since(w.began)))
	}
	w.open = true
	w.writes[len(w.writes)-1] += string(p)
	return len(p), nil
}

// Flush ends a write.
func (w *writeLog) Flush() { w.open = false }

// playedWrites returns the writes in which a scenario is played, with their times.
func playedWrites(t *testing.T, text string) []string {
	t.Helper()
	set, problems := server.CheckFiles(yamlfile.Source{Name: "x.yaml", Data: []byte(text)})
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	var log *writeLog
	synctest.Test(t, func(t *testing.T) {
		fake, err := server.New(server.Config{Scenarios: set, Speed: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer fake.Close()
		log = &writeLog{ResponseRecorder: httptest.NewRecorder(), began: time.Now()}
		fake.ServeHTTP(log, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/chat/completions", strings.NewReader(asksForAStream)))
	})
	return log.writes
}

const asksForAStream = `{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"Hi"}]}`

// streamIn returns a stream that arrived in pieces, each at its time in milliseconds after the start.
func streamIn(pieces map[int]string) *recording.Exchange {
	x := chat(asksForAStream, "")
	x.Pieces = nil
	for at := range 10_000 {
		if text, ok := pieces[at]; ok {
			x.Pieces = append(x.Pieces, recording.Piece{At: time.Duration(at) * time.Millisecond, Data: []byte(text)})
		}
	}
	return x
}

// Pauses between events are played as recorded, for all events: chunks, comments, heartbeats,
// fields without data, bytes that are not events, and a [DONE] that is not the last event.
func TestRecordedGapsArePlayedAgain(t *testing.T) {
	t.Parallel()
	role, hello, empty := chunkOf(`{"role":"assistant","content":""}`), chunkOf(`{"content":"Hello"}`), chunkOf(`{}`)
	const done = "data: [DONE]\n\n"
	for name, pieces := range map[string]map[int]string{
		"chunks alone":                {5: role, 30: hello, 31: hello, 1000: empty, 1001: done},
		"comments between":            {5: ": first\n\n", 20: role, 21: ": PROCESSING\n\n", 300: ": PROCESSING\n\n", 700: hello, 701: done},
		"comments and then at once":   {0: role, 40: ": wait\n\n" + hello, 90: hello + ": wait\n\n", 91: done},
		"heartbeats":                  {10: role, 15: empty, 2000: empty, 4000: empty, 4001: hello, 4002: done},
		"bytes that are no event":     {10: role, 50: "nonsense\n\n", 70: "data: not JSON\n\n", 90: "\n", 130: hello, 131: done},
		"fields without data":         {10: "retry: 3000\n\n", 20: "id: 1\nevent: ping\n\n", 45: hello, 80: done},
		"an early [DONE]":             {10: role, 20: done, 50: hello, 75: ": bye\n\n", 99: done},
		"other ends of lines between": {10: "data: {}\r\n\r\n", 30: hello, 60: "data: {}\r\r", 90: ": x\r\n\r\n", 120: done},
		"an error in the middle":      {10: role, 500: "event: error\ndata: {\"error\":{\"message\":\"No.\"}}\n\n", 900: ": end\n\n"},
		"no end":                      {10: role, 100: ": wait\n\n", 250: hello[:40]},
		"an end after a while":        {10: role, 11: done, 800: ": after\n\n"},
		"retry before the id":         {10: "retry: 5\nid: 1\n" + role, 44: done},
		"retry after the name":        {10: "id: 1\nevent: a\nretry: 5\n" + role, 44: done},
		"a name for each":             {10: "event: a\n" + role, 12: ": c\nevent: b\n" + hello, 44: "id: 7\n" + done},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := streamIn(pieces)
			var want []string
			for _, p := range x.Pieces {
				want = append(want, fmt.Sprintf("[%s]%s", p.At, p.Data))
			}
			text := written(t, x)
			if got := playedWrites(t, text); strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("played is\n%q\nrecorded was\n%q\n%s", got, want, text)
			}
		})
	}
}
