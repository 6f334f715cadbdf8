package recording

import (
	"fmt"
	"net/http"
	"testing"

	_ "github.com/fakeopenai/fakeopenai/fixtures/testflag" // knows -update
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Conditions have the results of calls in their order, and tell developers' messages apart as those of systems.
func TestConditionsAreReadable(t *testing.T) {
	t.Parallel()
	w := basic(&scenarios.Request{Surface: scenarios.DefaultSurface, Messages: []scenarios.RequestMessage{{Role: "tool", ToolCallID: "a"}, {Role: "tool", ToolCallID: "b"}}}, MatchLast)
	if len(w.ToolResults) != 2 || w.ToolResults[0].ID != "a" || w.ToolResults[1].ID != "b" {
		t.Errorf("the results are %+v", w.ToolResults)
	}
	told := []string{"Be kind.", "Be rude."}
	var list []*scenarios.Request
	for _, text := range told {
		list = append(list, &scenarios.Request{Surface: scenarios.DefaultSurface, LastUser: "Hi", Messages: []scenarios.RequestMessage{{Role: "developer", Text: text}, {Role: "user", Text: "Hi"}}})
	}
	for i, w := range deriveConditions(MatchLast, list, nil) {
		if w.System == nil || *w.System.Equals != told[i] {
			t.Errorf("%d: the condition on the system is %+v", i, w.System)
		}
	}
}

// A placeholder stands for any text but none, and what is around it for itself. A member whose name has one
// is no condition.
func TestPlaceholdersInConditions(t *testing.T) {
	t.Parallel()
	const text = "(Why?) redacted-email-123456 [now"
	for told, want := range map[string]bool{"(Why?) joe@mail.example [now": true, "(Why?)  [now": false, "(Wh) joe@mail.example [now": false} {
		if got := textIs(text).Matches.MatchString(told); got != want {
			t.Errorf("%q: got %t", told, got)
		}
	}
	v, err := ojson.Parse([]byte(`{"redacted-email-123456":"a","b":"redacted-email-123456"}`))
	if list := equalAt(ojson.Path{{Name: "metadata"}}, v); err != nil || len(list) != 1 || list[0].Path.String() != "metadata.b" {
		t.Errorf("the conditions are %+v, %v", list, err)
	}
}

// A condition is tried only on requests with the same text, so that twice as many requests take twice as
// many trials, and not four times as many. One that asks for no text, or for one with a placeholder, may match all.
func TestFewConditionsAreTried(t *testing.T) {
	t.Parallel()
	var list []*scenarios.Request
	for i := range 300 {
		list = append(list, &scenarios.Request{LastUser: fmt.Sprint("question ", i)})
	}
	of := rivals(append(list, &scenarios.Request{LastUser: "question 7"}))
	for user, want := range map[string]int{"question 3": 1, "question 7": 2, "": 301, "Hi redacted-email-123456": 301} {
		if n := len(of(&scenarios.Request{LastUser: user})); n != want {
			t.Errorf("the condition for %q is tried on %d requests, want %d", user, n, want)
		}
	}
}

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
