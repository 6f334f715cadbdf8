package recording_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/server/tools/recording"
)

// Whatever an endpoint answers is recorded as a file that loads and gives the same answer, or is refused when it
// is added: each refusal that loading learns narrows what can be recorded.
func TestHostileAnswersLoadAgainOrAreRefused(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	const body = `{"model":"gpt-4o","messages":[{"role":"user","content":"Hi"}]}`
	const message = `{"id":%s,"object":"chat.completion","created":%s,"model":%s,"choices":[{"index":%s,"message":{"role":"assistant","content":%s},"finish_reason":%s}],"usage":%s}`
	plain := []any{`"chatcmpl-1"`, `1`, `"gpt-4o"`, `0`, `"Hi"`, `"stop"`, `{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}`}
	odd := []string{`null`, `-1`, `1e30`, `""`, `"{{ .model }}"`, `"a*b"`, `[]`, `{"a":{}}`, `"\u0000\ud800"`, `true`, `12345678901234567890`}
	answers := map[string]*recording.Exchange{}
	for at := range plain {
		for _, v := range odd {
			members := append([]any(nil), plain...)
			members[at] = v
			answers[fmt.Sprintf("member %d is %s", at, v)] = answered("/v1/chat/completions", body, fmt.Sprintf(message, members...))
		}
	}
	for name, values := range map[string][]string{
		"Retry-After":                  {"soon", "-1", "1e9", "", "Fri, 31 Feb 2026 00:00:00 GMT"},
		"X-Ratelimit-Remaining-Tokens": {"many"},
		"Content-Type":                 {"nonsense", "application/json;;", "text/event-stream; charset=x"},
		"X-Odd":                        {"{{ .model }}", "ä", "a\tb", strings.Repeat("x", 10_000)},
		"Content-Length":               {"7"},
	} {
		for _, value := range values {
			for _, status := range []int{200, 429, 503} {
				x := answered("/v1/chat/completions", body, `{"error":{"message":"No.","type":7,"param":[],"code":null}}`)
				x.Status = status
				x.AnswerHeader.Set(name, value)
				answers[fmt.Sprintf("%d, %s: %.20s", status, name, value)] = x
			}
		}
	}
	recorded := 0
	for name, x := range answers {
		want, status := bodyOf(x), x.Status
		c := new(recording.Collection)
		if err := c.Add(x); err != nil {
			continue
		}
		recorded++
		files, notes := c.Files(), c.Check()
		if len(files) != 1 || len(notes) > 0 {
			t.Errorf("%s: %d files, %v", name, len(files), notes)
			continue
		}
		if again := exchangeWith(t, fakeOf(t, files), "", x.Path, body); again.Status != status || bodyOf(again) != want {
			t.Errorf("%s: %d %.300s instead of %d %s\n%s", name, again.Status, bodyOf(again), status, want, files[0].Data)
		}
	}
	if recorded < len(answers)*3/4 {
		t.Errorf("only %d of %d are recorded", recorded, len(answers))
	}
}
