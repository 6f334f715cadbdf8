package server_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

const closesOnReuse = `
name: shy
wire: { connection: close_on_reuse }
message: { content: Hello. }
---
name: faithful
when: { model: other }
message: { content: Hello. }
`

func TestAConnectionThatClosesOnReuse(t *testing.T) {
	t.Parallel()
	r := startWatched(t, closesOnReuse, server.Config{})
	c := r.dial()
	send(t, c, ask)
	readAnswer(t, c)
	send(t, c, `{"model":"other","stream":true}`)
	if got, err := io.ReadAll(c); len(got) != 0 || err != nil {
		t.Errorf("the second request got %q, %v; want the end of the connection and nothing else", got, err)
	}
	if first := r.ended(); first.Delivery.Ended != journal.EndedComplete {
		t.Errorf("the first answer ended %s", first.Delivery.Ended)
	}
	second := r.ended()
	if d := second.Delivery; d.Ended != journal.EndedAsAuthored || d.RequestNumber != 2 || second.Status != 0 || second.Scenario != "" {
		t.Errorf("the second request is recorded as %+v", second)
	}
	if !strings.Contains(second.Problem, `"shy" says wire.connection: close_on_reuse`) || !strings.Contains(string(second.Body), "other") {
		t.Errorf("it has the problem %q and the body %q", second.Problem, second.Body)
	}
}

func TestWhatNetHTTPMakesOfAConnectionThatClosesOnReuse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, key string
		fails     bool
	}{
		{"a request that may have had an effect fails", "", true},
		{"one with an idempotency key is sent again on a new connection", "once", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := startWatched(t, closesOnReuse, server.Config{})
			// The client opens a new connection only if it does not use the old one again.
			r.client.Transport.(*http.Transport).MaxConnsPerHost = 1
			text(t, r.chat(ask))
			r.ended()
			resp, err := try(t.Context(), r.client, r.url, tt.key)
			if err == nil {
				text(t, resp)
			}
			if (err != nil) != tt.fails {
				t.Errorf("the second request ends with %v", err)
			}
			if d := r.ended().Delivery; !d.Reused {
				t.Errorf("delivery %+v, want the second request to have come over the same connection", d)
			}
			if tt.fails {
				return
			}
			if d := r.ended().Delivery; d.Reused || d.Ended != journal.EndedComplete {
				t.Errorf("delivery %+v, want the third on a connection of its own", d)
			}
		})
	}
}

func TestInHTTP2TheWholeConnectionClosesOnReuse(t *testing.T) {
	t.Parallel()
	r := startWatched(t, closesOnReuse, server.Config{})
	r.client = http2Client(t)
	text(t, r.chat(ask))
	r.ended()
	if resp, err := try(t.Context(), r.client, r.url, ""); err == nil {
		t.Errorf("the second request is answered with %s", resp.Status)
	}
	if rec := r.ended(); !rec.Delivery.Reused || rec.Status != 0 {
		t.Errorf("it is recorded as %+v", rec)
	}
	text(t, r.chat(ask))
	if d := r.ended().Delivery; d.Reused {
		t.Errorf("delivery %+v, want the third request on a new connection", d)
	}
}

func TestClosingOnReuseNeedsToKnowTheConnection(t *testing.T) {
	t.Parallel()
	r := start(t, closesOnReuse, server.Config{})
	wantContains(t, r.ask(http.MethodPost, "/v1/chat/completions", ask, http.StatusNotImplemented), "fake_no_connection", "ConnContext")
}
