package compat

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	fakeopenai "github.com/fakeopenai/fakeopenai/httptest"
)

const shortAnswer = `name: short
message: Here I am.
`

// The server is down for a moment. Two of the clients try again until it is up.
func TestOutage(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		outcome string
		waited  gap
	}{
		"openai-go": {"Here I am. / stop", officialBackoff},
		"azopenai":  {"Here I am. / stop", azureBackoff},
		"go-openai": {"nothing / error: refused", exactly(0)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				fake := fakeopenai.NewServer(t, fakeopenai.InMemory(), fakeopenai.YAML(shortAnswer))
				fake.Down()
				time.AfterFunc(300*time.Millisecond, fake.Up)
				var got told
				took := elapsed(func() {
					got = streamers[name](context.Background(), prompt{to: targetOf(fake), retries: 2})
				})
				if got.String() != want.outcome || took < want.waited.from || took > want.waited.to {
					t.Errorf("got  %s after %v\nwant %s after %v to %v", got, took, want.outcome, want.waited.from, want.waited.to)
				}
				time.Sleep(time.Second) // the server is up again before the test ends
			})
		})
	}
}

// The server closes a kept-alive connection just when the client uses it again. net/http
// does not repeat a POST; only clients with retries of their own do.
func TestStaleConnection(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"openai-go": "Here I am. / stop",
		"azopenai":  "Here I am. / stop",
		"go-openai": "nothing / error: broken off",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				fake := fakeopenai.NewServer(t, fakeopenai.InMemory(),
					fakeopenai.YAML(shortAnswer+"wire: { connection: close_on_reuse }\n"))
				warmUp(t, fake)
				p := prompt{to: targetOf(fake), retries: 2}
				if got := streamers[name](context.Background(), p).String(); got != want {
					t.Errorf("got  %s\nwant %s", got, want)
				}
				if got := fake.AwaitEnd(1); !got.Delivery.Reused || got.Status != 0 {
					t.Errorf("the client's first request got status %d on a connection that was reused: %v; want 0, true", got.Status, got.Delivery.Reused)
				}
			})
		})
	}
}

// warmUp leaves an idle connection to the server in the pool. The clients themselves leave
// none, because they stop reading at [DONE], before the end of the body.
func warmUp(t *testing.T, fake *fakeopenai.Server) {
	t.Helper()
	res, err := fake.Client().Post(fake.BaseURL+"/chat/completions", "application/json",
		strings.NewReader(`{"model":"gpt-4o","messages":[{"role":"user","content":"Hi"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		t.Fatal(err)
	}
}
