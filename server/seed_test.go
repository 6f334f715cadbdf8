package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/server"
)

// drawing draws from the seed what can be: the reply, ids, texts and frames.
const drawing = `
name: drawing
replies:
  - { chance: 0.5, error: 500 }
  - stream:
      - role: assistant
      - content: '{{ hex 8 }} {{ fake "firstname" }}'
      - fake: { words: 6 }
      - tool_call: { name: f, arguments: "{}" }
      - finish: tool_calls
    damage: [{ drop: content, chance: 0.5 }]
envelope: { created: 7 }
`

// drawn returns the answers to the first three attempts at two requests, with their ids.
func drawn(r *running, header ...string) string {
	var all strings.Builder
	for range 3 {
		for _, resp := range []*http.Response{r.chat(brief, header...), r.respond(`{"model":"gpt-4o","stream":true,"input":"Hi","store":false}`, header...)} {
			all.WriteString(resp.Header.Get("X-Request-Id") + "\n" + bodyOf(resp))
		}
	}
	r.Reset()
	return all.String()
}

// A seed in the header of a request gives the answer of a server with that seed.
func TestARequestBringsItsSeed(t *testing.T) {
	t.Parallel()
	wants := map[string]string{}
	for seed, text := range map[int64]string{2: "2", 3: "3", -1 << 63: "-9223372036854775808"} {
		wants[text] = drawn(start(t, drawing, server.Config{Created: 7, Seed: seed}))
	}
	if wants["2"] == wants["3"] {
		t.Fatal("seeds 2 and 3 give the same answers")
	}
	for _, own := range []string{"", "seed: 5\n"} {
		r := start(t, strings.Replace(drawing, "replies:", own+"replies:", 1), server.Config{Created: 7})
		before := drawn(r)
		for _, seed := range []string{"2", "3", "-9223372036854775808", "2"} {
			if got := drawn(r, "X-Fakeopenai-Seed: "+seed); got != wants[seed] {
				t.Errorf("with %q in the scenario, seed %s gives\n%s\nwant\n%s", own, seed, got, wants[seed])
			}
		}
		if drawn(r) != before {
			t.Errorf("with %q in the scenario, seeds of other requests change an answer without one", own)
		}
	}
}

func TestTheJournalHasTheSeedOfARequest(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{})
	text(t, r.chat(brief, "X-Fakeopenai-Seed: 42"))
	r.ended()
	wantContains(t, r.get("/_fake/requests/1", http.StatusOK), `"seed": 42`)
}

func TestAWrongSeedIsRefused(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{})
	for _, header := range [][]string{
		{"X-Fakeopenai-Seed: 0"}, {"X-Fakeopenai-Seed: 1.5"}, {"X-Fakeopenai-Seed: 9223372036854775808"}, {"X-Fakeopenai-Seed: "},
		{"X-Fakeopenai-Seed: 1", "X-Fakeopenai-Seed: 1"},
	} {
		wantContains(t, r.ask(http.MethodPost, "/v1/chat/completions", brief, http.StatusBadRequest, header...), "fake_seed", "write one whole number other than 0")
	}
}
