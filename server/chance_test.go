package server_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/server"
)

const unsteady = `
name: unsteady
seed: 7
replies:
  - { chance: 0.1, error: 429 }
  - { chance: 0.25, error: 500 }
  - message: hi
`

// statuses returns the status of each of n requests with a key, the i-th of which has the body body(i).
func (r *running) statuses(key string, n int, body func(i int) string) []int {
	list := make([]int, n)
	for i := range list {
		req := httptest.NewRequest("POST", "/v1/chat/completions", strings.NewReader(body(i)))
		req.Header.Set("Authorization", "Bearer "+key)
		got := httptest.NewRecorder()
		r.ServeHTTP(got, req)
		list[i] = got.Code
	}
	return list
}

// differing returns bodies that differ, and the same body again and again.
var (
	differing = func(i int) string { return fmt.Sprintf(`{"messages":[{"role":"user","content":"%d"}]}`, i) }
	repeated  = func(int) string { return brief }
)

// A reply with a chance is given to that share of the requests, and a second one to its share
// of the rest, for requests that differ and for attempts of the same.
func TestAChanceIsAShare(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	for name, body := range map[string]func(int) string{"requests": differing, "attempts": repeated} {
		const n = 2000
		count := map[int]int{}
		for _, status := range local(t, unsteady, server.Config{}).statuses("sk-a", n, body) {
			count[status]++
		}
		for status, share := range map[int]float64{429: 0.1, 500: 0.9 * 0.25} {
			if got := float64(count[status]) / n; got < share-0.03 || got > share+0.03 {
				t.Errorf("%s: %d comes in a share of %v, want about %v", name, status, got, share)
			}
		}
	}
}

// What is drawn is the same in each release: tests rely on it.
func TestWhatAChanceGivesFollowsFromTheSeed(t *testing.T) {
	t.Parallel()
	for seed, want := range map[string]string{
		"seed: 7": "[429 429 200 200 200 200 429 429 200 200 500 200]",
		"seed: 8": "[500 500 429 200 500 200 200 200 500 500 500 200]",
	} {
		r := local(t, strings.Replace(unsteady, "seed: 7", seed, 1), server.Config{})
		if got := fmt.Sprint(r.statuses("sk-a", 12, repeated)); got != want {
			t.Errorf("%s gives %s, want %s", seed, got, want)
		}
	}
}

// Each key gets the same replies to the same requests, however requests of other keys come
// between them.
func TestChanceDoesNotDependOnTheOrderOfKeys(t *testing.T) {
	t.Parallel()
	const n = 200
	alone := local(t, unsteady, server.Config{}).statuses("sk-alone", n, repeated)
	r := local(t, unsteady, server.Config{})
	var wg sync.WaitGroup
	for key := range 8 {
		wg.Go(func() {
			r.statuses(fmt.Sprint("sk-", key), key, differing) // so that the keys are not in step
			if got := r.statuses(fmt.Sprint("sk-", key), n, repeated); !slices.Equal(got, alone) {
				t.Errorf("key %d gets %v, alone it gets %v", key, got, alone)
			}
		})
	}
	wg.Wait()
}

func TestTheJournalSaysWhichReplyWasDrawn(t *testing.T) {
	t.Parallel()
	r := start(t, unsteady+"    end: { cut: { after: 1, chance: 0.5 } }\n---\nname: luckless\nreplies: [{ chance: 0.000001, error: 429 }]\n", server.Config{})
	seen := map[string]bool{}
	for range 40 {
		resp := r.chat(brief)
		bodyOf(resp)
		drawn := r.ended().Chance
		for i, want := range map[int]string{0: `reply 1 of "unsteady": `, 1: `reply 2 of "unsteady": `, 2: "end cut: "} {
			if i < len(drawn) && !strings.HasPrefix(drawn[i], want) {
				t.Errorf("%d: it says %q", resp.StatusCode, drawn)
			}
		}
		seen[fmt.Sprint(resp.StatusCode, len(drawn))] = true
		if resp.StatusCode == 429 && drawn[0] != `reply 1 of "unsteady": drawn` || resp.StatusCode == 200 && drawn[1] != `reply 2 of "unsteady": not drawn` {
			t.Errorf("%d: it says %q", resp.StatusCode, drawn)
		}
	}
	if want := map[string]bool{"429 1": true, "500 2": true, "200 3": true}; fmt.Sprint(seen) != fmt.Sprint(want) {
		t.Errorf("there were %v, want %v", seen, want)
	}
	wantContains(t, text(t, r.chat(brief, "X-Fakeopenai-Scenario: luckless")), "its chance of 1e-06 did not give it")
	if got := r.ended(); !got.Unmatched || !slices.Equal(got.Chance, []string{`reply 1 of "luckless": not drawn`}) {
		t.Errorf("the journal has %+v", got)
	}
}

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
