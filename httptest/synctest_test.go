package fakeopenai

import (
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
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
