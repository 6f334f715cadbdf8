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
	"github.com/fakeopenai/fakeopenai/server/recording"
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

// played returns the writes in which a scenario is played, with their times.
func playedWrites(t *testing.T, text []byte, speed float64) []string {
	t.Helper()
	set, problems := server.CheckFiles(yamlfile.Source{Name: "x.yaml", Data: text})
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	var log *writeLog
	synctest.Test(t, func(t *testing.T) {
		fake, err := server.New(server.Config{Scenarios: set, Speed: speed})
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

// With its writes kept, a stream is played in the pieces in which it arrived, whether a piece is part
// of an event or has several, and also after a secret in it was replaced.
func TestWritesAreKept(t *testing.T) {
	t.Parallel()
	hello, bye := chunkOf(`{"content":"Hello joe@example.org, "}`), chunkOf(`{"content":"Bye"}`)
	x := streamIn(map[int]string{
		10:  ": wait\n\n" + hello[:40],
		20:  hello[40:strings.Index(hello, "@")],
		30:  hello[strings.Index(hello, "@"):] + bye,
		100: bye + bye[:len(bye)-1],
		200: "\ndata: [DO",
		300: "NE]\n\n",
	})
	const asItCame, redacted = "joe@example.org", "redacted-email-"
	for _, secret := range []string{asItCame, redacted} {
		var want []string
		again := *x
		again.Pieces = nil
		for _, p := range x.Pieces {
			again.Pieces = append(again.Pieces, p)
			want = append(want, fmt.Sprintf("[%s]%s", p.At, p.Data))
		}
		if secret == redacted {
			new(recording.Redactor).Redact(&again)
			hash := "redacted-email-" + emailHash
			want[1] = strings.Replace(want[1], "joe", hash, 1)
			want[2] = strings.Replace(want[2], "@example.org", "", 1)
		}
		sc, err := recording.Writing{KeepWrites: true}.Write(&again, "writes")
		if err != nil {
			t.Fatal(err)
		}
		text, err := yamlfile.Format(sc)
		if err != nil {
			t.Fatal(err)
		}
		if got := playedWrites(t, text, 1); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s: written are\n%q\nwant\n%q\n%s", secret, got, want, text)
		}
		// Without pauses, the writes are the same.
		got := playedWrites(t, text, server.Instant)
		if len(got) != len(want) {
			t.Errorf("%s: at once there are %d writes, want %d\n%q", secret, len(got), len(want), got)
			continue
		}
		for i := range got {
			_, is, _ := strings.Cut(got[i], "]")
			if _, was, _ := strings.Cut(want[i], "]"); is != was {
				t.Errorf("%s: at once write %d is %q, want %q", secret, i, is, was)
			}
		}
	}
}

// emailHash is the hash in the placeholder for joe@example.org.
const emailHash = "0eafd5"
