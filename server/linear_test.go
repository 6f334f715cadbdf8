package server_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/server"
)

// The work for a request is in proportion to its length, whatever it is long of. Each of these
// once took hours for a request of 32 MB.
func TestRequestsTakeTimeInProportionToTheirLength(t *testing.T) {
	testflag.NoRace(t)
	const chat, responses = "/v1/chat/completions", "/v1/responses"
	for name, tt := range map[string]struct {
		path, body string
		parts      []string // parts are written for each n, in place of each ▮ of the body.
	}{
		"required names": {chat, `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f","strict":true,"parameters":` +
			`{"type":"object","additionalProperties":false,"properties":{"p":{"type":"string"}▮},"required":["p"▮]}}}]}`, []string{`,"p%d":{"type":"string"}`, `,"p%d"`}},
		"calls and results": {chat, `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"},{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}▮]},` +
			`{"role":"tool","tool_call_id":"c","content":"x"}▮]}`, []string{`,{"id":"c%d","type":"function","function":{"name":"f","arguments":"{}"}}`, `,{"role":"tool","tool_call_id":"c%d","content":"x"}`}},
		"messages":          {chat, `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}▮]}`, []string{`,{"role":"user","content":"word %d"}`}},
		"items of answers":  {responses, `{"model":"gpt-4o","input":[{"role":"user","content":"hi"}▮]}`, []string{`,{"role":"assistant","content":"word %d"}`}},
		"members of a text": {responses, `{"model":"gpt-4o","input":"hi","text":{"format":{"type":"text"}▮}}`, []string{`,"k%d":1`}},
		"members of a tool": {responses, `{"model":"gpt-4o","input":"hi","tools":[{"type":"web_search"▮}]}`, []string{`,"k%d":1`}},
	} {
		for _, strict := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, strict %t", name, strict), func(t *testing.T) {
				s := local(t, "name: x\nmessage: '{{ .last_user }}'\n", server.Config{Strict: strict, CheckHistory: true, Observe: unobserved, JournalSize: -1, StoreSize: -1})
				testflag.Linear(t, 1000, func(n int) func() {
					body := tt.body
					for _, part := range tt.parts {
						var all strings.Builder
						for i := range n {
							fmt.Fprintf(&all, part, i)
						}
						body = strings.Replace(body, "▮", all.String(), 1)
					}
					return func() {
						r := httptest.NewRequest(http.MethodPost, tt.path, strings.NewReader(body))
						r.Header.Set("Authorization", "Bearer k")
						s.ServeHTTP(httptest.NewRecorder(), r)
					}
				})
			})
		}
	}
}
