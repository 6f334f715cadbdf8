package server_test

import (
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/server"
)

// The content type that a scenario sets for its answers does not apply to its errors.
func TestContentTypesOfCompletionsAreNotThoseOfErrors(t *testing.T) {
	t.Parallel()
	const base = "name: base\nwire: { content_type: text/x-base, headers: { X-Base: b } }\nmessage: Hi.\n---\n"
	for name, tt := range map[string]struct{ yaml, want string }{
		"of a base":               {base + "name: a\nextends: base\nerror: { status: 429 }", "application/json"},
		"written beside an error": {base + "name: a\nextends: base\nwire: { content_type: text/x-own }\nerror: { status: 429 }", "text/x-own"},
		"of a base, for answers":  {base + "name: a\nextends: base\nmessage: Ho.", "text/x-base"},
		"of other replies":        {"name: a\nwire: { content_type: text/x-base, headers: { X-Base: b } }\nreplies: [{ times: 1, error: { status: 429 } }, { message: Hi. }]", "application/json"},
		"of the reply itself":     {"name: a\nreplies: [{ times: 1, error: { status: 429 }, wire: { content_type: text/x-own, headers: { X-Base: b } } }, { message: Hi. }]", "text/x-own"},
		"of an error alone":       {"name: a\nwire: { content_type: text/x-own, headers: { X-Base: b } }\nerror: { status: 429 }", "text/x-own"},
		"of a stream that fails":  {"name: a\nwire: { content_type: text/x-base, headers: { X-Base: b } }\nstream: [{ role: assistant }, { error: { message: No } }]", "application/json"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, tt.yaml, server.Config{})
			resp := r.chat(`{"model":"fake:a","messages":[{"role":"user","content":"Hi"}]}`)
			if got := resp.Header.Get("Content-Type"); !strings.HasPrefix(got, tt.want) || resp.Header.Get("X-Base") != "b" {
				t.Errorf("Content-Type is %q, want %q; the header is %v", got, tt.want, resp.Header)
			}
		})
	}
}
