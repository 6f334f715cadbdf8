package responses_test

import (
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

const withEncrypted = `"stream":true,"include":["reasoning.encrypted_content"]`

// reasoningItems returns the reasoning items of a stream as they are added, closed and repeated
// in the last event.
func reasoningItems(t *testing.T, body string) (added, done, repeated ojson.Value) {
	t.Helper()
	for _, e := range events(t, body) {
		switch {
		case e.Get("type").Text() == "response.output_item.added" && added.IsAbsent():
			added = e.Get("item")
		case e.Get("type").Text() == "response.output_item.done" && done.IsAbsent():
			done = e.Get("item")
		}
	}
	return added, done, last(t, body).Get("output").Items()[0]
}

// A request gets encrypted_content only if it includes it. It differs between the added and the
// closed item, and the author can write the latter.
func TestEncryptedReasoningIsSentIfIncluded(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		yaml, members string
		added, done   string // The texts in quotes; "" is none, * is one that is drawn.
	}{
		"not included": {"message: { reasoning: { summary: Hm, encrypted_content: sealed }, content: So }", streamed, "", ""},
		"authored":     {"message: { reasoning: { summary: Hm, encrypted_content: sealed }, content: So }", withEncrypted, "*", `"sealed"`},
		"drawn":        {"message: { reasoning: Hm, content: So }", withEncrypted, "*", "*"},
		"null":         {"message: { reasoning: { encrypted_content: null }, content: So }", withEncrypted, "*", "null"},
		"in a later step": {
			"stream:\n- reasoning: Hm\n- reasoning: { encrypted_content: sealed }\n- content: So\n- finish: stop", withEncrypted, "*", `"sealed"`,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			added, done, repeated := reasoningItems(t, play(t, "name: a\n"+tt.yaml, tt.members))
			for what, c := range map[string]struct{ got, want string }{
				"added": {added.Get("encrypted_content").String(), tt.added}, "done": {done.Get("encrypted_content").String(), tt.done},
			} {
				if drawn := c.want == "*" && strings.HasPrefix(c.got, `"gAAAAAB`); !drawn && c.got != c.want {
					t.Errorf("%s has the encrypted content %s, want %s", what, c.got, c.want)
				}
			}
			if tt.added == "*" && added.Get("encrypted_content").String() == done.Get("encrypted_content").String() {
				t.Error("the encrypted content is the same when the item is added and done")
			}
			if !ojson.Equal(done, repeated) {
				t.Errorf("done is %s, and the answer repeats %s", done, repeated)
			}
		})
	}
}

// Summary and raw text are in two lists, and the members have the order of recordings.
func TestReasoningHasSummaryAndContent(t *testing.T) {
	t.Parallel()
	_, body := ask(t, serve(t, "name: a\nmessage: { reasoning: { summary: [One, Two], text: Raw, encrypted_content: sealed } }"),
		`"include":["reasoning.encrypted_content"]`)
	item := parse(t, body).Get("output").Items()[0]
	item.Set("id", ojson.String("rs"))
	want := `{"id":"rs","type":"reasoning","content":[{"type":"reasoning_text","text":"Raw"}],"encrypted_content":"sealed",` +
		`"summary":[{"type":"summary_text","text":"One"},{"type":"summary_text","text":"Two"}]}`
	if item.String() != want {
		t.Errorf("got\n%s\nwant\n%s", item, want)
	}
}

// On chat completions, the texts are streamed in the member of the dialect, one after the
// other. What concerns items is left out.
func TestReasoningOnChatIsTheMemberOfTheDialect(t *testing.T) {
	t.Parallel()
	url := serve(t, "name: a\nmessage: { reasoning: { summary: [One, Two], text: Raw, encrypted_content: sealed, field: thoughts }, content: So, by: all }\n")
	body := onChat(t, url)
	at := 0
	for _, want := range []string{`"thoughts":"One"`, `"thoughts":"Two"`, `"thoughts":"Raw"`, `"content":"So"`} {
		i := strings.Index(body[at:], want)
		if i < 0 {
			t.Fatalf("no %s where it belongs in\n%s", want, body)
		}
		at += i
	}
	if strings.Contains(body, "sealed") || strings.Contains(body, `"delta":{},"logprobs":null,"finish_reason":null`) {
		t.Errorf("a chunk for what chat completions cannot say:\n%s", body)
	}
}
