package fakeopenai

import (
	"bufio"
	"io"
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

// took returns, for requests with these bodies sent one after the other, the virtual time until
// the first byte and until the end of each answer.
func took(t *testing.T, yaml string, bodies ...string) (list []string) {
	synctest.Test(t, func(t *testing.T) {
		fake := NewServer(t, YAML(yaml), InMemory())
		for _, body := range bodies {
			start := time.Now()
			resp, err := ask(t.Context(), fake, body)
			if err != nil {
				t.Fatal(err)
			}
			_, err = resp.Body.Read(make([]byte, 1))
			first := time.Since(start)
			if _, rest := io.Copy(io.Discard, resp.Body); rest != nil || err != nil {
				t.Fatal(err, rest)
			}
			resp.Body.Close()
			list = append(list, first.String()+" "+time.Since(start).String())
		}
	})
	return list
}

// The prompt "Hi!" has 7 tokens, the long one 132.
func TestTheFirstTokenWaitsForThePrompt(t *testing.T) {
	t.Parallel()
	long := strings.Replace(streamed, "Hi!", strings.Repeat("word ", 100), 1)
	const yaml = "name: x\npace: { first: { mean: 1s, per_prompt_token: 1s }, every: 1m }\n"
	for _, tt := range []struct{ reply, body, want string }{
		{"message: Hello.", streamed, "8s 3m8s"},
		{"message: Hello.", whole, "4m8s 4m8s"},
		{"message: Hello.", long, "2m13s 5m13s"},
		{"message: '{{ .last_user }}'", streamed, "8s 3m8s"}, // compiled for each request
		{"message: Hello.\nwire: { coalesce: 2 }", streamed, "1m8s 3m8s"},
	} {
		if got := took(t, yaml+tt.reply, tt.body)[0]; got != tt.want {
			t.Errorf("%s, asked in %d bytes: took %s, want %s", tt.reply, len(tt.body), got, tt.want)
		}
	}
}
