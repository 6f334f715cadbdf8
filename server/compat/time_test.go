package compat

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	fakeopenai "github.com/fakeopenai/fakeopenai/httptest"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

const halfHour = `
name: half-hour
stream:
  - role: assistant
  - heartbeat: 1800
    every: 1s
  - content: Still here.
    after: 1s
  - finish: stop
`

// A stream of half an hour takes half an hour of virtual time for the client.
func TestOfficialClientReadsForHalfAnHour(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fake := fakeopenai.NewServer(t, fakeopenai.InMemory(), fakeopenai.YAML(halfHour))
		var got told
		took := elapsed(func() { got = streamOpenAIGo(t.Context(), prompt{to: targetOf(fake)}) })
		if got.String() != "Still here. / stop" {
			t.Fatalf("got %s, want Still here.", got)
		}
		if took != 30*time.Minute {
			t.Errorf("took %v, want exactly half an hour", took)
		}
	})
}

// openai-go waits as long as the 429 of a limit asks, to the millisecond, and gets its
// answer then.
func TestOfficialClientWaitsUntilALimitLetsItIn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fake := fakeopenai.NewServer(t, fakeopenai.InMemory(), fakeopenai.YAML("name: limited\nlimits: { rpm: 1, tpm: 100 }\nmessage: Hello.\n"))
		took := elapsed(func() {
			for range 3 {
				if got := streamOpenAIGo(t.Context(), prompt{to: targetOf(fake), retries: 1}); got.String() != "Hello. / stop" {
					t.Fatalf("got %s, want Hello.", got)
				}
				time.Sleep(20*time.Second + 123*time.Microsecond)
			}
		})
		// The 429 rounds the pauses up to milliseconds.
		if want := 2*time.Minute + 20*time.Second + 123*time.Microsecond; took < want || took > want+5*time.Millisecond {
			t.Errorf("took %v, want %v", took, want)
		}
		for _, call := range fake.Calls() {
			for _, a := range call.Attempts[1:] {
				if a.Verdict != journal.VerdictInTime {
					t.Errorf("an attempt came %s, after %v", a.Verdict, a.Gap)
				}
			}
		}
		if n := len(fake.Requests()); n != 5 {
			t.Errorf("%d requests, want 3 answered and 2 refused", n)
		}
	})
}

// openai-go returns when it has read [DONE], although the connection stays open.
func TestOfficialClientStopsAtDone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		to := start(t, "open-after-done", fakeopenai.InMemory())
		took := elapsed(func() { streamOpenAIGo(t.Context(), prompt{to: to}) })
		if took != 0 {
			t.Errorf("took %v, want none of the 20s that the connection stays open", took)
		}
	})
}

// openai-go reads the same answer in every variant of the wire. It reports no error if the
// answer ends too early but the body ends properly: a program notices that only by the
// missing finish reason.
func TestOfficialClientIsSwept(t *testing.T) {
	t.Parallel()
	for fixture, opts := range map[string][]fakeopenai.SweepOption{
		"text-then-tool": {fakeopenai.Truncated(wantsFinish)},
		"long-text":      nil,
	} {
		want := streamOpenAIGo(t.Context(), prompt{to: start(t, fixture, fakeopenai.Instant())})
		t.Run(fixture, func(t *testing.T) {
			t.Parallel()
			fakeopenai.Sweep(t, fakeopenai.Fixture(fixture), func(t *testing.T, fake *fakeopenai.Server) {
				if got := streamOpenAIGo(t.Context(), prompt{to: targetOf(fake)}); got != want {
					t.Errorf("got  %#v\nwant %#v", got, want)
				}
			}, opts...)
		})
	}
}

func wantsFinish(_ *testing.T, fake *fakeopenai.Server) error {
	got := streamOpenAIGo(context.Background(), prompt{to: targetOf(fake)})
	if got.err == nil && got.finish == "" {
		return errors.New("the answer has no finish reason")
	}
	return got.err
}
