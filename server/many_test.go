package server_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/server"
)

// inUse returns how much memory is in use after garbage collection, stacks included.
func inUse() int64 {
	for range 2 { // the second collection empties the pools
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse) //nolint:gosec // less than 2^63
}

// Counters by API key take bounded memory, however many and however long the keys are, and
// dropped counters are reported. Not parallel, like the other tests of this file: the memory
// of other tests would count.
//
//	go test ./server -run TestManyKeysTakeLittleMemory -soak 1m
//
// tries a hundred thousand keys.
func TestManyKeysTakeLittleMemory(t *testing.T) {
	testflag.NoRace(t)
	keys, length, most := 12_500, 8000, int64(64<<20) // the keys together are 100 MB long
	if *soakFor >= soakShort {
		keys, length = 100_000, 1000
	}
	var log bytes.Buffer
	s := local(t, `
name: x
limits: { rpm: 1000000 }
replies:
  - { times: 1, error: 503 }
  - { error: 429 }
`, server.Config{JournalSize: 100, Observe: unobserved, Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))})
	long := strings.Repeat("k", length)
	send := func(method, path, key string) string {
		req := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(`{"messages":[]}`))
		req.Host = "127.0.0.1"
		req.Header.Set("Authorization", "Bearer "+key)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, req)
		return w.Body.String()
	}
	before := inUse()
	for i := range keys {
		send(http.MethodPost, "/v1/chat/completions", fmt.Sprint(long, i))
	}
	if holds := inUse() - before; holds > most {
		t.Errorf("the server holds %d bytes of %d keys, want %d at most", holds, keys, most)
	}
	wantContains(t, send(http.MethodGet, "/_fake/scenarios?api_key="+long+"0", ""), fmt.Sprintf(`"keys": %d`, keys-10_000))
	for _, once := range []string{"too many API keys have taken replies with times", "too many API keys: what the keys"} {
		if n := strings.Count(log.String(), once); n != 1 {
			t.Errorf("the log says %d times %q", n, once)
		}
	}
	wantContains(t, send(http.MethodGet, "/_fake/usage", ""), fmt.Sprintf(`"forgotten": %d`, keys-10_000))
	wantContains(t, send(http.MethodGet, "/_fake/requests", ""), fmt.Sprintf(`"forgotten": %d`, keys-100))
}

// dialed opens connections to a server, which are closed when the test ends.
func dialed(t *testing.T, r *running, n int) []net.Conn {
	t.Helper()
	conns := make([]net.Conn, n)
	for i := range conns {
		c, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(r.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		if err := c.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
			t.Fatal(err)
		}
		conns[i] = c
	}
	return conns
}

// A connection that waits for its next request takes only the memory that net/http needs, after a
// stream and after an answer in one piece.
func TestIdleConnectionsHoldLittle(t *testing.T) {
	testflag.NoRace(t)
	const connections, each = 300, 48 << 10
	r := startWatched(t, hello, server.Config{JournalSize: 10})
	before := inUse()
	for _, c := range dialed(t, r, connections) {
		in := bufio.NewReaderSize(c, 16)
		for _, body := range []string{brief, whole} {
			send(t, c, body)
			resp, err := http.ReadResponse(in, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
				t.Fatal(resp.Status, err)
			}
			r.ended()
		}
	}
	if holds := (inUse() - before) / connections; holds > each {
		t.Errorf("an idle connection holds %d bytes, want %d at most", holds, each)
	}
}

// For a client that stops reading, the server keeps one block of the answer in memory, and
// the transcript.
func TestClientsThatStopReadingHoldLittle(t *testing.T) {
	testflag.NoRace(t)
	const clients, block, transcript = 100, 768 << 10, 128 << 10
	large := map[string]string{
		"one large event": "message: { content: { repeat: 'word ', bytes: 16000000 }, by: all }\n",
		"many events":     "stream: [{ role: assistant }, { content: 'some words', repeat: 40000 }, { finish: stop }]\n",
		"a template":      "message: '{{ .last_user }} " + strings.Repeat("word ", 20_000) + "'\n",
	}
	for name, reply := range large {
		for _, keep := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, transcripts %t", name, keep), func(t *testing.T) {
				r := startWatched(t, "name: x\n"+reply, server.Config{KeepTranscripts: keep, TranscriptLimit: transcript})
				before := inUse()
				for _, c := range dialed(t, r, clients) {
					send(t, c, brief)
					if _, err := io.ReadFull(c, make([]byte, 100)); err != nil {
						t.Fatal(err)
					}
				}
				most := int64(block)
				if keep {
					most += 2 * transcript // append allocates more than the length
				}
				if holds := (inUse() - before) / clients; holds > most {
					t.Errorf("a client that stopped reading holds %d bytes, want %d at most", holds, most)
				}
			})
		}
	}
}

// holding is the memory of one waiting stream, in bytes.
type holding struct{ stack, heap int64 }

// A stream that waits for its next event takes little more memory than one of a handler that
// writes an event and sleeps: as much stack, and a little more heap. Stacks grow by doubling, so
// a call that is a few bytes too deep takes 8 KiB more. Smaller differences mean nothing, since
// the runtime may start goroutines with more stack than they need. Not parallel: the memory
// of other tests would count.
func TestOpenStreamsHoldLittle(t *testing.T) {
	testflag.NoRace(t)
	const streams, moreStack, moreHeap = 400, 5 << 10, 8 << 10
	s := local(t, "name: x\npace: { every: 1h }\nstream: [{ role: assistant }, { content: a }, { finish: stop }]\n", server.Config{JournalSize: streams, Observe: unobserved})
	sleeping := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {}\n\n")
		w.(http.Flusher).Flush()
		select {
		case <-time.After(time.Hour):
		case <-r.Context().Done():
		}
	})
	theirs, ours := eachHolds(t, sleeping, streams), eachHolds(t, s.Server, streams)
	t.Logf("an open stream holds %+v, one of the handler that sleeps %+v", ours, theirs)
	if ours.stack > theirs.stack+moreStack || ours.heap > theirs.heap+moreHeap {
		t.Errorf("an open stream holds %+v, want at most %d of stack and %d of heap more than the %+v of a handler that sleeps", ours, moreStack, moreHeap, theirs)
	}
}

// eachHolds returns the memory of each of a handler's streams after its first event. Garbage
// is not collected until all streams are open: a collection would shrink stacks that were
// needed once.
func eachHolds(t *testing.T, h http.Handler, streams int) holding {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var open sync.WaitGroup
	front := &http.Server{Handler: h, ConnState: func(_ net.Conn, to http.ConnState) {
		switch to {
		case http.StateNew:
			open.Add(1)
		case http.StateClosed:
			open.Done()
		}
	}}
	if s, ok := h.(*server.Server); ok {
		front.ConnContext, l = s.ConnContext, s.Watch(l)
		defer s.Close()
	}
	go func() { _ = front.Serve(l) }()
	r := &running{url: "http://" + l.Addr().String()}
	inUse()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	openStreams(t, dialed(t, r, streams))
	runtime.ReadMemStats(&after)
	stack := after.StackInuse - before.StackInuse
	inUse()
	runtime.ReadMemStats(&after)
	heap := after.HeapAlloc - before.HeapAlloc
	front.Close()
	open.Wait()                                                                 // the memory of these streams must not count in the next measurement
	return holding{int64(stack) / int64(streams), int64(heap) / int64(streams)} //nolint:gosec // less than 2^63
}

// openStreams requests a stream on each connection, and waits for its first event.
func openStreams(t *testing.T, conns []net.Conn) {
	t.Helper()
	buf := make([]byte, 4<<10)
	for _, c := range conns {
		send(t, c, brief)
		for got := 0; !strings.Contains(string(buf[:got]), "\n\n"); {
			n, err := c.Read(buf[got:])
			if err != nil {
				t.Fatal(err)
			}
			got += n
		}
	}
}
