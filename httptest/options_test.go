package fakeopenai

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

func TestWithLimits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fake := NewServer(t, YAML(greeting), InMemory(), WithLimits(scenarios.Limits{RPM: 2}), WithModelLimits("o*", scenarios.Limits{RPM: 1, Window: time.Second}))
		ask := func(model string, want int) {
			t.Helper()
			if status, body := mustAsk(t, fake, `{"model":"`+model+`","messages":[]}`); status != want {
				t.Errorf("%s is answered with %d, want %d: %s", model, status, want, body)
			}
		}
		ask("o3", 200)
		ask("o4-mini", 429)
		time.Sleep(time.Second)
		ask("o4-mini", 200)
		ask("gpt-4o", 429)
		time.Sleep(59 * time.Second)
		ask("gpt-4o", 200)
		if r := fake.Requests(); r[1].Limit != "rpm: 1 of model o*" || r[3].Limit != "rpm: 2 of the server" || r[4].Limit != "" {
			t.Errorf("refused by %q, %q and %q", r[1].Limit, r[3].Limit, r[4].Limit)
		}
	})
}

func TestWithSeed(t *testing.T) {
	t.Parallel()
	answer := func(opts ...Option) string {
		fake := NewServer(t, append(opts, YAML("name: x\nmessage: { fake: { words: 8 } }\n"), WithCreated(1))...)
		_, got := mustAsk(t, fake, streamed)
		return got
	}
	one, again, other := answer(WithSeed(1)), answer(), answer(WithSeed(2))
	if one != again {
		t.Errorf("seed 1 and the default differ:\n%s\n%s", one, again)
	}
	if one == other {
		t.Errorf("seeds 1 and 2 give the same:\n%s", one)
	}
}

func TestWithStrict(t *testing.T) {
	t.Parallel()
	const wrong = `{"model":"gpt-4o","messages":[{"role":"user","content":"Hi!"}],"temperature":17}`
	for want, opts := range map[int][]Option{http.StatusOK: nil, http.StatusBadRequest: {WithStrict()}} {
		if status, got := mustAsk(t, NewServer(t, append(opts, YAML(greeting))...), wrong); status != want {
			t.Errorf("status %d, want %d: %s", status, want, got)
		}
	}
}

func TestWithAPIKey(t *testing.T) {
	t.Parallel()
	fake := NewServer(t, YAML(greeting), WithAPIKey("one"), WithAPIKey("two"))
	if fake.APIKey != "one" {
		t.Errorf("APIKey is %q, want the first key", fake.APIKey)
	}
	for key, want := range map[string]int{"one": http.StatusOK, "two": http.StatusOK, "three": http.StatusUnauthorized} {
		fake.APIKey = key
		if status, _ := mustAsk(t, fake, whole); status != want {
			t.Errorf("key %q: status %d, want %d", key, status, want)
		}
	}
}

func TestLog(t *testing.T) {
	t.Parallel()
	t.Run("a line for each request goes to the test", func(t *testing.T) {
		t.Parallel()
		r := record(t, func(tb testing.TB) { mustAsk(t, NewServer(tb, YAML(greeting)), whole) })
		if got := r.logs.String(); strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, "level=INFO msg=request ") {
			t.Errorf("the log is %q", got)
		}
	})
	t.Run("with WithLogger it goes there", func(t *testing.T) {
		t.Parallel()
		var own bytes.Buffer
		r := record(t, func(tb testing.TB) {
			mustAsk(t, NewServer(tb, YAML(greeting), WithLogger(slog.New(slog.NewTextHandler(&own, nil)))), whole)
		})
		if r.logs.Len() > 0 || !strings.Contains(own.String(), "scenario=greeting") {
			t.Errorf("the test's log is %q, the logger's %q", r.logs.String(), own.String())
		}
	})
}

func TestWithConfigSetsTheRest(t *testing.T) {
	t.Parallel()
	fake := NewServer(t, YAML(greeting), WithConfig(func(c *server.Config) { c.AllowGet, c.MaxBody = true, 10 }), AllowUnmatched())
	resp, err := fake.Client().Get(fake.BaseURL + "/chat/completions?model=gpt-4o&stream=false")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if status, _ := mustAsk(t, fake, whole); resp.StatusCode != http.StatusOK || status != http.StatusRequestEntityTooLarge {
		t.Errorf("a GET is answered with %d, a request that is too large with %d", resp.StatusCode, status)
	}
	for name, change := range map[string]func(*server.Config){
		"scenarios": func(c *server.Config) { c.Scenarios = new(scenarios.Set) },
		"observe":   func(c *server.Config) { c.Observe = func(journal.Entry) {} },
		"reload":    func(c *server.Config) { c.Reload = func() (*scenarios.Set, error) { return nil, nil } },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			record(t, func(tb testing.TB) { NewServer(tb, WithConfig(change)) }).wantErrors(t, "WithConfig: Scenarios, Observe and Reload are set by NewServer")
		})
	}
}

// A base path stands before /v1 in the base URLs and in what the requests say; without it is answered, too.
func TestWithBasePath(t *testing.T) {
	t.Parallel()
	fake := NewServer(t, YAML(greeting), WithBasePath("/api/openai/"))
	if want := "ws" + strings.TrimPrefix(fake.URL, "http") + "/api/openai/v1/realtime"; fake.RealtimeURL != want {
		t.Errorf("the URL of realtime is %s, want %s", fake.RealtimeURL, want)
	}
	for i, base := range []string{fake.BaseURL, fake.URL + "/v1"} {
		fake.BaseURL = base
		if status, got := mustAsk(t, fake, whole); status != http.StatusOK {
			t.Errorf("%s: %d: %s", base, status, got)
		}
		if got, want := fake.Requests()[i].Path, strings.TrimPrefix(base, fake.URL)+"/chat/completions"; got != want || strings.HasPrefix(got, "/api/openai/v1/") != (i == 0) {
			t.Errorf("the request says %s, want %s", got, want)
		}
	}
}

// Any id of an earlier response is taken, though no answer had it.
func TestWithAnyID(t *testing.T) {
	t.Parallel()
	for want, opts := range map[int][]Option{http.StatusBadRequest: {AllowUnmatched()}, http.StatusOK: {WithAnyID()}} {
		fake := NewServer(t, append(opts, YAML(greeting))...)
		resp, err := fake.Client().Post(fake.BaseURL+"/responses", "application/json", strings.NewReader(`{"model":"gpt-4o","input":"Hi!","previous_response_id":"resp_of_yesterday"}`))
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("status %d, want %d", resp.StatusCode, want)
		}
	}
}
