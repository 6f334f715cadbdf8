package fakeopenai

import (
	"testing"
	"time"
)

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
