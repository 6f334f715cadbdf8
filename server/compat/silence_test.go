package compat

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	fakeopenai "github.com/fakeopenai/fakeopenai/httptest"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// patient is the limit on silence in the tests below.
const patient = 15 * time.Second

// watched cancels a prompt when no chunk has come for the time limit, as a program does
// that limits silence. None of the clients has such a limit.
func watched(p prompt, limit time.Duration) (context.Context, prompt) {
	ctx, giveUp := context.WithCancel(context.Background())
	timer := time.AfterFunc(limit, giveUp)
	p.each = func() { timer.Reset(limit) }
	return ctx, p
}

var silences = []struct {
	title, scenario string
	outcome         string
	took            time.Duration
	frames          int // frames is how many the server had sent by then; -1 is not checked.
}{
	{
		"an hour of heartbeats is no silence", `
name: silence
stream:
  - role: assistant
  - heartbeat: 360
    every: 10s
  - content: Done.
    after: 10s
  - finish: stop
`, "Done. / stop", time.Hour, 364,
	},
	{
		"comments are silence, for clients keep them to themselves", `
name: silence
stream:
  - role: assistant
  - comment: still there
    after: 10s
    repeat: 360
    every: 10s
  - finish: stop
`, "nothing / error: cancelled", patient, 2,
	},
	{
		"a stall is noticed when the limit has passed since the last chunk", `
name: silence
stream:
  - role: assistant
  - content: Once
  - content: " upon"
    after: 14s
  - content: " a time"
    after: 14s
end: { stall: 10m }
`, "Once upon a time / error: cancelled", 28*time.Second + patient, 4,
	},
	{
		"slow headers are silence", `
name: silence
message: Too late.
wire: { header_delay: 1m }
`, "nothing / error: cancelled", patient, 0,
	},
	{
		"a server that drips is silent, though bytes flow all the time", `
name: silence
message: Hello
wire: { drip: 10 }
`, "nothing / error: cancelled", patient, -1, // the pieces of a frame are counted
	},
}

// Three clients with a limit on silence give up exactly when it is reached, and the server
// knows when they left.
func TestSilence(t *testing.T) {
	t.Parallel()
	for name, stream := range streamers {
		for _, c := range silences {
			t.Run(name+": "+c.title, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					fake := fakeopenai.NewServer(t, fakeopenai.InMemory(), fakeopenai.YAML(c.scenario))
					ctx, p := watched(prompt{to: targetOf(fake)}, patient)
					var got told
					took := elapsed(func() { got = stream(ctx, p) })
					if got.String() != c.outcome || took != c.took {
						t.Errorf("got  %s after %v\nwant %s after %v", got, took, c.outcome, c.took)
					}
					checkLeaving(t, fake.AwaitEnd(0).Delivery, got.err != nil, c.took, c.frames)
				})
			})
		}
	}
}

func checkLeaving(t *testing.T, got journal.Delivery, left bool, after time.Duration, frames int) {
	t.Helper()
	if frames >= 0 && got.Frames != frames {
		t.Errorf("%d frames were sent, want %d", got.Frames, frames)
	}
	switch {
	case !left && (got.Ended != journal.EndedComplete || got.Left != ""):
		t.Errorf("the answer ended with %q, left %q; want it complete", got.Ended, got.Left)
	case left && (got.Ended != journal.EndedByClient || got.LeftAfter != after):
		t.Errorf("the answer ended with %q, left after %v; want %q after %v", got.Ended, got.LeftAfter, journal.EndedByClient, after)
	}
}

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
