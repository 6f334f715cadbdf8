package answer

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// The memory of an answer depends on its text, and not on the number of its events. The
// test is not parallel, because the memory of other tests would count.
func TestALongAnswerHoldsItsTextAlone(t *testing.T) {
	const answers, words = 60, 20_000
	for _, tt := range []struct {
		name, manner string
		most         uint64 // most is how many bytes the answer may hold in total.
	}{
		{"at once", "", 300 << 10},
		{"at a pace", "pace: { every: 5ms }", 300 << 10},
		{"at an uneven pace", "pace: { every: 5ms, jitter: 4ms }", 460 << 10}, // a due time for each word
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := matched(t, loaded(t, "name: x\n"+tt.manner+"\nmessage: \"{{ .last_user }} "+strings.Repeat("word ", words)+"\"\n"), fmt.Sprintf(plainRequest, "gpt-4o"))
			m := new(Maker)
			sent(t, m, a) // builds the shared program
			var held []*Answer
			before := heap()
			for range answers {
				made, err := m.Make(a)
				if err != nil {
					t.Fatal(err)
				}
				held = append(held, made)
			}
			if each := (heap() - before) / answers; each > tt.most || each < words {
				t.Errorf("an answer of %d words holds %d bytes, want %d at most", words, each, tt.most)
			}
			runtime.KeepAlive(held)
		})
	}
}

// heap is how many bytes are in use.
func heap() uint64 {
	for range 2 { // the second collection empties pools
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
