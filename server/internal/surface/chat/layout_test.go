package chat_test

import (
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/chat"
)

func TestTheModelDecidesTheLayout(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]scenarios.Layout{
		"gpt-4.1": scenarios.LayoutGPT4o, "gpt-5-chat-latest": scenarios.LayoutGPT4o, "unknown-model": scenarios.LayoutGPT4o,
		"gpt-4o-audio-preview": scenarios.LayoutAudio, "O3": scenarios.LayoutReasoning,
		"gpt-4o-search-preview": scenarios.LayoutSearch, "gpt-5-search-api": scenarios.LayoutSearch,
	} {
		if got := chat.LayoutFor(name); got != want {
			t.Errorf("the layout of %s is %s, want %s", name, got, want)
		}
	}
}
