package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// The API keys of two jobs that share a server.
const (
	mine   = "Authorization: Bearer mine"
	theirs = "Authorization: Bearer theirs"
)

// counted is a scenario whose answer says how many requests came before.
const counted = `
name: counted
replies:
  - times: 1
    message: Once.
  - when: { attempt: 2 }
    message: A second attempt.
  - message: More often.
`

func TestKeysHaveCountersOfTheirOwn(t *testing.T) {
	t.Parallel()
	r := start(t, counted, server.Config{})
	const ask = `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]}`
	for i, want := range []string{"Once.", "A second attempt.", "More often."} {
		for _, key := range []string{mine, theirs} {
			if body := text(t, r.chat(ask, key)); !strings.Contains(body, `"`+want+`"`) {
				t.Errorf("request %d with %s is answered %s, want %s", i+1, key, body, want)
			}
		}
	}
	wantStatus(t, r.do(http.MethodPost, "/_fake/reset?api_key=mine", ""), http.StatusNoContent)
	wantContains(t, text(t, r.chat(ask, theirs)), "More often.")
	wantContains(t, text(t, r.chat(ask, mine)), "Once.")
	wantContains(t, text(t, r.chat(ask, mine)), "A second attempt.")
	r.ResetKey("") // no key stands for all
	if n := len(r.Journal()); n != 0 {
		t.Errorf("the journal has %d requests after a reset", n)
	}
	wantContains(t, text(t, r.chat(ask, theirs)), "Once.")
}

// A proxy before the server may add its own Authorization header.
func TestOneRequestHasOneKeyEverywhere(t *testing.T) {
	t.Parallel()
	headers := []string{"Authorization: Basic x", "Authorization: Bearer z"}
	const alone = "Authorization: Bearer z"
	const ask = `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]}`
	r := start(t, counted+"---"+strings.Replace(held, "stream:", "when: { model: held }\nstream:", 1), server.Config{APIKeys: []string{"z"}, ShowSecrets: true})

	// The counters, and the check of API keys.
	wantContains(t, text(t, r.chat(ask, headers...)), "Once.")
	wantContains(t, text(t, r.chat(ask, alone)), "A second attempt.")

	// The holds.
	stream := r.chat(`{"model":"held","stream":true}`, headers...)
	r.get("/_fake/holds/middle/wait?api_key=z", http.StatusOK)
	wantContains(t, text(t, r.do(http.MethodPost, "/_fake/holds/middle/release?api_key=z", "")), `"released": 1`)
	wantContains(t, text(t, stream), "[DONE]")

	// The journal and the calls.
	for range 3 {
		r.ended()
	}
	if list := decode[requestList](t, r.get("/_fake/requests?api_key=z", http.StatusOK)).Requests; len(list) != 3 {
		t.Errorf("the journal of z has %d requests, want 3", len(list))
	}
	type call struct {
		APIKey string `json:"api_key"`
	}
	for _, c := range decode[struct{ Calls []call }](t, r.get("/_fake/calls", http.StatusOK)).Calls {
		if c.APIKey != "z" {
			t.Errorf("a call belongs to the key %q, want z", c.APIKey)
		}
	}
	wantStatus(t, r.do(http.MethodPost, "/_fake/reset?api_key=z", ""), http.StatusNoContent)
	if n := len(r.Journal()); n != 0 {
		t.Errorf("%d requests are left after what belongs to z was reset", n)
	}
}

func TestKeysHaveJournalsOfTheirOwn(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{KeepTranscripts: true})
	for _, key := range []string{mine, theirs, mine} { // requests 1 and 3 are mine, 2 is theirs
		text(t, r.chat(ask, key))
		r.ended()
	}
	ids := func(path string) (ids []int64) {
		for _, rec := range decode[requestList](t, r.get(path, http.StatusOK)).Requests {
			ids = append(ids, rec.ID)
		}
		return ids
	}
	if got := ids("/_fake/requests?api_key=mine"); len(got) != 2 || got[0] != 1 || got[1] != 3 {
		t.Errorf("my requests are %v, want 1 and 3", got)
	}
	if got := ids("/_fake/requests?api_key=theirs"); len(got) != 1 || got[0] != 2 {
		t.Errorf("their requests are %v, want 2", got)
	}
	r.get("/_fake/requests/2?api_key=theirs", http.StatusOK)
	r.get("/_fake/requests/2/transcript?api_key=theirs", http.StatusOK)
	r.get("/_fake/requests/2?api_key=mine", http.StatusNotFound)
	r.get("/_fake/requests/2/transcript?api_key=mine", http.StatusNotFound)

	wantStatus(t, r.do(http.MethodDelete, "/_fake/requests?api_key=mine", ""), http.StatusNoContent)
	if got := ids("/_fake/requests"); len(got) != 1 || got[0] != 2 {
		t.Errorf("after mine were deleted there are %v, want 2", got)
	}
}

func TestKeysHaveCallsOfTheirOwn(t *testing.T) {
	t.Parallel()
	r := start(t, "name: broken\nerror: { status: 500, retry_after: 1h }\n", server.Config{ShowSecrets: true})
	for _, key := range []string{mine, theirs, mine} {
		text(t, r.chat(ask, key))
		r.ended()
	}
	type call struct {
		APIKey   string `json:"api_key"`
		Attempts []struct {
			Request int64
			Asked   int64 `json:"asked_ns"`
			Verdict journal.Verdict
		}
		Outcome journal.Outcome
	}
	got := decode[struct{ Calls []call }](t, r.get("/_fake/calls?api_key=mine", http.StatusOK)).Calls
	if len(got) != 1 || got[0].APIKey != "mine" || len(got[0].Attempts) != 2 || got[0].Outcome != journal.OutcomeFailed {
		t.Fatalf("my calls are %+v, want one with two attempts", got)
	}
	if a := got[0].Attempts[1]; a.Request != 3 || a.Asked != 3_600_000_000_000 || a.Verdict != journal.VerdictEarly {
		t.Errorf("my second attempt is %+v, want request 3, too early", a)
	}
	all := decode[struct{ Calls []call }](t, r.get("/_fake/calls", http.StatusOK)).Calls
	if len(all) != 2 || len(r.Calls()) != 2 {
		t.Errorf("all calls are %+v, want two", all)
	}
}

func TestAWaitSaysOverHTTPWhereEveryStreamStands(t *testing.T) {
	t.Parallel()
	r := start(t, held+"---\nname: other\nwhen: { model: o3 }\nstream:\n  - role: assistant\n  - hold: elsewhere\n  - finish: stop\n", server.Config{})
	r.chat(ask, mine)
	r.chat(ask, theirs)
	waitFor(t, r, 2)
	got := r.get("/_fake/holds/elsewhere/wait?timeout=1ms", http.StatusRequestTimeout)
	wantContains(t, got, `no stream reached hold \"elsewhere\": waited 1ms`, `request 1 (scenario \"held\", reply 1) waits at hold \"middle\"`, "request 2 ")
}
