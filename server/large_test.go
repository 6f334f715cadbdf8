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

// Not parallel: the allocations of other tests would count.
func TestALargeLiteralIsWrittenInBlocks(t *testing.T) {
	testflag.NoRace(t)
	const size = 8_000_000
	r := start(t, "name: large\nstream:\n  - event: { data: { repeat: a, bytes: 8000000 } }\n", server.Config{})
	read(t, r) // the first request compiles the program
	allocated := allocatedBy(func() {
		if got := read(t, r); got < size {
			t.Errorf("%d bytes were sent, want at least %d", got, size)
		}
	})
	if allocated > 2*megabyte {
		t.Errorf("to play it again took %d bytes of memory", allocated)
	}
}

// The bytes of an answer that is not streamed are made once, and sent in blocks to each request.
func TestALargeAnswerInOnePieceIsWrittenInBlocks(t *testing.T) {
	testflag.NoRace(t)
	const size = 8_000_000
	for _, reply := range []string{
		"message: { content: { repeat: a, bytes: 8000000 }, by: all }\n",
		"stream: [{ role: assistant }, { content: { repeat: ab, bytes: 4000000 } }, { content: { repeat: a, bytes: 4000000 } }, { finish: stop }]\n",
	} {
		r := start(t, "name: large\n"+reply, server.Config{})
		ask := func() int64 {
			resp := r.chat(whole)
			wantStatus(t, resp, http.StatusOK)
			n, err := io.Copy(io.Discard, resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		ask() // the first request compiles the program
		allocated := allocatedBy(func() {
			if got := ask(); got < size {
				t.Errorf("%d bytes were sent, want at least %d", got, size)
			}
		})
		if allocated > 2*megabyte {
			t.Errorf("to play it again took %d bytes of memory", allocated)
		}
	}
}

// read plays a scenario to a client that discards the answer, and returns the number of its bytes.
func read(t *testing.T, r *running) int64 {
	t.Helper()
	resp := r.chat(brief)
	wantStatus(t, resp, http.StatusOK)
	n, err := io.Copy(io.Discard, resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// allocatedBy returns how many bytes f allocated, including those that were freed again.
func allocatedBy(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
