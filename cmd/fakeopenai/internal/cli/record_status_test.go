package cli

import (
	"bytes"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fakeopenai/fakeopenai/server/recording"
)

// On a terminal the last line shows the progress, once for each change, and is cleared
// at the end; messages are printed above it.
func TestTheStatusOnATerminal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		var counts atomic.Pointer[recording.Counts]
		counts.Store(&recording.Counts{Open: 1, Bytes: 5})
		s := newStatus(&out, lastLine, func() (recording.Counts, int) { return *counts.Load(), 0 })
		time.Sleep(3*refresh + refresh/2)
		synctest.Wait()
		s.say("POST /x: %d", 200)
		counts.Store(&recording.Counts{Requests: 1, Bytes: 7})
		time.Sleep(refresh)
		synctest.Wait()
		s.end()
		s.say("done")
		const want = "\r\x1b[Krequests 0, open 1, bytes 5, files 0" +
			"\r\x1b[Kfakeopenai: POST /x: 200\nrequests 0, open 1, bytes 5, files 0" +
			"\r\x1b[Krequests 1, open 0, bytes 7, files 0" +
			"\r\x1b[Kfakeopenai: done\n"
		if got := out.String(); got != want {
			t.Errorf("got\n%q, want\n%q", got, want)
		}
	})
}

// Elsewhere only messages are printed.
func TestTheStatusOffATerminal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		s := newStatus(&out, noProgress, func() (recording.Counts, int) { return recording.Counts{Open: 1}, 0 })
		time.Sleep(2 * refresh)
		s.say("POST /x: %d", 200)
		s.end()
		if got := out.String(); got != "fakeopenai: POST /x: 200\n" {
			t.Errorf("got %q", got)
		}
	})
}

// Beside a command that prints, too, the progress is a line now and then, if it has
// changed.
func TestTheStatusBesideACommand(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		var counts atomic.Pointer[recording.Counts]
		counts.Store(&recording.Counts{Open: 1, Bytes: 5})
		s := newStatus(&out, linesInBetween, func() (recording.Counts, int) { return *counts.Load(), 2 })
		time.Sleep(3*between + between/2)
		counts.Store(&recording.Counts{Open: 1, Bytes: 6})
		time.Sleep(between)
		synctest.Wait()
		s.say("POST /x: %d", 200)
		s.end()
		const want = "fakeopenai: requests 0, open 1, bytes 5, files 2\nfakeopenai: requests 0, open 1, bytes 6, files 2\nfakeopenai: POST /x: 200\n"
		if got := out.String(); got != want {
			t.Errorf("got\n%q, want\n%q", got, want)
		}
	})
}
