package server_test

import (
	"io"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/server"
)

func TestTheEnvelopeMayNameWhatTheRequestSays(t *testing.T) {
	t.Parallel()
	r := start(t, `
name: named
envelope:
  id: 'chat-{{ .request.user }}'
  object: 'chunk-for-{{ .request.user }}'
  tag: { of: '{{ .request.user }}' }
message: hi
`, server.Config{})
	for _, user := range []string{"ann", "bob"} {
		resp := r.chat(strings.Replace(ask, `"stream"`, `"user":"`+user+`","stream"`, 1))
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{`"id":"chat-` + user + `"`, `"object":"chunk-for-` + user + `"`, `"tag":{"of":"` + user + `"}`} {
			if got := strings.Count(string(body), want); got != 3 {
				t.Errorf("%s stands in %d of 3 chunks of\n%s", want, got, body)
			}
		}
	}
}
