package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/server"
)

func TestAStreamGoesOnAfterTheLastEventThatTheClientHas(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, manner, end string }{
		{"plainly, with obfuscation", "wire: { ids: true }", "\n\n"},
		{"with paused and coalesced events", "wire: { ids: true, coalesce: 3 }\npace: { first: 1ms, every: 1ms, jitter: 1ms }", "\n\n"},
		{"in pieces", "wire: { ids: true, split: { by: random, gap: 1ns } }", "\n\n"},
		{"with other lines", "wire: { ids: true, newline: crlf, comments_between: ping, event_name: e, retry: 5 }", "\r\n\r\n"},
		{"compressed", "wire: { ids: true, gzip: flush }", "\n\n"},
		{"damaged", "wire: { ids: true }\ndamage: [{ duplicate: 2 }, { drop: 4 }, { rename: { frames: 5, from: model, to: moodel } }]", "\n\n"},
		{"dripping", "wire: { ids: true, drip: 100000 }", "\n\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := start(t, "name: numbered\n"+tt.manner+"\nmessage: The words of a longer answer.\n", server.Config{Created: 1700000000})
			whole := text(t, r.chat(ask))
			for n := 1; ; n++ {
				begins := strings.Index(whole, fmt.Sprintf("id: %d", n))
				if begins < 0 {
					if n < 5 {
						t.Fatalf("only %d events have ids: %q", n-1, whole)
					}
					break
				}
				ends := begins + strings.Index(whole[begins:], tt.end) + len(tt.end)
				if rest := text(t, r.chat(ask, fmt.Sprintf("Last-Event-ID: %d", n))); rest != whole[ends:] {
					t.Errorf("after event %d comes\n%q, want\n%q", n, rest, whole[ends:])
				}
			}
			if again := text(t, r.chat(ask)); again != whole {
				t.Errorf("the whole stream has become\n%q, was\n%q", again, whole)
			}
		})
	}
}

// A stream of Responses goes on with the ids with which it began, which are others for each
// request that begins one.
func TestAKeptStreamGoesOnWithItsIDs(t *testing.T) {
	t.Parallel()
	r := start(t, hello+"wire: { ids: true }\n", server.Config{Created: 1700000000})
	var begun []string
	for range 3 {
		whole := text(t, r.respond(streamedResponse))
		begun = append(begun, idIn(t, whole))
		for range 2 {
			want := strings.Join(append(events(whole)[2:], ""), "\n\n")
			if rest := text(t, r.respond(streamedResponse, "Last-Event-ID: 2")); rest != want {
				t.Errorf("after event 2 comes\n%s\nwant\n%s", rest, want)
			}
		}
	}
	if begun[0] == begun[1] || begun[1] == begun[2] {
		t.Errorf("the ids are %q", begun)
	}
}

func TestAStreamGoesOnAfterAuthoredIDs(t *testing.T) {
	t.Parallel()
	r := start(t, `
name: authored
stream:
  - role: assistant
  - event: { id: a, data: one }
  - hold: middle
  - event: { id: b, data: two }
  - finish: stop
`, server.Config{})
	// Event a comes before the hold, event b after it.
	rest := r.chat(ask, "Last-Event-ID: a")
	await(t, r, "middle")
	r.Release("middle")
	if got := text(t, rest); !strings.HasPrefix(got, "id: b\ndata: two\n\n") {
		t.Errorf("after a comes %q", got)
	}
	got := text(t, r.chat(ask, "Last-Event-ID: b"))
	if strings.Contains(got, "two") || !strings.Contains(got, `"finish_reason":"stop"`) || !strings.HasSuffix(got, "data: [DONE]\n\n") {
		t.Errorf("after b comes %q", got)
	}
}

func TestAfterTheLastEventNothingComes(t *testing.T) {
	t.Parallel()
	r := start(t, hello+"wire: { ids: true }\n", server.Config{})
	n := strings.Count(text(t, r.chat(ask)), "id: ")
	resp := r.chat(ask, fmt.Sprintf("Last-Event-ID: %d", n))
	wantStatus(t, resp, http.StatusOK)
	if got := text(t, resp); got != "" {
		t.Errorf("after the last event comes %q", got)
	}
}

func TestWhatAnUnknownEventIDGets(t *testing.T) {
	t.Parallel()
	const unknown = "Last-Event-ID: 99"
	for _, tt := range []struct {
		name, scenario, body string
		status               int
		want                 string
	}{
		{"the stream from its start", hello + "wire: { ids: true }\n", ask, 200, "id: 1\n"},
		{"so too where no event has an id", hello, ask, 200, `"role":"assistant"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := start(t, tt.scenario, server.Config{})
			wantContains(t, r.ask(http.MethodPost, "/v1/chat/completions", tt.body, tt.status, unknown), tt.want)
		})
	}
}
