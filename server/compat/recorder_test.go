package compat

import (
	"testing"

	fakeopenai "github.com/fakeopenai/fakeopenai/httptest"
	"github.com/fakeopenai/fakeopenai/server"
)

// An official client reads through a recorder the same answer as from the endpoint, and
// the same answer from the recording.
func TestAClientReadsThroughARecorder(t *testing.T) { // not parallel: it sets the environment
	for _, c := range readFrameworks(t) {
		if c.Hold != "" || c.Retries > 0 {
			continue // a recording has no holds, and one answer for each request
		}
		q := c.ask("openai-go")
		t.Run(q.title(), func(t *testing.T) {
			want := c.expect(t, q.Client)
			q.Scenario, q.Key = "", "sk-test" // the endpoint plays one scenario by default, so that the client names none
			upstream := fakeopenai.NewServer(t, fakeopenai.File("frameworks.yaml"), fakeopenai.AllowUnused(), fakeopenai.WithConfig(func(config *server.Config) { config.Default = c.Scenario }))
			dir := t.TempDir()
			for _, mode := range []string{"record", "replay"} {
				t.Run(mode, func(t *testing.T) {
					t.Setenv("FAKEOPENAI_RECORD", mode)
					t.Setenv("OPENAI_API_KEY", q.Key)
					r := fakeopenai.Record(t, upstream.URL, dir)
					if d := want.diff(readOpenAIGo(t, r.URL, q)); d != "" {
						t.Error(d)
					}
				})
			}
		})
	}
}
