package recording

import (
	"fmt"
	"net/http"
	"testing"
)

// Of answers in one piece that differ in texts and numbers alone, the first one shows which scenario gives them.
// The others are planned once, or twice with edits, and no layout is searched for.
func TestTheLayoutOfEqualShapesIsSearchedOnce(t *testing.T) {
	t.Parallel()
	const chat, responses = "/v1/chat/completions", "/v1/responses"
	for name, of := range map[string]struct {
		path, body string
		most       int
		isBody     bool // isBody says that no message gives the answer.
	}{
		"in the layout of 2024": {chat, `{"id":"c%[1]d","object":"chat.completion","created":1730000000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello %[1]d","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"}],` +
			`"usage":{"prompt_tokens":1%[1]d,"completion_tokens":2,"total_tokens":1%[2]d,"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},` +
			`"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}},"system_fingerprint":"fp_1"}`, 1, false},
		"in no layout": {chat, `{"id":"c%[1]d","object":"chat.completion","created":1730000000,"choices":[{"index":0,"message":{"role":"assistant","content":"Hello %[1]d"},"finish_reason":"stop"}]}`, 1, true},
		"with edits": {responses, `{"id":"resp_%[1]d","object":"response","created_at":1730000000,"status":"completed","model":"m","output":[{"type":"message","id":"msg_%[1]d","status":"completed","role":"assistant",` +
			`"content":[{"type":"output_text","text":"Hello %[1]d","annotations":[]}]}],"extra":true}`, 4, false},
	} {
		var c Collection
		for i := range 4 {
			x := &Exchange{
				Method: http.MethodPost, Path: of.path, Status: http.StatusOK, AnswerHeader: http.Header{"Content-Type": {"application/json"}},
				Body:   fmt.Appendf(nil, `{"model":"m","messages":[{"role":"user","content":"Say %[1]d"}],"input":"Say %[1]d"}`, i),
				Pieces: []Piece{{Data: fmt.Appendf(nil, of.body, i, i+2)}},
			}
			if err := c.Add(x); err != nil {
				t.Fatal(name, err)
			}
			if i == 0 && x.plans <= of.most || i > 0 && x.plans > of.most {
				t.Errorf("%s: answer %d was planned %d times, and once the shape is known %d suffice", name, i, x.plans, of.most)
			}
			if sc := c.list[i].scenario; (sc.Wire.Body != nil) != of.isBody {
				t.Errorf("%s: answer %d is written as a body: %t", name, i, sc.Wire.Body != nil)
			}
		}
	}
}
