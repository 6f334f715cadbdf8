package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/server"
)

// A message with choices answers with as many choices as the request asks for.
func TestChoicesAreAsManyAsAreAskedFor(t *testing.T) {
	t.Parallel()
	r := start(t, "name: a\nreplies: [{ times: 4, message: { choices: [Heads., Tails.] } }]", server.Config{})
	ask := func(stream bool, n int) *http.Response {
		return r.chat(fmt.Sprintf(`{"model":"gpt-4o","stream":%t,"n":%d,"messages":[{"role":"user","content":"Hi"}]}`, stream, n))
	}
	// The refused requests take none of the four times.
	for _, stream := range []bool{true, false} {
		resp := ask(stream, 3)
		wantStatus(t, resp, http.StatusBadRequest)
		wantContains(t, text(t, resp), `"code": "fake_choices"`, `"param": "n"`,
			`scenario \"a\", reply 1: the message has 2 choices, and the request asks for 3: ask for n: 2 at most, or write 1 more under choices`)
	}
	for _, stream := range []bool{true, false} {
		for n := 1; n <= 2; n++ {
			resp := ask(stream, n)
			wantStatus(t, resp, http.StatusOK)
			got := text(t, resp)
			finishes := strings.Count(got, `"finish_reason":"stop"`) + strings.Count(got, `"finish_reason": "stop"`)
			if heads, tails := strings.Contains(got, "Heads"), strings.Contains(got, "Tails"); !heads || tails != (n == 2) || finishes != n {
				t.Errorf("stream %t, n = %d: %s", stream, n, got)
			}
		}
	}
}
