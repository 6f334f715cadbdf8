package responses_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// allocatedBy returns how many bytes f allocated, including those that were freed again.
func allocatedBy(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Joining the texts of an answer one after the other would copy the text for each item. The
// test is not parallel, because it counts the allocations of the process.
func TestReadingAnAnswerOfManyItemsTakesMemoryInProportionToThem(t *testing.T) {
	item := fmt.Sprintf(`{"role":"assistant","content":%q}`, strings.Repeat("a", 100))
	reading := func(items int) uint64 {
		body := `{"model":"gpt-4o","input":[` + strings.Repeat(item+",", items-1) + item + `]}`
		return allocatedBy(func() {
			if list := read(t, body).Messages; len(list) != 1 || len(list[0].Text) != items*(100+1)-1 {
				t.Errorf("%d items are read as %d messages", items, len(list))
			}
		})
	}
	if once, tenfold := reading(200), reading(2000); tenfold > 20*once {
		t.Errorf("ten times the items take %d bytes, %d times as many", tenfold, tenfold/once)
	}
}
