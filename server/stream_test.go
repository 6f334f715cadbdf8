package server_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

func TestAStreamIsInTheJournalWhileItIsOpen(t *testing.T) {
	t.Parallel()
	r := start(t, held, server.Config{KeepTranscripts: true})
	resp := r.chat(ask, "Authorization: Bearer k")
	await(t, r, "middle")

	open := r.Journal()
	if len(open) != 1 || open[0].Delivery.Ended != journal.EndedOpen || open[0].Scenario != "held" || open[0].Request.Model != "gpt-4o" {
		t.Errorf("while the stream is open the journal is %+v", open)
	}
	r.Release("middle")
	body := text(t, resp)

	rec := r.ended()
	if d := rec.Delivery; d.Ended != journal.EndedComplete || d.Frames != d.Planned || d.Frames != 5 || d.Bytes != int64(len(body)) || d.Step != 4 {
		t.Errorf("delivery %+v after %d bytes", rec.Delivery, len(body))
	}
	if string(rec.Transcript) != body {
		t.Errorf("transcript %q, want %q", rec.Transcript, body)
	}
	if got := r.Journal()[0]; got.Delivery != rec.Delivery || got.Status != http.StatusOK {
		t.Errorf("the journal says %+v, the observer %+v", got, rec)
	}
}

func await(t *testing.T, r *running, hold string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := r.Await(ctx, hold); err != nil {
		t.Fatal(err)
	}
}

func TestAClientThatLeavesEndsItsStream(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"while it waits at a hold":  held,
		"during a pause":            "name: slow\nstream:\n  - role: assistant\n  - wait: 1h\n  - finish: stop\n",
		"before the first chunk":    "name: late\nmessage: { content: x }\npace: { first: 1h }\n",
		"while the server stalls":   "name: stall\nmessage: { content: x }\nend: { stall: { for: 1h } }\n",
		"while nobody reads so far": "name: big\nstream:\n  - role: assistant\n  - raw: { repeat: a, bytes: 16000000 }\n  - finish: stop\n",
	}
	for name, yaml := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, yaml, server.Config{})
			r.chat(ask).Body.Close()
			if rec := r.ended(); rec.Delivery.Ended != journal.EndedByClient || rec.Delivery.Frames >= rec.Delivery.Planned && name != "while the server stalls" {
				t.Errorf("delivery %+v, want it to be broken off by the client", rec.Delivery)
			}
		})
	}
}

func TestASlowReaderBlocksNobodyElseAndCloseEndsIt(t *testing.T) {
	t.Parallel()
	r := start(t, hello+"---\nname: big\nwhen: { model: big }\nstream:\n  - role: assistant\n  - raw: { repeat: a, bytes: 16000000 }\n  - finish: stop\n", server.Config{})
	conn := r.dial()
	body := `{"model":"big","stream":true}`
	send(t, conn, body)
	if _, err := conn.Read(make([]byte, 1)); err != nil { // the answer has begun; the client reads no more
		t.Fatal(err)
	}

	wantContains(t, text(t, r.chat(ask)), "[DONE]")
	r.ended()
	r.Close()

	if rec := r.ended(); rec.Delivery.Ended != journal.EndedByShutdown || rec.Scenario != "big" {
		t.Errorf("scenario %q ended %+v, want by shutdown", rec.Scenario, rec.Delivery)
	}
}

func send(t *testing.T, conn net.Conn, body string) {
	t.Helper()
	req := httptest.NewRequest(http.MethodPost, "http://fake/v1/chat/completions", strings.NewReader(body))
	if err := req.Write(conn); err != nil {
		t.Fatal(err)
	}
}

func TestTheHeaderDoesNotWaitForTheFirstChunk(t *testing.T) {
	t.Parallel()
	r := start(t, "name: late\nstream:\n  - hold: start\n  - role: assistant\n  - content: x\n  - finish: stop\n", server.Config{})
	resp := r.chat(ask) // returns with the header; the stream cannot go on until the release below
	await(t, r, "start")
	r.Release("start")
	wantContains(t, text(t, resp), "[DONE]")
}

func TestShutdownLetsStreamsFinish(t *testing.T) {
	t.Parallel()
	r := start(t, held, server.Config{DrainTimeout: patience})
	resp := r.chat(ask)
	await(t, r, "middle")
	done := make(chan error, 1)
	go func() { done <- r.Shutdown(context.Background()) }()
	for r.do(http.MethodGet, "/_fake/readyz", "").StatusCode != http.StatusServiceUnavailable {
		// Try again: Shutdown has not begun yet.
	}
	wantStatus(t, r.do(http.MethodGet, "/_fake/healthz", ""), http.StatusOK)
	r.Release("middle")
	wantContains(t, text(t, resp), "[DONE]")
	if err := testflag.Receive(t, done); err != nil {
		t.Error(err)
	}
}

func TestShutdownEndsStreamsThatTakeTooLong(t *testing.T) {
	t.Parallel()
	r := start(t, held, server.Config{DrainTimeout: time.Millisecond})
	resp := r.chat(ask)
	await(t, r, "middle")
	if err := r.Shutdown(context.Background()); err == nil || !strings.Contains(err.Error(), "were ended before they were complete: 1") {
		t.Errorf("Shutdown: %v", err)
	}
	if body, err := io.ReadAll(resp.Body); err == nil {
		t.Errorf("the stream has a proper end: %q", body)
	}
	if rec := r.ended(); rec.Delivery.Ended != journal.EndedByShutdown {
		t.Errorf("it ended %q", rec.Delivery.Ended)
	}
}

func TestIdleWaitsForTheEndOfEveryAnswer(t *testing.T) {
	t.Parallel()
	r := start(t, held, server.Config{})
	resp := r.chat(ask)
	await(t, r, "middle")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.WaitIdle(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("with an open stream Idle is %v", err)
	}
	r.Release("middle")
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Fatal(err)
	}
	if err := r.WaitIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := r.Journal()[0].Delivery.Ended; got != journal.EndedComplete {
		t.Errorf("after Idle it is %q", got)
	}
}

func TestTranscriptsAreBounded(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{KeepTranscripts: true, TranscriptLimit: 10})
	body := text(t, r.chat(ask))
	if got := r.ended().Transcript; !bytes.Equal(got, []byte(body[:10])) {
		t.Errorf("transcript %q", got)
	}
}
