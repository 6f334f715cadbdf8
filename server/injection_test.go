package server_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/server"
)

// A text of the client that a template repeats cannot leave the field in which the template
// stands.
func TestTextsOfTheRequestDoNotLeaveTheirFields(t *testing.T) {
	t.Parallel()
	const said = `{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"a\u0000b\r\nevent: x\n\ndata: [DONE]\rdata: y"}]}`
	for name, tt := range map[string]struct{ yaml, wire, want string }{
		"event":            {`event: { event: "{{ .last_user }}", data: x }`, "", "event: a\ufffdb event: x  data: [DONE] data: y\ndata: x\n\n"},
		"id":               {`event: { id: "{{ .last_user }}" }`, "", "id: a\ufffdb event: x  data: [DONE] data: y\n\n"},
		"retry":            {`event: { retry: "{{ .last_user }}", data: x }`, "", "retry: a\ufffdb event: x  data: [DONE] data: y\ndata: x\n\n"},
		"data":             {`event: { data: "{{ .last_user }}" }`, "", "data: a\x00b\ndata: event: x\ndata:\ndata: data: [DONE]\ndata: data: y\n\n"},
		"comment":          {`comment: "{{ .last_user }}"`, "", ": a\x00b\n: event: x\n:\n: data: [DONE]\n: data: y\n\n"},
		"the wire's event": {`comment: a`, "wire: { event_name: \"{{ .last_user }}\" }", ": a\n\nevent: a\ufffdb event: x  data: [DONE] data: y\ndata: {"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, "name: a\nstream:\n  - "+tt.yaml+"\n  - { role: assistant, content: Hi. }\n  - finish: stop\n"+tt.wire, server.Config{})
			if got := text(t, r.chat(said)); !strings.HasPrefix(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestHeadersOfTemplatesHaveNoControlCharacters(t *testing.T) {
	t.Parallel()
	const said = `{"model":"gpt-4o","messages":[{"role":"user","content":"a\u0000b\tc\r\nX-Other: d\u007f"}]}`
	const want = "ab\tc  X-Other: d"
	for name, yaml := range map[string]string{
		"of an answer": `wire: { headers: { X-User: "{{ .last_user }}" } }` + "\nmessage: Hi.",
		"of an error":  `error: { status: 400, headers: { X-User: "{{ .last_user }}" } }`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, "name: a\n"+yaml, server.Config{})
			conn := r.rawDial()
			conn.send(http.MethodPost, "/v1/chat/completions", said, "Connection: close")
			raw, err := io.ReadAll(conn.in)
			if err != nil {
				t.Fatal(err)
			}
			head, _, _ := strings.Cut(string(raw), "\r\n\r\n")
			if !strings.Contains(head, "\r\nX-User: "+want+"\r\n") {
				t.Errorf("the header is not there in %q", head)
			}
		})
	}
	r := start(t, "name: a\nwire: { content_type: \"text/{{ .last_user }}\" }\nmessage: Hi.", server.Config{})
	if got := r.chat(said).Header.Get("Content-Type"); got != "text/"+want {
		t.Errorf("Content-Type is %q", got)
	}
}
