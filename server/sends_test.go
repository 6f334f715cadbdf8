package server_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

func TestSends(t *testing.T) {
	t.Parallel()
	set, problems := server.CheckFiles(yamlfile.Source{Name: "a.yaml", Data: []byte(`
name: weather
when: { user: { contains: weather } }
message: { content: It rains., by: all }
pace: { first: 300ms, every: 50ms }
---
name: torn
message: { content: Hi., by: all }
end: { cut: { after: 1, inside: true } }
---
name: held
stream: [{ role: assistant }, { hold: go }, { content: Hi. }, { finish: stop }]
end: { stall: { for: 2s } }
---
name: busy
replies:
  - when: { attempt: 2 }
    message: Hi.
  - error: 429
---
name: file
when: { path: "/v1/files/{id}" }
wire: { body: { id: "{{ .match.id }}" } }
---
name: late
replies: [{ when: { turn: 2 }, message: Hi. }]
`)})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	said, plain := server.Sends(set)
	want := map[string]string{
		"weather": `the last user message contains "weather" on chat, completions, responses, realtime: 5 events, in 450ms`,
		"torn":    "any request on chat, completions, responses, realtime: 2 events, of which the last is torn, then cut",
		"held":    "any request on chat, completions, responses, realtime: 3 events, in 2s, waiting at 1 hold, then stall",
		"busy":    "any request on chat, completions, responses, realtime: 429 application/json",
		"file":    "the path fits /v1/files/{id}: 200 application/json",
		"late":    "any request on chat, completions, responses, realtime: its first reply is for other requests",
	}
	for name, sentence := range want {
		if said[name] != sentence {
			t.Errorf("%s:\n got %s\nwant %s", name, said[name], sentence)
		}
	}
	if len(said) != len(want) {
		t.Errorf("there are sentences of %v", slices.Collect(maps.Keys(said)))
	}
	if want := "chat torn, completions torn, responses torn, realtime torn, embeddings none, moderations none"; plain != want {
		t.Errorf("a plain request is answered by\n%s, want\n%s", plain, want)
	}
}

// A plan has the frames and their times. It takes no time, and uses up a reply like an answer.
func TestPlanTakesAReplyButNoTime(t *testing.T) {
	t.Parallel()
	fake := local(t, `
name: x
wire: { header_delay: 2h }
replies:
  - times: 1
    stream: [{ role: assistant }, { wait: 1h }, { hold: here }, { wait: 1h }, { content: Hi }, { finish: stop }]
  - error: 503
`, server.Config{})
	ask := func() (p server.Plan) {
		ctx := server.WithPlan(t.Context(), func(made server.Plan) { p = made })
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/chat/completions", strings.NewReader(`{"stream":true,"messages":[]}`))
		w := httptest.NewRecorder()
		fake.ServeHTTP(w, r)
		if w.Body.Len() > 0 {
			t.Errorf("a planned answer is sent: %s", w.Body)
		}
		return p
	}
	first := ask()
	if first.Status != http.StatusOK || first.Start != 2*time.Hour || first.End != "" || len(first.Frames) != 5 {
		t.Fatalf("the plan is %+v", first)
	}
	for i, want := range []struct {
		at         time.Duration
		kind, hold string
	}{{2 * time.Hour, "role", ""}, {3 * time.Hour, "hold", "here"}, {4 * time.Hour, "content", ""}, {4 * time.Hour, "finish", ""}, {4 * time.Hour, "done", ""}} {
		if f := first.Frames[i]; f.At != want.at || f.Kind != want.kind || f.Hold != want.hold || (len(f.Bytes) == 0) != (want.hold != "") {
			t.Errorf("frame %d is %s %q at %s, want %s %q at %s", i, f.Kind, f.Hold, f.At, want.kind, want.hold, want.at)
		}
	}
	if second := ask(); second.Status != http.StatusServiceUnavailable {
		t.Errorf("the reply was not taken: %+v", second)
	}
}

// The APIs on which a scenario is said to answer are exactly those that do not refuse its
// reply as unsayable.
func TestSpeaksSaysWhereScenariosAnswer(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	set := bundled(t)
	fake := local(t, "", server.Config{Scenarios: set, Speed: server.Instant})
	speaks, elsewhere := server.Speaks(set), 0
	for _, sc := range set.Scenarios() {
		for _, on := range server.Surfaces() {
			req := httptest.NewRequestWithContext(server.WithPlan(t.Context(), func(server.Plan) {}), http.MethodPost, on.Path, strings.NewReader(on.Example))
			req.Header.Set("X-Fakeopenai-Scenario", sc.Name)
			answer := httptest.NewRecorder()
			fake.ServeHTTP(answer, req)
			unsayable := strings.Contains(answer.Body.String(), "fake_unsayable")
			said := slices.Contains(speaks[sc.Name], on.Name)
			if said == unsayable && len(sc.Replies) == 1 {
				t.Errorf("%s: said to answer on %s: %t, but the answer is %s", sc.Name, on.Name, said, answer.Body)
			}
			if unsayable {
				elsewhere++
			}
		}
	}
	if elsewhere == 0 {
		t.Error("all bundled scenarios answer on all APIs, so that nothing is told apart")
	}
}
