package fakeopenai

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
)

// endless is a scenario with a stream that every client leaves before its end.
const endless = `
	name: endless
	stream:
	  - role: assistant
	  - content: { repeat: Once upon a time, bytes: 2000 }
	  - wait: 1h
	  - finish: stop
`

// departures are the ways in which a client closes its connection too early: before its
// request, in the middle of it, and up to the middle of the answer.
var departures = []func(c net.Conn) error{
	func(net.Conn) error { return nil },
	func(c net.Conn) error { return halfARequest(c) },
	func(c net.Conn) error { return aRequest(c) },
	func(c net.Conn) error { return readSome(c, 1) },
	func(c net.Conn) error { return readSome(c, 1500) },
}

func halfARequest(c net.Conn) error {
	_, err := io.WriteString(c, "POST /v1/chat/completions HTTP/1.1\r\nHost: fake\r\nContent-Le")
	return err
}

func aRequest(c net.Conn) error {
	_, err := fmt.Fprintf(c, "POST /v1/chat/completions HTTP/1.1\r\nHost: fake\r\nContent-Length: %d\r\n\r\n%s", len(streamed), streamed)
	return err
}

func readSome(c net.Conn, bytes int64) error {
	if err := aRequest(c); err != nil {
		return err
	}
	_, err := io.CopyN(io.Discard, c, bytes)
	return err
}

// Not parallel: it counts goroutines, descriptors and memory of the process.
func TestTenThousandAbruptDisconnectsLeaveNothing(t *testing.T) {
	testflag.NoRace(t)
	for name, tt := range map[string]struct {
		times int
		with  []Option
	}{
		"in memory": {10_000, []Option{InMemory()}},
		"over TCP":  {2_000, nil},
	} {
		t.Run(name, func(t *testing.T) {
			opts := append(tt.with, YAML(endless), WithLogger(slog.New(slog.DiscardHandler)))
			s := NewServer(t, opts...)
			s.disconnect(t, tt.times/5) // the first disconnects fill pools and caches
			s.settle(t)
			running := goleak.IgnoreCurrent()
			files, heap := openFiles(), heapInUse()

			s.disconnect(t, tt.times)

			s.settle(t)
			if err := goleak.Find(running); err != nil {
				t.Error(err)
			}
			if now := openFiles(); now > files {
				t.Errorf("%d files are open, %d were before", now, files)
			}
			if now := heapInUse(); now > heap+1<<20 {
				t.Errorf("%d bytes of memory are in use, %d were before", now, heap)
			}
		})
	}
}

// disconnect makes clients connect and leave.
func (s *Server) disconnect(t *testing.T, times int) {
	t.Helper()
	var clients sync.WaitGroup
	for worker := range 8 {
		clients.Go(func() {
			for i := worker; i < times; i += 8 {
				if err := s.comeAndLeave(i); err != nil {
					t.Errorf("client %d: %v", i, err)
					return
				}
			}
		})
	}
	clients.Wait()
}

func (s *Server) comeAndLeave(i int) error {
	dial := s.client.Transport.(*transport).DialContext
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	host := strings.TrimPrefix(s.URL, "http://")
	if s.memory {
		host += ":80"
	}
	c, err := dial(context.Background(), "tcp", host)
	if err != nil {
		return err
	}
	if i%2 == 0 {
		resetOnClose(c)
	}
	err = departures[i%len(departures)](c)
	if closing := c.Close(); err == nil {
		err = closing
	}
	return err
}

// settle waits until no answer is open, and empties the journal, which would keep the
// requests.
func (s *Server) settle(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := s.core.WaitIdle(ctx); err != nil {
		t.Fatal(err)
	}
	s.core.ResetJournal()
}

// openFiles returns how many descriptors the process has open, or 0 on systems that do not
// tell.
func openFiles() int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(list)
}

func heapInUse() uint64 {
	runtime.GC()
	runtime.GC() // the second collection empties the pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
