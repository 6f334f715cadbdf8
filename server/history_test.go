package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/server"
)

// orphan is a request with a tool result that no call asked for. It also has a member that
// the real service does not know.
const orphan = `{"model":"gpt-4o","foo":1,"messages":[{"role":"tool","tool_call_id":"a","content":"ok"}]}`

func TestAHistoryIsCheckedIfTheServerOrScenarioAsksForIt(t *testing.T) {
	t.Parallel()
	const on, off = "check_history: true\n", "check_history: false\n"
	for _, tt := range []struct {
		name     string
		scenario string
		config   server.Config
		refused  bool
	}{
		{"nobody asks", hello, server.Config{}, false},
		{"the server asks", hello, server.Config{CheckHistory: true}, true},
		{"the scenario asks", hello + on, server.Config{}, true},
		{"the scenario does not want to", hello + off, server.Config{CheckHistory: true}, false},
		{"a base asks", "name: a\nextends: hello\n---" + hello + on, server.Config{}, true},
		{"before all else is checked", hello, server.Config{CheckHistory: true, Strict: true}, true},
		{"where nothing matches", strings.Replace(hello, "name:", "when: { model: o3 }\nname:", 1), server.Config{CheckHistory: true}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := start(t, tt.scenario, tt.config)
			resp := r.chat(orphan)
			if refused := resp.StatusCode == http.StatusBadRequest; refused != tt.refused {
				t.Errorf("the status is %d", resp.StatusCode)
			}
			body := text(t, resp)
			if tt.refused {
				wantContains(t, body, "messages with role 'tool' must be a response to a preceeding message", `"messages.[0].role"`)
			}
			if rec := r.ended(); rec.BadHistory != tt.refused || rec.BadHistory != strings.Contains(rec.Problem, "preceeding") {
				t.Errorf("the record has bad history %t, problem %q", rec.BadHistory, rec.Problem)
			}
		})
	}
}
