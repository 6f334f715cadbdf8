package fakeopenai

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fakeopenai/fakeopenai/server/journal"
)

// TestCloseSaysFarewell closes servers while streams with a shutdown event are open.
func TestCloseSaysFarewell(t *testing.T) {
	t.Parallel()
	say := func(t *testing.T, with ...Option) {
		fake := NewServer(t, append(with, YAML(held+"\twire: { on_shutdown: [{ error: { message: Going. } }, { done: true }] }\n"))...)
		resp, err := ask(t.Context(), fake, streamed)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		fake.Await("mid-answer")
		fake.Close()
		got, err := io.ReadAll(resp.Body)
		if err != nil || !strings.Contains(string(got), `"message":"Going."`) || !strings.HasSuffix(string(got), "data: [DONE]\n\n") {
			t.Errorf("the stream ends with %q, %v; want the error and an orderly end", got, err)
		}
		if d := fake.AwaitEnd(0).Delivery; d.Ended != journal.EndedByShutdown {
			t.Errorf("the delivery is %+v, want one ended by a shutdown", d)
		}
	}
	overBoth(t, say)
	t.Run("over HTTP/2", func(t *testing.T) {
		t.Parallel()
		say(t, WithHTTP2())
	})
}

func TestAFarewellComesEvenBeforeTheFirstByte(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fake := NewServer(t, InMemory(), YAML(`
			name: slow
			wire:
			  header_delay: 24h
			  on_shutdown: { comment: bye }
			message: Hello.
		`))
		go func() {
			synctest.Wait() // the server waits before it answers
			fake.Close()
		}()
		if _, got := mustAsk(t, fake, streamed); got != ": bye\n\n" {
			t.Errorf("the answer is %q", got)
		}
	})
}

// A client that leaves in the middle of an answer does not hold up the end of the test, although the
// server closes before it has noticed how the client left.
func TestTheEndOfATestDoesNotWaitForAClientThatLeft(t *testing.T) {
	t.Parallel()
	const long = "name: long\nstream:\n- role: assistant\n- content: { repeat: 'word ', bytes: 3000000 }\n- finish: stop\n"
	overBoth(t, func(t *testing.T, with ...Option) {
		slow := 0
		for range 10 {
			fake := NewServer(t, append(with, YAML(long), AllowUnused())...)
			resp, err := ask(t.Context(), fake, streamed)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = resp.Body.Read(make([]byte, 1))
			resp.Body.Close()
			began := time.Now()
			fake.Close()
			if time.Since(began) >= time.Second { // as long as the server waits for a departure
				slow++
			}
		}
		if slow > 1 {
			t.Errorf("the end of %d of 10 tests took a second", slow)
		}
	})
}
