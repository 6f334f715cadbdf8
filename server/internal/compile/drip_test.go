package compile

import (
	"bytes"
	"math"
	"testing"

	"github.com/fakeopenai/fakeopenai/server/internal/player"
)

func TestADripWithoutPausesTakesNoTime(t *testing.T) {
	t.Parallel()
	frames := []player.Frame{{Bytes: player.Literal(bytes.Repeat([]byte("a"), 5000))}}
	got := drip(frames, math.Inf(1))
	if len(got) != 1 || got[0].Due != 0 {
		t.Errorf("%d writes, the last of them after %v", len(got), got[len(got)-1].Due)
	}
}
