package server_test

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// busy returns a server with a handler that no deadline ends. The handler returns when done
// is called.
func busy(t *testing.T, drain time.Duration) (s *server.Server, done func()) {
	t.Helper()
	going := make(chan struct{})
	r := local(t, hello, server.Config{DrainTimeout: drain, Observe: func(journal.Entry) { <-going }})
	go r.chat(ask)
	synctest.Wait()
	return r.Server, func() { close(going) }
}

// Close waits for handlers, so that nothing runs after a test. A second Close does not wait
// again.
func TestCloseWaitsForHandlersOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, done := busy(t, time.Hour)
		began := time.Now()
		s.Close()
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("Close waited for %v, want 5s", took)
		}
		s.Close()
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("with a second Close it took %v, want no more", took)
		}
		done()
	})
}

const saying = `
wire:
  on_shutdown: { event: { event: close, data: bye } }
`

func TestAFarewellEndsAnOpenStreamOrderly(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, manner, want string }{
		{"an event", "wire: { on_shutdown: { event: { event: close, data: bye } } }", "event: close\ndata: bye\n\n"},
		{"an error object", "wire: { on_shutdown: { error: { message: 'Going, {{ .request.model }}.', type: server_error } } }",
			`data: {"error":{"message":"Going, gpt-4o.","type":"server_error","param":null,"code":null}}` + "\n\n"},
		{"several steps", "wire: { on_shutdown: [{ comment: going }, { done: true }] }", ": going\n\ndata: [DONE]\n\n"},
		{"in the stream's line ends, without a number", "wire: { newline: crlf, ids: true, on_shutdown: { raw: \"x\" } }", "x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := start(t, held+tt.manner+"\n", server.Config{DrainTimeout: time.Nanosecond})
			resp := r.chat(ask)
			await(t, r, "middle")
			if err := r.Shutdown(t.Context()); err == nil {
				t.Error("Shutdown says that no answer was ended")
			}
			got := text(t, resp) // fails if the body breaks off
			if !strings.Contains(got, `"before"`) || strings.Contains(got, `" after"`) || !strings.HasSuffix(got, tt.want) {
				t.Errorf("the stream ends with %q, want %q", got, tt.want)
			}
			if rec := r.ended(); rec.Delivery.Ended != journal.EndedByShutdown || !rec.Failed || rec.Delivery.Frames != 2 {
				t.Errorf("the record is %+v", rec.Delivery)
			}
		})
	}
}

func TestAFarewellWaitsForTheEndOfAnEvent(t *testing.T) {
	t.Parallel()
	r := start(t, "name: pieces\nwire:\n  split: { size: 40, gap: 1h }\n  on_shutdown: { event: { event: close, data: bye } }\nmessage: Hello.\n", server.Config{})
	resp := r.chat(ask)
	first := make([]byte, 40)
	if _, err := io.ReadFull(resp.Body, first); err != nil {
		t.Fatal(err)
	}
	r.Close()
	got := string(first) + text(t, resp)
	events := strings.SplitAfter(got, "\n\n")
	if len(events) != 3 || !strings.Contains(events[0], `"role":"assistant"`) || events[1] != "event: close\ndata: bye\n\n" {
		t.Errorf("the stream is %q, want one whole event and the farewell", got)
	}
}

func TestAClientThatLeftGetsNoShutdownEvent(t *testing.T) {
	t.Parallel()
	r := start(t, held+saying, server.Config{KeepTranscripts: true})
	resp := r.chat(ask)
	await(t, r, "middle")
	resp.Body.Close()
	if rec := r.ended(); rec.Delivery.Ended != journal.EndedByClient || strings.Contains(string(rec.Transcript), "bye") {
		t.Errorf("the record is %+v, the transcript %q", rec.Delivery, rec.Transcript)
	}
}

func TestAReaderThatDoesNotReadCannotDelayTheEndForLong(t *testing.T) {
	t.Parallel()
	r := start(t, "name: flood\nstream:\n  - role: assistant\n  - content: { repeat: x, bytes: 16000000 }\n  - finish: stop"+saying, server.Config{})
	resp := r.chat(ask)
	first := make([]byte, 1)
	if _, err := io.ReadFull(resp.Body, first); err != nil {
		t.Fatal(err)
	}
	r.Close()
	if rec := r.ended(); rec.Delivery.Ended != journal.EndedByShutdown {
		t.Errorf("the record is %+v", rec.Delivery)
	}
	if got, err := io.ReadAll(resp.Body); err == nil || strings.Contains(string(got[max(0, len(got)-100):]), "bye") {
		t.Errorf("the body ends with %q, %v", got[max(0, len(got)-100):], err)
	}
}
