package server_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// slow is a stream of three frames that takes three seconds.
const slow = `
name: slow
stream:
  - role: assistant
  - wait: 3s
  - content: late
  - finish: stop
`

// bubbled runs a test in virtual time, with a server that has no listener.
func bubbled(t *testing.T, yaml string, config server.Config, run func(t *testing.T, r *running)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := local(t, yaml, config)
		defer r.Close() // ends what the test has sent
		run(t, r)
	})
}

// send sends a request, and does not wait for its answer.
func (r *running) send(header ...string) { go r.chat(ask, header...) }

// timed returns the body of a GET, which must have the status and take exactly this long.
func (r *running) timed(path string, status int, takes time.Duration) string {
	r.t.Helper()
	began := time.Now()
	body := r.get(path, status)
	if took := time.Since(began); took != takes {
		r.t.Errorf("GET %s took %v, want %v", path, took, takes)
	}
	return body
}

func TestTheEndOfARequestCanBeWaitedFor(t *testing.T) {
	bubbled(t, slow, server.Config{}, func(t *testing.T, r *running) {
		r.send(mine)
		synctest.Wait()
		wantContains(t, r.timed("/_fake/requests/1/wait?timeout=1s", http.StatusRequestTimeout, time.Second),
			`"fake_timeout"`, `request 1 (scenario \"slow\", reply 1) has not ended: waited 1s`)
		wantContains(t, r.timed("/_fake/requests/1/wait", http.StatusOK, 2*time.Second), `"ended": "complete"`, `"status": 200`)
		wantContains(t, r.timed("/_fake/requests/1/wait?api_key=mine", http.StatusOK, 0), `"id": 1`)
		wantContains(t, r.timed("/_fake/requests/2/wait?timeout=2s", http.StatusRequestTimeout, 2*time.Second), "request 2 has not come: waited 2s")
	})
}

func TestARequestThatHasNotComeCanBeWaitedFor(t *testing.T) {
	bubbled(t, slow, server.Config{}, func(t *testing.T, r *running) {
		time.AfterFunc(time.Second, func() { r.send() })
		wantContains(t, r.timed("/_fake/requests/1/wait", http.StatusOK, 4*time.Second), `"ended": "complete"`)
	})
}

func TestAWaitForARequestThatIsNotInTheJournalIsA404(t *testing.T) {
	bubbled(t, slow, server.Config{JournalSize: 1}, func(t *testing.T, r *running) {
		r.send(mine)
		synctest.Wait()
		for _, path := range []string{"/_fake/requests/1/wait?api_key=theirs", "/_fake/requests/0/wait", "/_fake/requests/x/wait"} {
			wantContains(t, r.timed(path, http.StatusNotFound, 0), `"fake_not_found"`)
		}
		time.AfterFunc(time.Second, r.ResetJournal)
		r.timed("/_fake/requests/1/wait", http.StatusNotFound, time.Second)
		time.AfterFunc(time.Second, func() { r.send(mine) })
		r.timed("/_fake/requests/2/wait?api_key=theirs", http.StatusNotFound, 4*time.Second)
	})
}

func TestTheEndsOfAKeysRequestsCanBeWaitedFor(t *testing.T) {
	bubbled(t, slow, server.Config{}, func(t *testing.T, r *running) {
		r.send(mine)
		time.AfterFunc(time.Second, func() { r.send(theirs) })
		time.AfterFunc(2*time.Second, func() { r.send(mine) })
		wantContains(t, r.timed("/_fake/requests/wait?count=2&timeout=4s&api_key=mine", http.StatusRequestTimeout, 4*time.Second),
			`1 of 2 requests have ended: waited 4s; open streams: request 3 (scenario \"slow\", reply 1) is playing after `)
		got := decode[requestList](t, r.timed("/_fake/requests/wait?count=2&api_key=mine", http.StatusOK, time.Second)).Requests
		if len(got) != 2 || got[0].ID != 1 || got[1].ID != 3 || got[1].Delivery.Ended != "complete" {
			t.Errorf("the requests are %+v", got)
		}
		r.timed("/_fake/requests/wait?count=3", http.StatusOK, 0)
		r.timed("/_fake/requests/wait", http.StatusOK, 0)
		wantContains(t, r.timed("/_fake/requests/wait?count=4&timeout=1s", http.StatusRequestTimeout, time.Second), "3 of 4", "no stream is open")
	})
}

func TestAWaitWithWrongParametersIsRefused(t *testing.T) {
	bubbled(t, slow, server.Config{JournalSize: 3}, func(t *testing.T, r *running) {
		for query, want := range map[string]string{
			"count=0":   `count is \"0\"`,
			"count=two": `count is \"two\"`,
			"count=4":   "remembers only 3 requests",
			"timeout=5": `timeout is \"5\"`,
			"counts=2":  `Did you mean \"count\"?`,
		} {
			wantContains(t, r.timed("/_fake/requests/wait?"+query, http.StatusBadRequest, 0), `"fake_bad_query"`, want)
		}
	})
}

func TestAWaitEndsWithTheServerAndWithItsClient(t *testing.T) {
	bubbled(t, slow, server.Config{}, func(t *testing.T, r *running) {
		ctx, leave := context.WithCancel(t.Context())
		left, over := make(chan struct{}), make(chan string)
		go func() {
			defer close(left)
			r.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "GET", "/_fake/requests/1/wait?timeout=1h", nil))
		}()
		for _, path := range []string{"/_fake/requests/1/wait?timeout=1h", "/_fake/requests/wait?timeout=1h"} {
			go func() { over <- text(t, r.do("GET", path, "")) }()
		}
		synctest.Wait()
		began := time.Now()
		leave()
		<-left
		r.Close()
		for range 2 {
			wantContains(t, <-over, `"fake_timeout"`, "the server was closed")
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("the waits ended after %v", took)
		}
	})
}

func TestTheJournalShowsHowFarAnOpenAnswerIs(t *testing.T) {
	bubbled(t, slow, server.Config{}, func(t *testing.T, r *running) {
		r.send()
		time.Sleep(2 * time.Second)
		open := r.Journal()[0]
		d := open.Delivery
		if open.Status != http.StatusOK || d.Ended != journal.EndedOpen || d.Bytes == 0 || d.Planned < 3 || d.Duration != 2*time.Second {
			t.Errorf("after 2 s the status is %d and the delivery %+v", open.Status, d)
		}
		if d.Frames != 1 || d.Step != 0 {
			t.Errorf("after the first of the frames there are %d of them, and the step is %d", d.Frames, d.Step)
		}
		one := r.timed("/_fake/requests/1", http.StatusOK, 0)
		wantContains(t, one, `"ended": "open"`, `"duration_ns": 2000000000`, fmt.Sprintf(`"bytes": %d,`, open.Delivery.Bytes))
		ended := r.timed("/_fake/requests/1/wait", http.StatusOK, time.Second)
		wantContains(t, ended, fmt.Sprintf(`"frames": %d,`, open.Delivery.Planned), `"step": 3`)
		time.Sleep(time.Second)
		if d := r.Journal()[0].Delivery; d.Duration != 3*time.Second || d.Bytes <= open.Delivery.Bytes {
			t.Errorf("after the end the delivery is %+v", d)
		}
	})
}

func TestAnAnswerThatHasNotBegunIsAtNoStep(t *testing.T) {
	bubbled(t, "name: late\nstream:\n- wait: 3s\n- role: assistant\n- finish: stop\n", server.Config{}, func(t *testing.T, r *running) {
		r.send()
		time.Sleep(time.Second)
		if d := r.Journal()[0].Delivery; d.Frames != 0 || d.Step != -1 {
			t.Errorf("before the first frame there are %d frames, and the step is %d", d.Frames, d.Step)
		}
	})
}

func TestTheEndOfCallsCanBeWaitedFor(t *testing.T) {
	bubbled(t, flaky, server.Config{JournalSize: 5}, func(t *testing.T, r *running) {
		wantContains(t, r.timed("/_fake/calls/wait?timeout=1s", http.StatusRequestTimeout, time.Second),
			`"fake_timeout"`, "0 of 1 calls have ended: waited 1s; there is no call")
		r.send(mine)
		wantContains(t, r.timed("/_fake/calls/wait", http.StatusOK, 0), `"outcome": "failed"`)
		time.AfterFunc(2*time.Second, func() { r.send(mine) })
		r.timed("/_fake/calls/wait?outcome=failed", http.StatusOK, 0)
		wantContains(t, r.timed("/_fake/calls/wait?outcome=succeeded&timeout=1500ms", http.StatusRequestTimeout, 1500*time.Millisecond),
			"0 of 1 calls have succeeded: waited 1.5s; the last is POST /v1/chat/completions: 429")
		got := r.timed("/_fake/calls/wait?outcome=succeeded&api_key=mine", http.StatusOK, 500*time.Millisecond)
		if n := len(decode[struct{ Calls []struct{ Attempts []any } }](t, got).Calls[0].Attempts); n != 2 {
			t.Errorf("the call has %d attempts, want 2: %s", n, got)
		}
		r.timed("/_fake/calls/wait?api_key=theirs&timeout=1s", http.StatusRequestTimeout, time.Second)
		for query, want := range map[string]string{
			"count=0":      `a number of calls`,
			"count=6":      "remembers only 5 requests",
			"outcome=open": `outcome is \"open\", it must be succeeded or failed`,
			"outcomes=x":   `Did you mean \"outcome\"?`,
		} {
			wantContains(t, r.timed("/_fake/calls/wait?"+query, http.StatusBadRequest, 0), `"fake_bad_query"`, want)
		}
	})
}
