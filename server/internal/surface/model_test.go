package surface_test

import (
	"testing"

	_ "github.com/fakeopenai/fakeopenai/fixtures/testflag" // knows -update
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

func TestLookup(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]surface.ModelFacts{
		"gpt-4o":                     {Plain: true, MaxTokens: 16384, Snapshot: "gpt-4o-2024-08-06"},
		"gpt-4o-2024-05-13":          {Plain: true, MaxTokens: 4096, Snapshot: "gpt-4o-2024-05-13"},
		"gpt-4o-audio-preview":       {Plain: true, MaxTokens: 16384, Audio: true, Snapshot: "gpt-4o-audio-preview-2025-06-03"},
		"gpt-4o-mini-search-preview": {Plain: true, MaxTokens: 16384, Search: true, Snapshot: "gpt-4o-mini-search-preview-2025-03-11"},
		"gpt-4o-realtime-preview":    {Plain: true, MaxTokens: 16384, Endpoint: surface.Realtime, Snapshot: "gpt-4o-realtime-preview"},
		"gpt-4o-mini-tts":            {Plain: true, MaxTokens: 16384, Endpoint: surface.Audio, Snapshot: "gpt-4o-mini-tts"},
		"gpt-4-1106-preview":         {Plain: true, MaxTokens: 4096, Snapshot: "gpt-4-1106-preview"},
		"gpt-4-32k":                  {Plain: true, MaxTokens: 8192, Snapshot: "gpt-4-32k"},
		"chatgpt-4o-latest":          {Plain: true, MaxTokens: 16384, Snapshot: "chatgpt-4o-latest"},
		"gpt-5.2-chat-latest":        {Plain: true, Snapshot: "gpt-5.2-chat-latest"},
		"gpt-5":                      {Reasoning: true, RefusesStop: true, Snapshot: "gpt-5-2025-08-07"},
		"gpt-5-search-api":           {Reasoning: true, RefusesStop: true, Search: true, Snapshot: "gpt-5-search-api"},
		"o1":                         {Reasoning: true, Snapshot: "o1-2024-12-17"},
		"o1-preview":                 {Reasoning: true, RefusesSystem: true, Snapshot: "o1-preview"},
		"gpt-audio":                  {Audio: true, Snapshot: "gpt-audio"},
		"gpt-3.5-turbo-instruct":     {Plain: true, MaxTokens: 4096, Endpoint: surface.Completions, Snapshot: "gpt-3.5-turbo-instruct:20230824-v2"},
		"davinci-002":                {Endpoint: surface.Completions, Snapshot: "davinci-002"},
		"text-embedding-3-small":     {Endpoint: surface.Embeddings, Snapshot: "text-embedding-3-small"},
		"omni-moderation-latest":     {Endpoint: surface.Moderations, Snapshot: "omni-moderation-latest"},
		"gpt-image-1":                {Endpoint: surface.Images, Snapshot: "gpt-image-1"},
		"whisper-1":                  {Endpoint: surface.Audio, Snapshot: "whisper-1"},
		"gpt-realtime":               {Endpoint: surface.Realtime, Snapshot: "gpt-realtime"},
		"GPT-4o":                     {Snapshot: "GPT-4o"},
		"my-gpt-4o":                  {Snapshot: "my-gpt-4o"},
		"":                           {},
	} {
		if got := surface.ModelNamed(name); got != want {
			t.Errorf("%q:\ngot  %+v\nwant %+v", name, got, want)
		}
	}
}

func TestTheDefaultModelIsListed(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, m := range surface.ListedModels() {
		if seen[m.ID] {
			t.Errorf("%s is listed twice", m.ID)
		}
		if m.Created == 0 {
			t.Errorf("%s has no time at which it was created", m.ID)
		}
		seen[m.ID] = true
	}
	if !seen[surface.DefaultModel] {
		t.Errorf("%s is not listed", surface.DefaultModel)
	}
}
