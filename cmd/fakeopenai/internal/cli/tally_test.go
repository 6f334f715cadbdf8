package cli

import (
	"runtime"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// What a run counts takes little memory, however large the requests are that nothing answers.
func TestATallyOfLargeRequestsIsSmall(t *testing.T) {
	const requests, size = 200, 1 << 20
	inUse := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	run, before := new(tally), inUse()
	for i := range requests {
		body := strings.Repeat("x", size)
		run.observe(journal.Entry{
			ID: int64(i), Method: "POST", Path: "/v1/chat/completions", Body: []byte(body), Unmatched: true, Problem: "nothing fits",
			Request: &scenarios.Request{Model: body[:6], RawBody: []byte(body)}, Transcript: []byte(body),
		})
	}
	if holds := inUse() - before; holds > 2*maxBodies {
		t.Errorf("the tally holds %d bytes", holds)
	}
	var out strings.Builder
	if n := run.report(&out, nil); n != requests || strings.Count(out.String(), "(model xxxxxx): nothing fits") != requests {
		t.Errorf("%d requests are reported", n)
	}
}
