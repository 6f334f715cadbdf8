package server_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/fakeopenai/fakeopenai/server"
)

const bounded = `
name: long
when: { prompt_tokens: { min: 40 } }
error: { code: context_length_exceeded, message: "{{ .prompt_tokens }} tokens are too many." }
---
name: short
message: "{{ .prompt_tokens }}"
`

// The size that conditions and templates see is the one that usage reports, on each API and with
// what was said before.
func TestThePromptHasTheSizeThatUsageReports(t *testing.T) {
	t.Parallel()
	r := start(t, bounded, server.Config{})
	long := strings.Repeat("Please say it in other words. ", 10)
	for _, tt := range []struct{ path, text, usage, short, long string }{
		{"/v1/chat/completions", "choices[0].message.content", "usage.prompt_tokens", `{"messages":[{"role":"user","content":"Hello there"}]}`, `{"messages":[{"role":"user","content":"` + long + `"}]}`},
		{"/v1/completions", "choices[0].text", "usage.prompt_tokens", `{"prompt":["Hello there","and there"]}`, `{"prompt":["Hello","` + long + `"]}`},
		{"/v1/completions", "choices[0].text", "usage.prompt_tokens", `{"prompt":[1,2,3]}`, `{"prompt":[` + strings.Repeat("1,", 39) + `1]}`},
		{"/v1/responses", "output[0].content[0].text", "usage.input_tokens", `{"input":"Hello there"}`, `{"input":[{"role":"user","content":"` + long + `"}]}`},
	} {
		status, body := r.sent(tt.path, tt.short)
		if status != 200 || value(t, body, tt.text).Text() != value(t, body, tt.usage).String() {
			t.Errorf("%s %s: %d, the template has %s, usage %s", tt.path, tt.short, status, value(t, body, tt.text).Text(), value(t, body, tt.usage))
		}
		if status, body = r.sent(tt.path, tt.long); status != 400 || !strings.Contains(body, "context_length_exceeded") {
			t.Errorf("%s %s: %d %s", tt.path, tt.long, status, body)
		}
	}
	_, short := r.sent("/v1/responses", `{"input":"`+long[:100]+`"}`)
	if status, body := r.sent("/v1/responses", fmt.Sprintf(`{"input":"And now?","previous_response_id":%q}`, value(t, short, "id").Text())); status != 400 || !strings.Contains(body, "42 tokens are too many") {
		t.Errorf("with what was said before: %d %s", status, body)
	}
}

func TestThePromptOfATurnHasASize(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, _, _ := converse(t, bounded, server.Config{})
		one := c.ending(t, create(`,"input":"`+strings.Repeat("a", 100)+`"`))
		if got := value(t, one, "response.output[0].content[0].text").Text(); got != "32" {
			t.Errorf("the first turn has %s tokens", got)
		}
		two := c.ending(t, create(fmt.Sprintf(`,"input":"b","previous_response_id":%q`, value(t, one, "response.id").Text())))
		wantContains(t, two, "context_length_exceeded")
		close(c.in)
	})
}
