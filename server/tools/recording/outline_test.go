package recording

import (
	"fmt"
	"net/http"
	"testing"
)

// What one answer in one piece tells of the next does not change how that is written: bodies stay bodies, and messages
// between them messages, in another layout, too.
func TestAnswersByTurns(t *testing.T) {
	t.Parallel()
	const choice = `"choices":[{"index":0,"message":{"role":"assistant","content":"Hello %[1]d"},"finish_reason":"stop"}]`
	usage := `,"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3,"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},` +
		`"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}},"system_fingerprint":"fp_1"}`
	const head = `{"id":"c%[1]d","object":"chat.completion","created":1730000000,`
	said := head + `"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello %[1]d","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"}]` + usage
	var c Collection
	for i, body := range []string{head + choice + "}", head + choice + "}", said, head + choice + "}", said} {
		x := &Exchange{
			Method: http.MethodPost, Path: "/v1/chat/completions", Status: http.StatusOK, AnswerHeader: http.Header{"Content-Type": {"application/json"}},
			Body:   fmt.Appendf(nil, `{"model":"m","messages":[{"role":"user","content":"Say %d"}]}`, i),
			Pieces: []Piece{{Data: fmt.Appendf(nil, body, i)}},
		}
		if err := c.Add(x); err != nil {
			t.Fatal(err)
		}
		if isBody := c.list[i].scenario.Wire.Body != nil; isBody != (body != said) {
			t.Errorf("answer %d is written as a body: %t", i, isBody)
		}
	}
}
