package surface_test

import (
	"testing"

	_ "github.com/fakeopenai/fakeopenai/fixtures/testflag" // knows -update
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// The name of a model in answers is the dated one.
func TestSnapshot(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"gpt-4o": "gpt-4o-2024-08-06", "gpt-4o-2024-05-13": "gpt-4o-2024-05-13", "gpt-3.5-turbo-instruct": "gpt-3.5-turbo-instruct:20230824-v2",
		"gpt-5": "gpt-5-2025-08-07", "GPT-4o": "GPT-4o", "": "",
	} {
		if got := surface.Snapshot(name); got != want {
			t.Errorf("%q is %s in answers, want %s", name, got, want)
		}
	}
}

func TestModelNamed(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]surface.ModelFacts{
		"gpt-4o":                     {Plain: true, MaxTokens: 16384},
		"gpt-4o-2024-05-13":          {Plain: true, MaxTokens: 4096},
		"gpt-4o-audio-preview":       {Plain: true, MaxTokens: 16384, Audio: true},
		"gpt-4o-mini-search-preview": {Plain: true, MaxTokens: 16384, Search: true},
		"gpt-4o-realtime-preview":    {Plain: true, MaxTokens: 16384, Elsewhere: true},
		"gpt-4o-mini-tts":            {Plain: true, MaxTokens: 16384, Elsewhere: true},
		"gpt-4-1106-preview":         {Plain: true, MaxTokens: 4096},
		"gpt-4-32k":                  {Plain: true, MaxTokens: 8192},
		"chatgpt-4o-latest":          {Plain: true, MaxTokens: 16384},
		"gpt-5.2-chat-latest":        {Plain: true},
		"gpt-5":                      {Reasoning: true, RefusesStop: true},
		"gpt-5-search-api":           {Reasoning: true, RefusesStop: true, Search: true},
		"o1":                         {Reasoning: true, Efforts: "low medium high"},
		"o1-preview":                 {Reasoning: true, RefusesSystem: true},
		"gpt-audio":                  {Audio: true},
		"gpt-3.5-turbo-instruct":     {Plain: true, MaxTokens: 4096, Elsewhere: true},
		"davinci-002":                {Elsewhere: true},
		"text-embedding-3-small":     {Elsewhere: true},
		"omni-moderation-latest":     {Elsewhere: true},
		"gpt-image-1":                {Elsewhere: true},
		"whisper-1":                  {Elsewhere: true},
		"gpt-realtime":               {Elsewhere: true},
		"GPT-4o":                     {},
		"my-gpt-4o":                  {},
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
