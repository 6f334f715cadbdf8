package server_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/server"
)

// answered returns the body of the answer to a chat request, without a connection.
func answered(t *testing.T, s *server.Server, body string) string {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/chat/completions", strings.NewReader(body)))
	return w.Body.String()
}

// Streams that are open when the scenarios change are played to their end unchanged, new
// requests get the new scenarios, and no old scenarios stay in memory. Not parallel: it
// measures the memory of the process.
//
//	go test ./server -run TestOpenStreamsOutliveReloads -soak 1m
//
// opens ten thousand streams.
func TestOpenStreamsOutliveReloads(t *testing.T) {
	testflag.NoRace(t)
	streams, reloads := 500, 50
	if *soakFor >= soakShort {
		streams = 10_000
	}
	// Each set has a large text of its own, so that the memory shows sets that are not freed.
	const unplayed = 256 << 10
	numbered := func(n int) string {
		return fmt.Sprintf("name: held\nstream:\n  - role: assistant\n  - content: set %d,\n  - hold: middle\n  - content: ' still %d.'\n  - finish: stop\n---\nname: unplayed\nwhen: { user: { contains: %s } }\nmessage: Hi\n",
			n, n, strings.Repeat("x", unplayed))
	}
	r := local(t, numbered(0), server.Config{JournalSize: 10})
	s := r.Server
	bodies := make([]string, streams)
	var group sync.WaitGroup
	for i := range bodies {
		group.Go(func() { bodies[i] = answered(t, s, question) })
	}
	waitFor(t, r, streams)
	before := inUse()
	for n := range reloads {
		if err := s.SetScenarios(parse(t, numbered(n+1))); err != nil {
			t.Fatal(err)
		}
	}
	if grew := inUse() - before; grew > 8*unplayed {
		t.Errorf("%d reloads beside %d open streams left %d bytes behind", reloads, streams, grew)
	}
	var last string
	group.Go(func() { last = answered(t, s, question) })
	waitFor(t, r, streams+1)
	s.Release("middle")
	group.Wait()
	for i, body := range bodies {
		if !strings.Contains(body, `set 0,`) || !strings.Contains(body, `still 0.`) || !strings.HasSuffix(body, "data: [DONE]\n\n") {
			t.Fatalf("stream %d was changed by a reload:\n%s", i, body)
		}
	}
	if want := fmt.Sprintf("set %d,", reloads); !strings.Contains(last, want) {
		t.Errorf("after the reloads: got\n%s\nwant %s", last, want)
	}
}

// The server's memory does not grow with the number of streams that it has played. Not
// parallel: it measures the memory of the process.
//
//	go test ./server -run TestPlayedStreamsLeaveNothingBehind -soak 1m
//
// plays a million streams.
func TestPlayedStreamsLeaveNothingBehind(t *testing.T) {
	testflag.NoRace(t)
	// Different requests are counted, up to 100,000, to recognise retries. When the memory is
	// measured, this map is either far from full or was full long before: a map in which entries
	// come and go grows for some more time, to twice its size.
	before, streams, most := 1_000, 5_000, int64(2<<20)
	if *soakFor >= soakShort {
		before, streams = 500_000, 1_000_000
	}
	s := local(t, script(20), server.Config{JournalSize: 100, Observe: unobserved}).Server
	play := func(n int) {
		for i := range n { // no two requests are the same
			body := strings.Replace(question, "hello", fmt.Sprint("hello ", i), 1)
			if got := answered(t, s, body); !strings.HasSuffix(got, "data: [DONE]\n\n") {
				t.Fatalf("stream %d: %s", i, got)
			}
		}
	}
	play(before)
	held := inUse()
	play(streams)
	if grew := inUse() - held; grew > most {
		t.Errorf("%d streams left %d bytes behind, want %d at most", streams, grew, most)
	}
}
