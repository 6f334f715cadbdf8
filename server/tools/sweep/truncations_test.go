package sweep_test

import (
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/server/tools/sweep"
)

// sent is an answer with these bytes.
func sent(bytes []byte) []sweep.Answer {
	return []sweep.Answer{{Scenario: "x", Status: 200, Bytes: bytes}}
}

func TestTruncationsEndBeforeTheFinish(t *testing.T) {
	t.Parallel()
	const first = `data: {"choices":[{"delta":{"content":"\"finish_reason\":\"stop\""},"finish_reason":null}]}` + "\n\n"
	const finish = `data: {"choices":[{"finish_reason":"stop"}]}` + "\n\n"
	const spaced = `data: {"choices": [{"finish_reason": "stop"}]}` + "\r\n\r\n"
	const done = "data: [DONE]\n\n"
	for _, tt := range []struct {
		name   string
		answer string
		events int // events is the number of events after which the answer can end
		bytes  int // bytes is the number of bytes after each of which the answer can end
	}{
		{"after the finish comes nothing that matters", first + finish + done, 2, len(first) + strings.Index(finish, `"fin`)},
		{"of several finishes the last counts", finish + first + finish, 3, len(finish+first) + strings.Index(finish, `"fin`)},
		{"spaces and CR LF are understood", ": hi\r\n\r\n" + spaced + done, 2, len(": hi\r\n\r\n") + strings.Index(spaced, `"fin`)},
		{"without a finish it is [DONE]", first + first + done, 3, len(first+first) + strings.Index(done, "[")},
		{"without both it is the end", first + first, 2, len(first+first) - 1},
		{"a compressed answer has none", "\x1f\x8b\n\n\n\n\n\n", 0, 0},
		{"an answer in one piece has one", `{"finish_reason": "stop"}`, 1, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := len(sweep.Truncations([]byte(tt.answer))); got != 2*tt.events {
				t.Errorf("%d variants, want two for each of %d events", got, tt.events)
			}
			if got := len(sweep.TruncationsInBytes([]byte(tt.answer), 0)); got != tt.bytes {
				t.Errorf("%d variants in bytes, want %d", got, tt.bytes)
			}
			answer := []byte(tt.answer)
			for _, c := range sweep.Truncate(sent(answer), sweep.Truncations)[:min(1, tt.events)] {
				if part, whole := c.Judge(nil, false, sent(answer[:tt.bytes])), c.Judge(nil, false, sent(answer)); part != sweep.PassedSilently || whole != sweep.NothingLost {
					t.Errorf("the verdict is %q on %q, and %q on the whole", part, answer[:tt.bytes], whole)
				}
			}
		})
	}
}
