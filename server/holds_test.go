package server_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/server"
)

// waitFor waits until n streams wait at the hold middle.
func waitFor(t *testing.T, r *running, n int) {
	t.Helper()
	for {
		await(t, r, "middle")
		states := decode[struct{ Holds []struct{ Waiting []any } }](t, r.get("/_fake/holds", http.StatusOK))
		if len(states.Holds[0].Waiting) == n {
			return
		}
		time.Sleep(time.Millisecond) // leaves the processors to the streams
	}
}

func TestAReleaseInAdvanceIsForOneStream(t *testing.T) {
	t.Parallel()
	r := start(t, held, server.Config{})
	r.Release("middle")
	wantContains(t, text(t, r.chat(ask)), "[DONE]")
	await(t, r, "middle") // await also returns for a stream that has passed the hold

	second := r.chat(ask)
	await(t, r, "middle")
	r.Release("middle")
	wantContains(t, text(t, second), "[DONE]")
}

func TestAHoldThatNoScenarioHasIsAnErrorAtOnce(t *testing.T) {
	t.Parallel()
	r := start(t, held, server.Config{})
	if err := r.Await(t.Context(), "midle"); err == nil {
		t.Error("Await waits for a hold that does not exist")
	} else {
		wantContains(t, err.Error(), `"midle"`, "middle")
	}
	wantContains(t, r.ask(http.MethodPost, "/_fake/holds/midle/release", "", http.StatusNotFound), `\"midle\"`, "middle")
	wantContains(t, start(t, hello, server.Config{}).get("/_fake/holds/x/wait", http.StatusNotFound), "no scenario has a hold")
}

func TestHoldsWorkOverHTTP(t *testing.T) {
	t.Parallel()
	r := start(t, held, server.Config{ShowSecrets: true})
	wantContains(t, r.get("/_fake/holds/middle/wait?timeout=1ms", http.StatusRequestTimeout), `"fake_timeout"`, "no stream is open", "waited 1ms")
	wantContains(t, r.get("/_fake/holds/middle/wait?timeout=5", http.StatusBadRequest), `"fake_bad_query"`, `\"5\"`)

	resp := r.chat(ask, "Authorization: Bearer k")
	wantContains(t, r.get("/_fake/holds/middle/wait?timeout=30s", http.StatusOK), `"request": 1`, `"scenario": "held"`, `"api_key": "k"`)
	wantContains(t, text(t, r.do(http.MethodPost, "/_fake/holds/middle/release", "")), `"released": 1`, `"in_advance": false`)
	wantContains(t, text(t, resp), "[DONE]")
	wantContains(t, text(t, r.do(http.MethodPost, "/_fake/holds/middle/release", "")), `"released": 0`, `"in_advance": true`)
	wantContains(t, r.get("/_fake/holds", http.StatusOK), `"name": "middle"`, `"waiting": []`, `"released_in_advance": 1`)
}

func TestResetForgetsReleasesInAdvance(t *testing.T) {
	t.Parallel()
	r := start(t, held, server.Config{})
	r.Release("middle")
	r.Reset()
	resp := r.chat(ask)
	await(t, r, "middle")
	wantContains(t, r.get("/_fake/holds", http.StatusOK), `"request": 1`)
	r.Release("middle")
	text(t, resp)
}

// A stream at a hold can be released after its scenario was removed, so that a test can end it.
func TestAStreamIsReleasedAfterItsScenarioIsGone(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{})
	r.put(http.MethodPut, held, http.StatusOK)
	resp := r.chat(ask, keyA)
	await(t, r, "middle")
	wantStatus(t, r.do(http.MethodDelete, "/_fake/scenarios?api_key=a", ""), http.StatusNoContent)
	wantContains(t, r.get("/_fake/holds", http.StatusOK), `"name": "middle"`, `"request": 1`)
	await(t, r, "middle")
	wantContains(t, text(t, r.do(http.MethodPost, "/_fake/holds/middle/release", "")), `"released": 1`)
	wantContains(t, text(t, resp), "[DONE]")
	wantContains(t, r.get("/_fake/holds", http.StatusOK), `"holds": []`)
}

func TestCloseEndsAnAwait(t *testing.T) {
	t.Parallel()
	r := start(t, held, server.Config{})
	failed := make(chan error)
	go func() { failed <- r.Await(context.Background(), "middle") }()
	r.Close()
	err := testflag.Receive(t, failed)
	if err == nil {
		t.Fatal("Await found a stream")
	}
	wantContains(t, err.Error(), "the server was closed")
}
