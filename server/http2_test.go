package server_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/internal/socket"
)

// Each ending gives the client of HTTP/2 the right frames, and leaves the connection open.
func TestEndingsInHTTP2(t *testing.T) {
	t.Parallel()
	const message = "name: ending\nmessage: { content: One two three. }\n"
	for _, tt := range []struct {
		name, yaml    string
		header, whole bool // whether the answer has HEADERS, and its stream an END_STREAM
	}{
		{"an orderly end", message, true, true},
		{"a cut", message + "end: { cut: { after: 2 } }\n", true, false},
		{"a reset", message + "end: { reset: { after: 2 } }\n", true, false},
		{"a stall", message + "end: { stall: { after: 2, for: 5ms } }\n", true, false},
		{"a refusal", message + "end: refuse\n", false, false},
		{"a close", message + "end: { close: { after: 2 } }\n", true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := startWatched(t, tt.yaml, server.Config{})
			r.client = http2Client(t)
			for n := range int64(2) {
				resp, err := try(t.Context(), r.client, r.url, "")
				if (err == nil) != tt.header {
					t.Errorf("request %d ends with %v before the header", n, err)
				}
				if err == nil {
					_, err = io.Copy(io.Discard, resp.Body)
					resp.Body.Close()
				}
				const reset = "INTERNAL_ERROR; received from peer" // what the client makes of RST_STREAM
				if tt.whole && err != nil || !tt.whole && (err == nil || !strings.Contains(err.Error(), reset)) {
					t.Errorf("request %d ends with %v", n, err)
				}
				if d := r.ended().Delivery; d.RequestNumber != n+1 || d.Left != "" || !tt.whole && tt.header && d.Duration < 20*time.Millisecond {
					t.Errorf("delivery %+v, want the same connection, and time for the client to read what was sent before a break", d)
				}
			}
		})
	}
}

func TestConnectionCloseIsGOAWAYInHTTP2(t *testing.T) {
	t.Parallel()
	r := startWatched(t, "name: last\nwire: { connection: close }\nmessage: { content: Hello. }\n", server.Config{})
	r.client = http2Client(t)
	for range 2 {
		wantContains(t, text(t, r.chat(ask)), "[DONE]")
		if d := r.ended().Delivery; d.RequestNumber != 1 || d.Left != "" {
			t.Errorf("delivery %+v, want a connection of its own", d)
		}
	}
}

// Even a short stream has none: net/http would add the length of a body that it has whole when the handler returns.
func TestOnlyAWholeAnswerHasALengthInHTTP2(t *testing.T) {
	t.Parallel()
	r := startWatched(t, "name: short\nmessage: Hi\n", server.Config{})
	for body, streams := range map[string]bool{ask: true, whole: false} {
		resp, err := http2Client(t).Post(r.url+"/v1/chat/completions", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if got, err := io.ReadAll(resp.Body); err != nil || streams && resp.ContentLength != -1 || !streams && resp.ContentLength != int64(len(got)) {
			t.Errorf("stream %t: the length of %d bytes is said to be %d (%v)", streams, len(got), resp.ContentLength, err)
		}
	}
}

// A reset below TLS sends only the RST: after TLS's alert close_notify a client would see an
// orderly end.
func TestAResetBelowTLSIsARST(t *testing.T) {
	t.Parallel()
	for _, watched := range []bool{true, false} {
		s := local(t, "name: x\nstream: [{ role: assistant }]\nend: reset\n", server.Config{})
		front := httptest.NewUnstartedServer(s)
		if watched {
			front.Listener, front.Config.ConnContext = s.Watch(front.Listener), s.ConnContext
		}
		front.StartTLS()
		t.Cleanup(front.Close)
		resp, err := front.Client().Post(front.URL+"/v1/chat/completions", "application/json", strings.NewReader(ask))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if resp.StatusCode != http.StatusOK || len(body) == 0 || !socket.IsReset(err) {
			t.Errorf("watched %t: %d with %q ends with %v, want a reset", watched, resp.StatusCode, body, err)
		}
	}
}
