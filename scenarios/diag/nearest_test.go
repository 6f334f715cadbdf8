package diag_test

import (
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	known := []string{"content", "tool_call", "tool_calls", "wait", "end", "id", "finish", "seed", "speed"}
	for _, c := range []struct{ name, word, want string }{
		{"two letters exchanged", "contnet", "content"},
		{"a letter left out", "conten", "content"},
		{"two mistakes in a long word", "cntnt", "content"},
		{"three mistakes are too many", "cntn", ""},
		{"one mistake in a short word", "wiat", "wait"},
		{"two mistakes in a short word are too many", "wt", ""},
		{"another way to write the same words", "toolCalls", "tool_calls"},
		{"dashes for underscores", "tool-call", "tool_call"},
		{"capital letters", "FINISH", "finish"},
		{"the nearest of several", "tool_callls", "tool_calls"},
		{"as near to seed, but it begins like speed", "sped", "speed"},
		{"as near to speed, but it begins like seed", "seeed", "seed"},
		{"nothing like it", "colour", ""},
		{"a letter is no short word", "x", ""},
		{"empty", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := diag.Nearest(c.word, known); got != c.want {
				t.Errorf("Nearest(%q): got %q, want %q", c.word, got, c.want)
			}
		})
	}
}

func TestNearestLoosely(t *testing.T) {
	t.Parallel()
	known := []string{"finish", "search-preview", "top_p", "top_k"}
	for _, c := range []struct{ name, word, want string }{
		{"a typing mistake", "finsih", "finish"},
		{"a longer name for the same", "finish_reason", "finish"},
		{"the first part alone", "search", "search-preview"},
		{"the first part of several", "top", ""},
		{"the same letters, but no part", "finishing", ""},
		{"empty", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := diag.NearestLoosely(c.word, known); got != c.want {
				t.Errorf("NearestLoosely(%q): got %q, want %q", c.word, got, c.want)
			}
		})
	}
}
