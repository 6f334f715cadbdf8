package fakeopenai

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fakeopenai/fakeopenai/server/journal"
)

// busy is a scenario that first asks the client to wait in seconds, then in milliseconds, and then answers.
const busy = `
	name: busy
	replies:
	  - when: { attempt: 1 }
	    error: { status: 429, code: rate_limit_exceeded, retry_after: 2s }
	  - when: { attempt: 2 }
	    error: { status: 503, retry_after: 1500ms }
	  - message: { content: At last. }
`

// again repeats a request until it succeeds, as an official client does, with the given
// pauses.
func again(t *testing.T, s *Server, body string, pauses ...time.Duration) {
	t.Helper()
	for n := 0; ; n++ {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.BaseURL+"/chat/completions", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+s.APIKey)
		req.Header.Set("X-Stainless-Retry-Count", strconv.Itoa(n))
		resp, err := s.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if n == len(pauses) {
			return
		}
		time.Sleep(pauses[n])
	}
}

func TestCallsTellWhetherRetriesWaited(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		pauses []time.Duration
		want   string
	}{
		{"a client that waits as asked", []time.Duration{2 * time.Second, 1500 * time.Millisecond},
			"429, after 2s of 2s (in time) 503, after 1.5s of 1.5s (in time) 200: succeeded"},
		{"a client that does not care", []time.Duration{500 * time.Millisecond, time.Minute},
			"429, after 500ms of 2s (early) 503, after 1m0s of 1.5s (late) 200: succeeded"},
		{"a client that gives up", []time.Duration{2 * time.Second}, "429, after 2s of 2s (in time) 503: failed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				fake := NewServer(t, YAML(busy), InMemory())
				again(t, fake, whole, tt.pauses...)
				calls := fake.Calls()
				if len(calls) != 1 || calls[0].String() != "POST /v1/chat/completions: "+tt.want {
					t.Errorf("the calls are %v, want one: %s", calls, tt.want)
				}
				if n := calls[0].Attempts[1].RetryCount; n != "1" {
					t.Errorf("the retry count is %q, want 1", n)
				}
			})
		})
	}
}

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
		{"a cut that HTTP calls complete", "message: Hi\nend: { cut: { final_chunk: true } }", true},
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
