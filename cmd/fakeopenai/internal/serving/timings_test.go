package serving

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// Percentiles are at most a part in perOctave above those of the sorted list.
func TestPercentilesAreThoseOfAList(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for name, next := range map[string]func() time.Duration{
		"small":          func() time.Duration { return time.Duration(r.IntN(300)) },
		"alike":          func() time.Duration { return 300 * time.Millisecond },
		"of all lengths": func() time.Duration { return time.Duration(r.Uint64() >> (2 + r.IntN(62))) },
		"negative":       func() time.Duration { return -1 },
	} {
		var h histogram
		var list []time.Duration
		for range 9999 {
			d := next()
			h.add(d)
			list = append(list, max(0, d))
		}
		slices.Sort(list)
		for _, percent := range []float64{0, 50, 90, 95, 99, 99.99, 100} {
			want := list[max(0, min(len(list)-1, int(percent/100*float64(len(list))+0.999999)-1))]
			if got := h.percentile(percent); got < want || got > want+want/perOctave {
				t.Errorf("%s: percentile %v is %d, want %d", name, percent, got, want)
			}
		}
		for _, bound := range []time.Duration{0, 100, list[5000], list[9998]} {
			least, _ := slices.BinarySearch(list, bound+1)
			most, _ := slices.BinarySearch(list, bound+bound/perOctave+2)
			if got := h.upTo(bound); got < int64(least) || got > int64(most) {
				t.Errorf("%s: up to %d there are %d, want %d to %d", name, bound, got, least, most)
			}
		}
		if h.count != 9999 || h.max != list[len(list)-1] {
			t.Errorf("%s: %d of at most %v, want %v", name, h.count, h.max, list[len(list)-1])
		}
		if size := 4 * cap(h.buckets); size > 50_000 {
			t.Errorf("%s: the buckets take %d bytes", name, size)
		}
	}
}

const measuredAtTheEnd = `
name: paced
pace: { first: 300ms, every: 100ms }
message: one two three
---
name: refused
when: { model: gpt-4o-mini }
error: { status: 429 }
---
name: cut
when: { model: gpt-4 }
pace: { first: 2s, every: 1s }
message: one two three
end: { cut: { after: 2 } }
`

// In virtual time nothing is late.
func TestWhatWasSentIsPrintedAsATable(t *testing.T) {
	t.Parallel()
	const want = `scenario  ms           count  p50   p90   p95   p99   max
cut       first token  1      2000  2000  2000  2000  2000
cut       gap          2      1000  1000  1000  1000  1000
cut       late         3      0.00  0.00  0.00  0.00  0.00
paced     first token  2      300   300   300   300   300
paced     gap          8      100   100   100   100   100
paced     late         11     0.00  0.00  0.00  0.00  0.00
paced     total        3      700   800   800   800   800
refused   late         1      0.00  0.00  0.00  0.00  0.00
`
	var out bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		observed := 0
		fake, m := measured(t, measuredAtTheEnd, server.Config{Observe: func(journal.Entry) { observed++ }})
		for _, model := range []string{"gpt-4o", "gpt-4o", "gpt-4o-mini", "gpt-4"} {
			ask(t, fake, "/v1/chat/completions", model)
		}
		do(t, fake, "POST", "/v1/chat/completions", `{"model": "gpt-4o", "messages": [{"role": "user", "content": "hi"}]}`)
		if observed == 0 {
			t.Error("what the config observes is not observed any more")
		}
		fake.Close()
		if err := m.PrintTimings(&out, "text"); err != nil {
			t.Fatal(err)
		}
	})
	if got := out.String(); got != want {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
}
