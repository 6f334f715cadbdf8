package fakeopenai

import (
	"context"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fakeopenai/fakeopenai/server/journal"
)

// halfHour is a scenario that sends a word each second, for half an hour.
const halfHour = `
	name: half-hour
	stream:
	  - role: assistant
	  - content: "word "
	    after: 1s
	    repeat: 1800
	    every: 1s
	  - finish: stop
`

func TestTheClockOfTemplatesIsThatOfTheBubble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const clock = "name: clock\nmessage: { content: 'at {{ now }}, again {{ now \"1h\" }}, {{ unix }}', by: all }\n"
		fake := NewServer(t, YAML(clock), InMemory())
		time.Sleep(90 * time.Second)
		if _, got := mustAsk(t, fake, streamed); !strings.Contains(got, "at 2000-01-01T00:01:30Z, again 2000-01-01T01:01:30Z, 946684890") {
			t.Errorf("the answer is %s", got)
		}
		fixed := NewServer(t, YAML(clock), InMemory(), WithCreated(1790000000))
		if _, got := mustAsk(t, fixed, streamed); !strings.Contains(got, "at 2026-09-21T14:13:20Z, again 2026-09-21T15:13:20Z, 1790000000") {
			t.Errorf("with a creation time, the answer is %s", got)
		}
	})
}

func TestAServerWithASocketIsRefusedInABubble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		record(t, func(tb testing.TB) { NewServer(tb, YAML(halfHour)) }).wantErrors(t, "needs the option InMemory()")
	})
}

func TestHalfHourInABubble(t *testing.T) {
	t.Parallel()
	began := time.Now()
	synctest.Test(t, func(t *testing.T) {
		fake := NewServer(t, YAML(halfHour), InMemory())
		start := time.Now()
		_, got := mustAsk(t, fake, streamed)
		if n := strings.Count(got, `"content":"word "`); n != 1800 {
			t.Errorf("%d words arrived, want 1800", n)
		}
		if took := time.Since(start); took != 30*time.Minute {
			t.Errorf("the stream took %v of the bubble's time, want 30m", took)
		}
	})
	t.Logf("half an hour took %v", time.Since(began))
}

func TestEachChunkArrivesAtItsTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fake := NewServer(t, InMemory(), YAML(`
			name: beat
			stream:
			  - role: assistant
			  - content: a
			    after: 300ms
			  - content: b
			    after: 25ms
			  - wait: 1h
			  - finish: stop
		`))
		start := time.Now()
		resp, r := open(t, fake)
		defer resp.Body.Close()
		for _, want := range []time.Duration{300 * time.Millisecond, 325 * time.Millisecond, time.Hour + 325*time.Millisecond} {
			for line := ""; !strings.HasPrefix(line, "data: "); {
				var err error
				if line, err = r.ReadString('\n'); err != nil {
					t.Fatal(err)
				}
			}
			if got := time.Since(start); got != want {
				t.Errorf("a chunk arrived after %v, want %v", got, want)
			}
		}
	})
}

func TestBubbleEndsWithUnreadStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fake := NewServer(t, YAML(held), InMemory())
		open(t, fake) // never closed: synctest fails if a goroutine is left
		fake.Await("mid-answer")
	})
}

func TestResetInABubble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fake := NewServer(t, InMemory(), YAML(`
			name: reset
			stream:
			  - role: assistant
			  - content: a
			  - finish: stop
			end: reset
		`))
		resp, err := ask(t.Context(), fake, streamed)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if got, err := io.ReadAll(resp.Body); !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("the stream ended with %v after %q, want a reset", err, got)
		}
	})
}

func TestClientThatLeavesInABubble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fake := NewServer(t, YAML(halfHour), InMemory())
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Minute+500*time.Millisecond)
		defer stop()
		resp, err := ask(ctx, fake, streamed)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if _, err := io.ReadAll(resp.Body); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the stream ended with %v, want the client's own deadline", err)
		}
		got := fake.AwaitEnd(0).Delivery
		if got.Ended != journal.EndedByClient || got.Frames != 601 {
			t.Errorf("delivery is %+v, want 601 frames until the client left", got)
		}
	})
}

func TestAwaitGivesUpInABubble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		record(t, func(tb testing.TB) {
			fake := NewServer(tb, YAML(held), InMemory())
			time.AfterFunc(time.Hour, fake.Close)
			fake.Await("mid-answer")
			t.Error("Await returned although there was no stream")
		}).wantErrors(t, "closed")
	})
}
