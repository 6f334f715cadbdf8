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

func TestAFrameThatIsCutIntoPiecesCountsOnce(t *testing.T) {
	t.Parallel()
	for _, wire := range []string{"{ split: 100 }", "{ drip: 100000 }"} {
		r := start(t, "name: cut-up\nwire: "+wire+"\nmessage: { content: Hello., by: all }\n", server.Config{})
		text(t, r.chat(ask))
		if d := r.ended().Delivery; d.Frames != 4 || d.Planned != 4 {
			t.Errorf("with wire: %s, %d of %d frames were written, want 4 of 4", wire, d.Frames, d.Planned)
		}
	}
}
