package answer

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

// Checking, building and sending damaged chunks takes memory in proportion to their
// number. A selector that goes through all chunks for each of them would take a hundred
// times as much for ten times as many. The test is not parallel, because allocations of
// other tests would count.
func TestDamageTakesMemoryForEachChunkOnce(t *testing.T) {
	testflag.NoRace(t)
	const few, times = 300, 10
	for _, damage := range []string{"drop: 1", "drop: -1", "drop: [content, 7, -2]", "duplicate: all", "swap: [2, -1]", "rename: { frames: 5, from: delta.content, to: text }"} {
		t.Run(damage, func(t *testing.T) {
			small, large := damagedBytes(t, damage, few), damagedBytes(t, damage, few*times)
			if perChunk := large / (few * times); perChunk > 64<<10 {
				t.Errorf("each of %d chunks takes %d bytes", few*times, perChunk)
			}
			if ratio := float64(large) / float64(small); ratio > 2*times {
				t.Errorf("%d times as many chunks take %.0f times as many bytes: %d", times, ratio, large)
			}
		})
	}
}

// damagedBytes is how many bytes are allocated to check a stream of so many different
// chunks, and to answer a request with it.
func damagedBytes(t *testing.T, damage string, chunks int) uint64 {
	t.Helper()
	var b strings.Builder
	b.WriteString("name: x\ndamage: [{ " + damage + " }]\nstream:\n  - role: assistant\n")
	for i := range chunks {
		fmt.Fprintf(&b, "  - content: word %d\n", i)
	}
	b.WriteString("  - finish: stop\n")
	parsed, problems := yamlfile.Parse("x.yaml", []byte(b.String()))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	set, problems := scenarios.Build(nil, parsed...)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if problems := Check(set); len(problems) > 0 {
		t.Fatal(problems)
	}
	if a, err := NewMaker().Make(matched(t, set, fmt.Sprintf(plainRequest, "gpt-4o"))); err != nil || len(a.Program.Frames) == 0 {
		t.Errorf("%v", err)
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
