package cut

import (
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// A piece is cut by looking at a few bytes, however long the rest of its text is. The test
// is not parallel, because it counts the bytes for all texts that are cut meanwhile.
func TestCuttingLooksAtAFewBytesForEachPiece(t *testing.T) {
	t.Cleanup(func() { looked = nil })
	const most = 64
	for name, cutter := range map[string]Cutter{"tokens": By(scenarios.Cut{}), "arguments": ByArguments} {
		for letter, text := range map[string]string{"letters": "x", "spaces before letters": " x", "other letters": "é", "other scripts": "好"} {
			bytes := 0
			looked = func(n int) { bytes += n }
			pieces := With(strings.Repeat(text, 5000), cutter)
			if bytes > most*len(pieces) || bytes < len(pieces) {
				t.Errorf("%s, %s: cutting %d pieces looked at %d bytes, want at most %d for each", name, letter, len(pieces), bytes, most)
			}
		}
	}
}
