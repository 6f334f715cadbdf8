package compat

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	fakeopenai "github.com/fakeopenai/fakeopenai/httptest"
)

const oncePerSecond = `
name: once-per-second
stream:
  - role: assistant
  - content: word
    repeat: 60
    after: 1s
    every: 1s
  - finish: stop
`

// A client whose context ends returns at that moment, and the server notices at the same
// moment that the client has left.
func TestCancelledClients(t *testing.T) {
	t.Parallel()
	const after = 2500 * time.Millisecond
	for name, stream := range streamers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				fake := fakeopenai.NewServer(t, fakeopenai.InMemory(), fakeopenai.YAML(oncePerSecond))
				ctx, stop := context.WithTimeout(context.Background(), after)
				defer stop()
				var got told
				took := elapsed(func() { got = stream(ctx, prompt{to: targetOf(fake)}) })
				if got.String() != "wordword / error: time out" || took != after {
					t.Errorf("got %s after %v, want two words and a time out after %v", got, took, after)
				}
				checkLeaving(t, fake.AwaitEnd(0).Delivery, true, after, 3)
			})
		})
	}
}

const heldInTheMiddle = `
name: held
stream:
  - role: assistant
  - content: Once upon
  - hold: middle
  - content: " a time"
  - finish: stop
`
