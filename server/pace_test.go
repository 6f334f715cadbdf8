package server_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fakeopenai/fakeopenai/server"
)

// timedWriter records when it was written to.
type timedWriter struct {
	*httptest.ResponseRecorder
	began time.Time
	times []time.Duration
}

func (w *timedWriter) Write(p []byte) (int, error) {
	w.times = append(w.times, time.Since(w.began))
	return w.ResponseRecorder.Write(p)
}

// A plan shows the pauses that a request has when it is played: with a program that requests
// share or one of its own, streamed or not. Each attempt has other pauses.
func TestAPlanHasThePausesThatAreDrawn(t *testing.T) {
	t.Parallel()
	const pace = "name: x\npace: { first: { mean: 1h, distribution: gamma }, every: 1h, jitter: 30m, distribution: lognormal, burst: { min: 1, max: 3 } }\n"
	for _, reply := range []string{
		"message: one two three four five",
		"message: 'You said {{ .last_user }}, and more'",
		"message: one two three four five\nwire: { coalesce: 2 }",
		"message: one two three four five\nend: { cut: { after: 3 } }",
		"stream: [{ role: assistant }, { content: a, repeat: 50 }, { comment: b, after: 5m, jitter: 1m }, { finish: stop }]",
		"message: one\nwire: { status: 204 }",
	} {
		for _, stream := range []bool{true, false} {
			var before []time.Duration
			synctest.Test(t, func(t *testing.T) {
				played, planned := local(t, pace+reply, server.Config{}), local(t, pace+reply, server.Config{})
				for attempt := 1; attempt <= 2; attempt++ {
					var plan server.Plan
					ask := fmt.Sprintf(`{"stream": %t, "messages": [{"role": "user", "content": "hi"}]}`, stream)
					request := func() *http.Request {
						return httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(ask))
					}
					planned.ServeHTTP(httptest.NewRecorder(), request().WithContext(server.WithPlan(t.Context(), func(p server.Plan) { plan = p })))
					w := &timedWriter{ResponseRecorder: httptest.NewRecorder(), began: time.Now()}
					func() {
						defer func() { _ = recover() }() // an answer that is cut panics
						played.ServeHTTP(w, request())
					}()
					var want []time.Duration
					for i := range plan.Frames {
						want = append(want, plan.Frames[i].At)
					}
					if want = slices.Compact(want); !slices.Equal(w.times, want) {
						t.Errorf("%s, streamed %t, attempt %d: written after %v, planned %v", reply, stream, attempt, w.times, want)
					}
					if took := time.Since(w.began); took != plan.EndAt {
						t.Errorf("%s, streamed %t, attempt %d: ended after %v, planned %v", reply, stream, attempt, took, plan.EndAt)
					}
					if len(want) > 0 && slices.Equal(want, before) {
						t.Errorf("%s, streamed %t: both attempts have %v", reply, stream, want)
					}
					before = want
				}
			})
		}
	}
}

// A status that has no body leaves no frames to send.
func TestAnAnswerWithoutABodyPlansNoFrames(t *testing.T) {
	t.Parallel()
	s := local(t, "name: x\nmessage: one two\nwire: { status: 204 }", server.Config{})
	s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(question)))
	if d := s.Journal()[0].Delivery; d.Planned != 0 {
		t.Errorf("%d frames are planned, want none", d.Planned)
	}
}
