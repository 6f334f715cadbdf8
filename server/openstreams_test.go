package server_test

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/server"
)

// A stream that waits for its next event holds little more than one of a handler that
// writes an event and sleeps: what net/http and the stacks of a connection take. Not
// parallel: what other tests hold would count.
func TestOpenStreamsHoldLittle(t *testing.T) {
	const streams, above = 400, 12<<10 + largerStack
	s, err := server.New(server.Config{Scenarios: parse(t, "name: x\npace: { every: 1h }\nstream: [{ role: assistant }, { content: a }, { finish: stop }]\n"), JournalSize: streams})
	if err != nil {
		t.Fatal(err)
	}
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
	theirs, ours := eachHolds(t, sleeping, streams), eachHolds(t, s, streams)
	t.Logf("an open stream holds %d bytes, one of the handler that sleeps %d", ours, theirs)
	if ours > theirs+above {
		t.Errorf("an open stream holds %d bytes, want at most %d more than the %d of a handler that sleeps", ours, above, theirs)
	}
}

// eachHolds is how many bytes a handler's streams hold, each of them, after their first
// event.
func eachHolds(t *testing.T, h http.Handler, streams int) int64 {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	front := &http.Server{Handler: h}
	if s, ok := h.(*server.Server); ok {
		front.ConnContext, l = s.ConnContext, s.Watch(l)
	}
	go func() { _ = front.Serve(l) }()
	r := &running{url: "http://" + l.Addr().String()}
	before := inUse()
	conns := dialed(t, r, streams)
	buf := make([]byte, 4<<10)
	for _, c := range conns {
		post(t, c, brief)
		for got := 0; !strings.Contains(string(buf[:got]), "\n\n"); {
			n, err := c.Read(buf[got:])
			if err != nil {
				t.Fatal(err)
			}
			got += n
		}
	}
	holds := (inUse() - before) / int64(streams)
	front.Close()
	if s, ok := h.(*server.Server); ok {
		s.Close()
	}
	return holds
}
