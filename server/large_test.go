package server_test

import (
	"io"
	"net/http"
	"runtime"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/server"
)

const megabyte = 1 << 20

// The bytes of a large answer are made once, and sent in blocks to each request. Not parallel: the
// allocations of other tests would count.
func TestALargeAnswerIsWrittenInBlocks(t *testing.T) {
	testflag.NoRace(t)
	const size = 8_000_000
	for reply, ask := range map[string]string{
		"stream:\n  - event: { data: { repeat: a, bytes: 8000000 } }\n":                                                                              brief,
		"message: { content: { repeat: a, bytes: 8000000 }, by: all }\n":                                                                             whole,
		"stream: [{ role: assistant }, { content: { repeat: ab, bytes: 4000000 } }, { content: { repeat: a, bytes: 4000000 } }, { finish: stop }]\n": whole,
	} {
		r := start(t, "name: large\n"+reply, server.Config{})
		play := func() {
			resp := r.chat(ask)
			wantStatus(t, resp, http.StatusOK)
			if n, err := io.Copy(io.Discard, resp.Body); n < size || err != nil {
				t.Errorf("%d bytes were sent, want at least %d: %v", n, size, err)
			}
		}
		play() // the first request compiles the program
		if allocated := allocatedBy(play); allocated > 2*megabyte {
			t.Errorf("%s: to play it again took %d bytes of memory", reply, allocated)
		}
	}
}

// allocatedBy returns how many bytes f allocated, including those that were freed again.
func allocatedBy(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
