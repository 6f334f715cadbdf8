package chat_test

import (
	"fmt"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/chat"
)

// The layout of answers and the strict check of requests must use the same facts about a
// model.
func TestLayoutsAndChecksAgreeAboutModels(t *testing.T) {
	t.Parallel()
	const unlimited = 1 << 40 // stands for a model without a known limit
	for _, c := range []struct {
		name      string
		layout    scenarios.Layout
		reasoning bool // reasoning: the check refuses what reasoning models refuse.
		plain     bool // plain: the check refuses what other models refuse.
		search    bool // search: the check accepts web_search_options; only plain models are known to refuse it.
		tokens    int64
	}{
		{"gpt-4o", scenarios.LayoutGPT4o, false, true, false, 16384},
		{"gpt-4.1", scenarios.LayoutGPT4o, false, true, false, 32768},
		{"gpt-3.5-turbo", scenarios.LayoutGPT4o, false, true, false, 4096},
		{"gpt-4o-audio-preview", scenarios.LayoutAudio, false, true, false, 16384},
		{"gpt-4o-search-preview", scenarios.LayoutSearch, false, true, true, 16384},
		{"chatgpt-4o-latest", scenarios.LayoutGPT4o, false, true, false, 16384},
		{"gpt-5-chat-latest", scenarios.LayoutGPT4o, false, true, false, unlimited},
		{"gpt-5", scenarios.LayoutReasoning, true, false, true, unlimited},
		{"gpt-5-search-api", scenarios.LayoutSearch, true, false, true, unlimited},
		{"o1-mini", scenarios.LayoutReasoning, true, false, true, unlimited},
		{"o3", scenarios.LayoutReasoning, true, false, true, unlimited},
		{"o4-mini", scenarios.LayoutReasoning, true, false, true, unlimited},
		{"unknown-model", scenarios.LayoutGPT4o, false, false, true, unlimited},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := chat.LayoutFor(c.name); got != c.layout {
				t.Errorf("the layout is %s, want %s", got, c.layout)
			}
			for member, want := range map[string]bool{
				`"logprobs":true`:                 !c.reasoning,
				`"temperature":0.5`:               !c.reasoning,
				`"reasoning_effort":"low"`:        !c.plain,
				`"web_search_options":{}`:         c.search,
				maxCompletionTokens(c.tokens):     true,
				maxCompletionTokens(c.tokens + 1): c.tokens == unlimited,
			} {
				if got := takes(t, c.name, member); got != want {
					t.Errorf("%s is taken: %t, want %t", member, got, want)
				}
			}
		})
	}
}

func maxCompletionTokens(n int64) string { return fmt.Sprintf(`"max_completion_tokens":%d`, n) }

// takes reports whether the strict check accepts this member in a request to the model.
func takes(t *testing.T, name, member string) bool {
	t.Helper()
	body := fmt.Sprintf(`{"model":%q,"messages":[{"role":"user","content":"hi"}],%s}`, name, member)
	req, err := chat.Surface{}.Read(nil, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return chat.Surface{}.Check(req) == nil
}
