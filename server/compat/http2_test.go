package compat

import (
	"context"
	"strings"
	"testing"

	fakeopenai "github.com/fakeopenai/fakeopenai/httptest"
)

const brokenOff = `
name: well-formed
stream: [{ role: assistant }, { content: Once upon }, { content: " a time" }, { finish: stop }]
---
name: cut-between-events
extends: well-formed
end: { cut: { after: 3, inside: false } }
---
name: reset-between-events
extends: well-formed
end: { reset: { after: 3 } }
`

// In HTTP/2 a cut and a reset both send RST_STREAM: the client reports that the answer
// broke off, and the connection serves the next request.
func TestBrokenStreamsOverHTTP2(t *testing.T) {
	t.Parallel()
	for name, stream := range streamers {
		for _, scenario := range []string{"cut-between-events", "reset-between-events"} {
			t.Run(name+" "+scenario, func(t *testing.T) {
				t.Parallel()
				fake := fakeopenai.NewServer(t, fakeopenai.YAML(brokenOff), fakeopenai.AllowUnused(), fakeopenai.WithHTTP2())
				p := prompt{to: targetOf(fake), scenario: scenario}
				got := stream(context.Background(), p)
				if got.text != "Once upon a time" || got.err == nil || !strings.Contains(got.err.Error(), "INTERNAL_ERROR") {
					t.Errorf("got %s, want the text and INTERNAL_ERROR", got)
				}
				p.scenario = "well-formed"
				if got := stream(context.Background(), p).String(); got != "Once upon a time / stop" {
					t.Errorf("the next request got %s", got)
				}
				if d := fake.AwaitEnd(1).Delivery; !d.Reused || d.Protocol != "HTTP/2.0" {
					t.Errorf("delivery = %+v, want the same connection in HTTP/2", d)
				}
			})
		}
	}
}
