package fakeopenai

import (
	"context"
	"io"
	"net/http"
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

func TestWithCheckHistory(t *testing.T) {
	t.Parallel()
	const forgotten = `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"},
		{"role":"assistant","tool_calls":[{"id":"call_7","type":"function","function":{"name":"f","arguments":"{}"}}]},
		{"role":"user","content":"well?"}]}`
	t.Run("a history that cannot be fails the test with the reason", func(t *testing.T) {
		t.Parallel()
		record(t, func(tb testing.TB) {
			fake := NewServer(tb, YAML(greeting), WithCheckHistory())
			if status, _ := mustAsk(t, fake, forgotten); status != http.StatusBadRequest {
				t.Errorf("the status is %d, want 400", status)
			}
			fake.AwaitEnd(0)
		}).wantErrors(t, "did not have response messages: call_7")
	})
	t.Run("so does one that a scenario wants to know about", func(t *testing.T) {
		t.Parallel()
		record(t, func(tb testing.TB) {
			mustAsk(t, NewServer(tb, YAML("name: a\ncheck_history: true\nmessage: Hi\n")), forgotten)
		}).wantErrors(t, "call_7")
	})
	t.Run("with AllowBadHistory it does not", func(t *testing.T) {
		t.Parallel()
		fake := NewServer(t, YAML(greeting), WithCheckHistory(), AllowBadHistory())
		if status, _ := mustAsk(t, fake, forgotten); status != http.StatusBadRequest {
			t.Errorf("the status is %d, want 400", status)
		}
	})
	t.Run("one that can be does not", func(t *testing.T) {
		t.Parallel()
		fake := NewServer(t, YAML(greeting), WithCheckHistory())
		mustAsk(t, fake, whole)
	})
	t.Run("without it nobody looks", func(t *testing.T) {
		t.Parallel()
		fake := NewServer(t, YAML(greeting))
		if status, _ := mustAsk(t, fake, forgotten); status != http.StatusOK {
			t.Errorf("the status is %d, want 200", status)
		}
	})
}

func TestFailHistory(t *testing.T) {
	t.Parallel()
	const orphan = `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"},{"role":"tool","tool_call_id":"call_7","content":"18"}]}`
	record(t, func(tb testing.TB) {
		fake := NewServer(tb, YAML(greeting), FailHistory())
		if status, _ := mustAsk(t, fake, orphan); status != http.StatusOK {
			t.Errorf("the status is %d, want 200", status)
		}
		mustAsk(t, fake, whole)
	}).wantErrors(t, "messages with role 'tool' must be a response to a preceeding message")
	fake := NewServer(t, YAML("name: a\ncheck_history: false\nmessage: Hi\n"), FailHistory())
	mustAsk(t, fake, orphan) // the scenario permits it
}

func TestFailRetries(t *testing.T) {
	t.Parallel()
	const flaky = "name: a\nreplies:\n  - { times: 1, error: { status: 429, retry_after: 60s } }\n  - message: Hi\n"
	record(t, func(tb testing.TB) {
		fake := NewServer(tb, YAML(flaky), FailRetries())
		mustAsk(t, fake, whole)
		mustAsk(t, fake, whole)
	}).wantErrors(t, "request 2: POST /v1/chat/completions: it is a retry ")
	record(t, func(tb testing.TB) {
		mustAsk(t, NewServer(tb, YAML(flaky), FailRetries(), AllowUnused()), whole)
	}).wantErrors(t, "request 1: POST /v1/chat/completions: there was no retry after the status 429")
	fake := NewServer(t, YAML(flaky))
	mustAsk(t, fake, whole)
	mustAsk(t, fake, whole)
}
