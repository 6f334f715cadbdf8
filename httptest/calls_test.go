package fakeopenai

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fakeopenai/fakeopenai/server/journal"
)

func TestACallGoesOnAfterTheClientGaveUpWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fake := NewServer(t, InMemory(), YAML(`
			name: slow
			replies:
			  - times: 1
			    message: Late.
			    pace: { first: 1m }
			  - message: Soon.
		`))
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
		defer stop()
		if resp, err := ask(ctx, fake, streamed); err == nil {
			if _, err = io.ReadAll(resp.Body); err == nil {
				t.Fatal("the first answer came in time")
			}
			resp.Body.Close()
		}
		time.Sleep(3 * time.Second)
		mustAsk(t, fake, streamed)
		calls := fake.Calls()
		if len(calls) != 1 || len(calls[0].Attempts) != 2 {
			t.Fatalf("the calls are %v, want one with two attempts", calls)
		}
		if a := calls[0].Attempts[1]; a.Gap != 3*time.Second || a.Verdict != journal.VerdictNone || !calls[0].Attempts[0].Failed {
			t.Errorf("the attempts are %+v", calls[0].Attempts)
		}
	})
}

// TestWhatCountsAsAFailure sends the same request twice. The second counts as a retry if the
// first answer counts as a failure.
func TestWhatCountsAsAFailure(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		first  string
		failed bool
	}{
		{"a whole answer", "message: Hi", false},
		{"a whole answer after which the connection stays open", "message: Hi\nend: { linger: 10ms }", false},
		{"a reset", "message: Hi\nend: reset", true},
		{"a cut", "message: Hi\nend: cut", true},
		{"a cut that HTTP calls complete", "message: Hi\nend: { close: { inside: true } }", true},
		{"an end without [DONE]", "message: Hi\nend: close", true},
		{"no answer at all", "message: Hi\nend: refuse", true},
		{"an error in mid-stream", "stream: [{ role: assistant }, { error: { message: No. } }]", true},
		{"an error status", "error: { status: 500 }", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			first := "  " + strings.ReplaceAll(tt.first, "\n", "\n  ")
			fake := NewServer(t, InMemory(), YAML("name: a\nreplies:\n- times: 1\n"+first+"\n- message: Again.\n"))
			for range 2 {
				if resp, err := ask(t.Context(), fake, streamed); err == nil {
					_, _ = io.ReadAll(resp.Body)
					resp.Body.Close()
				}
			}
			fake.AwaitEnd(0)
			fake.AwaitEnd(1)
			if calls := fake.Calls(); (len(calls) == 1) != tt.failed {
				t.Errorf("the requests are %d calls: %v", len(calls), calls)
			}
		})
	}
}
