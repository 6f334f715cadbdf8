package server_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/server"
)

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
