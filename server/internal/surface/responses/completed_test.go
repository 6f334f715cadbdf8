package responses_test

import (
	"net/http"
	"strings"
	"testing"
)

// A response is completed when its last event is due, in the stream, in one piece, and when it is asked for
// later. The tests play without pauses: it is the time that the scenario says.
func TestAResponseIsCompletedWhenItsPausesAreOver(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ scenario, want string }{
		"at once":                  {"message: Hi", "1790000000"},
		"a second and a half":      {"message: Hi there\npace: { first: 1500ms }", "1790000001"},
		"as the request says":      {"message: 'You said {{ .last_user }}'\npace: { first: 1s, every: 500ms }", "1790000004"},
		"a step for each request":  {"stream: [{ role: assistant }, { wait: 3s }, { content: '{{ .last_user }}', logprobs: true }, { finish: stop }]", "1790000003"},
		"byte by byte":             {"message: Hi\npace: { first: 2s }\nwire: { split: byte }", "1790000002"},
		"created as the author":    {"message: Hi\npace: { first: 2s }\nenvelope: { created: 17 }", "19"},
		"pauses drawn by chance":   {"message: Hi\npace: { first: 4s, jitter: 10ms }\nseed: 2", "1790000004 1790000003"},
		"a time that is no number": {"message: Hi\npace: { first: 2s }\nenvelope: { created: null }", "null"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := serve(t, "name: x\n"+tt.scenario+"\n")
			_, stream := ask(t, url, `"stream":true`)
			all := events(t, stream)
			last := all[len(all)-1].Get("response")
			_, got := send(t, http.MethodGet, url+"/v1/responses/"+last.Get("id").Text(), "")
			_, whole := ask(t, url, `"stream":false`)
			at := `"completed_at":` + last.Get("completed_at").String()
			if !strings.Contains(tt.want, last.Get("completed_at").String()) {
				t.Errorf("%s in the stream, want %s", at, tt.want)
			}
			for where, body := range map[string]string{"asked for later": got, "in one piece": whole} {
				if !strings.Contains(strings.ReplaceAll(body, `": `, `":`), at+",") {
					t.Errorf("%s: want %s in %s", where, at, body)
				}
			}
			if !all[0].Get("response").Get("completed_at").IsNull() {
				t.Error("it is completed before it begins")
			}
		})
	}
}
