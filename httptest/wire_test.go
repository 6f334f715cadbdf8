package fakeopenai

import (
	"bufio"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// The examples of the reference show most pauses. This test distinguishes the delay of the header from the delay of the body.
func TestTheHeaderAndTheFirstByteHaveTheirOwnDelays(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name         string
		manner       string
		speed        float64
		header, body time.Duration
	}{
		{"slow headers", "wire: { header_delay: 2s }", 1, 2 * time.Second, 2 * time.Second},
		{"a slow first byte", "pace: { first: 3s }", 1, 0, 3 * time.Second},
		{"both, the second counted from the first", "pace: { first: 3s }\nwire: { header_delay: 2s }", 1, 2 * time.Second, 5 * time.Second},
		{"both on a fast server", "pace: { first: 3s }\nwire: { header_delay: 2s }", 10, 200 * time.Millisecond, 500 * time.Millisecond},
		{"both in a fast scenario", "pace: { first: 3s, speed: 2 }\nwire: { header_delay: 2s }", 1, time.Second, 2500 * time.Millisecond},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				fake := NewServer(t, InMemory(), WithSpeed(tt.speed), YAML("name: late\nmessage: Hello.\n"+tt.manner+"\n"))
				start := time.Now()
				resp, err := fake.Client().Post(fake.BaseURL+"/chat/completions", "application/json", strings.NewReader(streamed))
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				header := time.Since(start)
				if _, err := io.ReadFull(resp.Body, make([]byte, 1)); err != nil {
					t.Fatal(err)
				}
				if body := time.Since(start); header != tt.header || body != tt.body {
					t.Errorf("the header came after %v and the body after %v, want %v and %v", header, body, tt.header, tt.body)
				}
			})
		})
	}
}

func TestAClientMayLeaveBeforeTheHeader(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fake := NewServer(struct{ testing.TB }{t}, InMemory(), YAML("name: late\nmessage: Hello.\nwire: { header_delay: 1h }\n"))
		client := *fake.Client()
		client.Timeout = time.Minute
		if resp, err := client.Post(fake.BaseURL+"/chat/completions", "application/json", strings.NewReader(streamed)); err == nil {
			resp.Body.Close()
			t.Fatal("there was an answer")
		}
		got := fake.AwaitEnd(0)
		if got.Status != 0 || got.Delivery.Duration != time.Minute {
			t.Errorf("status %d after %v, want none after the client's minute", got.Status, got.Delivery.Duration)
		}
	})
}

func TestARequestSaysWhatChanceDecided(t *testing.T) {
	t.Parallel()
	fake := NewServer(t, InMemory(), YAML("name: chancy\nmessage: Hello.\ndamage: [{ drop: role, chance: 1 }]\n"))
	if status, _ := mustAsk(t, fake, streamed); status != http.StatusOK {
		t.Errorf("status %d", status)
	}
	if got := fake.AwaitEnd(0).Chance; !slices.Equal(got, []string{"damage 1 (drop) struck frame 1"}) {
		t.Errorf("it says %q", got)
	}
}

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
