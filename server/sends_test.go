package server_test

import (
	"maps"
	"slices"
	"testing"

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
