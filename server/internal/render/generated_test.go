package render

import (
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

func TestAGeneratedTextEndsWithAWholeCharacter(t *testing.T) {
	t.Parallel()
	for bytes, want := range map[int64]string{1: "a", 2: "a", 3: "aé", 4: "aéa", 7: "aéaéa"} {
		got, err := generated(scenarios.Text{Repeat: "aé", Bytes: bytes})
		if got != want || err != nil {
			t.Errorf("%d bytes: got %q, %v, want %q", bytes, got, err, want)
		}
	}
	if _, err := generated(scenarios.Text{Repeat: "a", Bytes: MaxText + 1}); err == nil {
		t.Error("a text beyond the limit is generated")
	}
}
