package responses_test

import (
	"fmt"
	"net/http"
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

// An answer repeats members of the request. Adding them one by one would search those that are
// there for each, and make a new list. The test is not parallel, because it counts the
// allocations of the process.
func TestMembersThatAnAnswerRepeatsAreAddedTogether(t *testing.T) {
	url := serve(t, "name: x\nmessage: Hello\n")
	for name, member := range map[string]string{
		"text": `"text":{%s}`, "reasoning": `"reasoning":{%s}`, "tool": `"tools":[{"type":"function","name":"f","parameters":{},%s}]`,
	} {
		asking := func(members int) float64 {
			var list []string
			for i := range members {
				list = append(list, fmt.Sprintf(`"m%d":1`, i))
			}
			body := fmt.Sprintf(member, strings.Join(list, ","))
			return testing.AllocsPerRun(3, func() {
				if status, got := ask(t, url, body); status != http.StatusOK || !strings.Contains(got, `"m99": 1`) {
					t.Fatalf("got %d, %s", status, got)
				}
			})
		}
		if more := asking(3000) - asking(1000); more > 1000 {
			t.Errorf("%s: 2000 more members take %.0f more allocations, want at most 1000", name, more)
		}
	}
}
