package console

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// gate is a writer that blocks until it is opened.
type gate struct {
	open   chan struct{}
	mu     sync.Mutex
	text   bytes.Buffer // text is what was written; it is guarded by mu.
	writes int          // writes counts the calls of Write; it is guarded by mu.
}

func (g *gate) Write(p []byte) (int, error) {
	<-g.open
	g.mu.Lock()
	defer g.mu.Unlock()
	g.writes++
	return g.text.Write(p)
}

func (g *gate) String() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.text.String()
}

func (g *gate) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.writes
}

func TestLinesKeepTheirOrder(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	q := newLogQueue(&out, func(int64) { t.Error("lines were lost") })
	var want strings.Builder
	buffer := make([]byte, 0, 16)
	for i := range 100 {
		buffer = fmt.Appendf(buffer[:0], "line %d\n", i) // one buffer, as loggers have
		want.Write(buffer)
		_, _ = q.Write(buffer)
	}
	q.Close()
	if out.String() != want.String() {
		t.Errorf("got %q", out.String())
	}
}

// If the reader stops reading, lines are dropped and the writer never waits.
func TestAReaderThatStopsLosesLinesThatAreCounted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		to := &gate{open: make(chan struct{})}
		q := newLogQueue(to, func(lines int64) { fmt.Fprintf(to, "lost %d\n", lines) })
		const first, more = "first\n", "more than a few bytes, so that not too many lines fit\n"
		_, _ = io.WriteString(q, first)
		synctest.Wait() // the first line is being written
		const fit = maxLog / len(more)
		for range fit + 10 {
			_, _ = io.WriteString(q, more)
		}
		_, _ = io.WriteString(q, "\n") // shorter than the room that is left
		close(to.open)
		time.Sleep(time.Second)
		_, _ = io.WriteString(q, "last\n")
		q.Close()
		want := first + strings.Repeat(more, fit) + "lost 11\nlast\n"
		if got := to.String(); got != want {
			t.Errorf("got %d bytes ending in %q, want %d ending in %q", len(got), got[max(0, len(got)-20):], len(want), want[len(want)-20:])
		}
	})
}

// A line of a quiet log is written when it comes, and a busy log many lines at a time.
func TestLinesThatFollowAWriteWaitForOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		to := &gate{open: make(chan struct{})}
		close(to.open)
		q := newLogQueue(to, func(int64) { t.Error("lines were lost") })
		written := func(want int) {
			t.Helper()
			synctest.Wait()
			if got := to.count(); got != want {
				t.Fatalf("%d writes, want %d", got, want)
			}
		}
		for i := range 2 {
			_, _ = io.WriteString(q, "at once\n")
			written(2*i + 1)
			for range 10 {
				_, _ = io.WriteString(q, "later\n")
			}
			written(2*i + 1)
			time.Sleep(logPause)
			written(2*i + 2)
			time.Sleep(2 * logPause)
		}
		q.Close()
	})
}

func TestCloseDoesNotWaitForAReaderThatNeverReads(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		to := &gate{open: make(chan struct{})}
		q := newLogQueue(to, func(int64) {})
		_, _ = io.WriteString(q, "first\n")
		start := time.Now()
		q.Close()
		if took := time.Since(start); took != logCloseLimit {
			t.Errorf("Close took %s, want %s", took, logCloseLimit)
		}
		close(to.open)
	})
}
