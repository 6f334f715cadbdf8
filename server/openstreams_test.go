package server_test

import (
	"io"
	"net"
	"net/http"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/server"
)

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
