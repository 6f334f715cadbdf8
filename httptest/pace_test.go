package fakeopenai

import (
	"bufio"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// beat returns when the chunks of a stream arrive, in the virtual time of a bubble.
func beat(t *testing.T, manner string, opts ...Option) (times []time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		yaml := manner + "\n" + `
stream:
  - role: assistant
  - content: one
  - wait: 1600ms
  - content: two
  - content: three
  - finish: stop
`
		fake := NewServer(t, append(opts, YAML("name: beat\n"+yaml), InMemory())...)
		start := time.Now()
		resp, err := ask(t.Context(), fake, streamed)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		lines := bufio.NewScanner(resp.Body)
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), "data: {") {
				times = append(times, time.Since(start))
			}
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
	})
	return times
}

func TestSpeedDividesEveryPause(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	written := []time.Duration{800 * ms, 1200 * ms, 2800 * ms, 3200 * ms, 3600 * ms}
	for _, tt := range []struct {
		name   string
		speed  string
		opts   []Option
		factor time.Duration // 0 stands for no pauses
	}{
		{"as written", "", nil, 1},
		{"of the scenario", ", speed: 2", nil, 2},
		{"of the test", "", []Option{WithSpeed(4)}, 4},
		{"of both", ", speed: 2", []Option{WithSpeed(4)}, 8},
		{"none at all", ", speed: 2", []Option{Instant()}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want := slices.Clone(written)
			for i := range want {
				if tt.factor == 0 {
					want[i] = 0
				} else {
					want[i] /= tt.factor
				}
			}
			if got := beat(t, "pace: { first: 800ms, every: 400ms"+tt.speed+" }", tt.opts...); !slices.Equal(got, want) {
				t.Errorf("chunks arrive after %v, want %v", got, want)
			}
		})
	}
}
