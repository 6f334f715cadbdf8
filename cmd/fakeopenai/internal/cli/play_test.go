package cli

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
)

// timedWriter notes when each write comes.
type timedWriter struct {
	begun time.Time
	at    []time.Duration
}

func (w *timedWriter) Write(p []byte) (int, error) {
	w.at = append(w.at, time.Since(w.begun))
	return len(p), nil
}

const pacedScenario = `
name: paced
stream:
  - role: assistant
  - content: a
  - wait: 1s
  - content: b
  - wait: 1h
  - finish: stop
`

func TestPlayKeepsTheRhythm(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		args []string
		want []time.Duration
	}{
		{"as written", nil, []time.Duration{0, time.Second, time.Hour + time.Second}},
		{"ten times as fast", []string{"--speed", "10"}, []time.Duration{0, 100 * time.Millisecond, 6*time.Minute + 100*time.Millisecond}},
		{"without pauses", []string{"--speed", "instant"}, []time.Duration{0}},
		{"without pauses, in short", []string{"--fast"}, []time.Duration{0}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var stderr strings.Builder
				w := &timedWriter{begun: time.Now()}
				args := append([]string{"play", "-"}, c.args...)
				if code := Main(context.Background(), args, nil, strings.NewReader(pacedScenario), w, &stderr); code != console.ExitOK {
					t.Fatalf("exit code %d: %s", code, stderr.String())
				}
				if !slices.Equal(w.at, c.want) {
					t.Errorf("writes at %v, want %v", w.at, c.want)
				}
			})
		})
	}
}
