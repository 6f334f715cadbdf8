package ojson

import (
	"runtime"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
)

// denseShapes are texts of one mebibyte with as many values as possible.
var denseShapes = map[string]string{
	"numbers":          dense("0,"),
	"empty arrays":     dense("[],"),
	"empty objects":    dense("{},"),
	"empty strings":    dense(`"",`),
	"nested arrays":    dense("[0],"),
	"nested objects":   dense(`{"":0},`),
	"strings":          dense(`"ab",`),
	"members":          `{` + strings.Repeat(`"":0,`, 1<<20/5) + `"":0}`,
	"a text of spaces": `["` + strings.Repeat(" ", 1<<20) + `"]`,
}

func dense(item string) string { return "[" + strings.Repeat(item, 1<<20/len(item)) + "0]" }

// heap returns how many bytes are in use.
func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// Not parallel: the allocations of other tests would count.
func TestAValueTakesASmallMultipleOfItsText(t *testing.T) {
	testflag.Heavy(t)
	for name, text := range denseShapes {
		var before, after, end runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		v := parse(t, text)
		runtime.ReadMemStats(&after)
		runtime.GC()
		runtime.ReadMemStats(&end)
		held, allocated := int(end.HeapAlloc-before.HeapAlloc), int(after.TotalAlloc-before.TotalAlloc)
		if held > 32*len(text) || allocated > 128*len(text) {
			t.Errorf("%s: %d bytes are held for each byte of the text, %d were allocated", name, held/len(text), allocated/len(text))
		}
		// Under the race detector each short text has its own block of memory.
		if size := v.Size(); size > held+held/8+4096 || size < held/2-4096 {
			t.Errorf("%s: the size is said to be %d, but %d bytes are held", name, size, held)
		}
	}
}
