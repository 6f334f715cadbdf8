package fakeopenai

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/step"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

const greeting = `
	name: greeting
	message: { content: Hello there. }
`

const held = `
	name: held
	stream:
	  - role: assistant
	  - content: Once upon
	  - hold: mid-answer
	  - content: " a time"
	  - finish: stop
`

// transports are the two ways to reach a server. Tests behave the same with both.
var transports = map[string][]Option{
	"over TCP":  nil,
	"in memory": {InMemory()},
}

// overBoth runs a test over both transports.
func overBoth(t *testing.T, test func(t *testing.T, with ...Option)) {
	t.Helper()
	for name, opts := range transports {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, opts...)
		})
	}
}

func TestServerAnswers(t *testing.T) {
	t.Parallel()
	overBoth(t, func(t *testing.T, with ...Option) {
		fake := NewServer(t, append(with, YAML(greeting), AllowUnused())...)

		status, stream := mustAsk(t, fake, streamed)
		if status != http.StatusOK || !strings.Contains(stream, `"content":"Hello"`) || !strings.HasSuffix(stream, "data: [DONE]\n\n") {
			t.Errorf("a stream: status %d\n%s", status, stream)
		}
		status, object := mustAsk(t, fake, whole)
		if status != http.StatusOK || !strings.Contains(object, `Hello there.`) {
			t.Errorf("an object: status %d\n%s", status, object)
		}
		if fake.BaseURL != fake.URL+"/v1" {
			t.Errorf("BaseURL is %s, URL %s", fake.BaseURL, fake.URL)
		}
		for i, want := range []string{stream, object} {
			fake.AwaitEnd(i)
			if got := string(fake.Transcript(i)); got != want {
				t.Errorf("transcript %d is\n%s\nbut the client read\n%s", i, got, want)
			}
		}
	})
}

func TestServerURLInMemory(t *testing.T) {
	t.Parallel()
	fake := NewServer(t, YAML(greeting), InMemory(), AllowUnused())
	if fake.BaseURL != "http://use-fake-client.invalid/v1" {
		t.Errorf("BaseURL is %s", fake.BaseURL)
	}
}

func TestHundredServersAtOnce(t *testing.T) {
	t.Parallel()
	for i := range 100 {
		t.Run(fmt.Sprintf("server %d keeps to itself", i), func(t *testing.T) {
			t.Parallel()
			text := fmt.Sprintf("answer-%d", i)
			fake := NewServer(t, Script(step.Role("assistant"), step.Content(text), step.Finish("stop")))
			if _, got := mustAsk(t, fake, streamed); !strings.Contains(got, `"content":"`+text+`"`) {
				t.Errorf("server %d answered %s", i, got)
			}
			if n := len(fake.Requests()); n != 1 {
				t.Errorf("server %d got %d requests", i, n)
			}
		})
	}
}

func TestScenarioValueSharedByServers(t *testing.T) {
	t.Parallel()
	shared := scenarios.Scenario{Name: "shared", Replies: []scenarios.Reply{{
		Stream: &[]scenarios.Step{step.Role("assistant"), step.Content("{{ .request.model }}"), step.Finish("stop")},
	}}}
	for i := range 8 {
		t.Run(fmt.Sprintf("server %d", i), func(t *testing.T) {
			t.Parallel()
			fake := NewServer(t, Scenario(shared))
			if _, got := mustAsk(t, fake, streamed); !strings.Contains(got, `"content":"gpt-4o"`) {
				t.Errorf("answered %s", got)
			}
		})
	}
}

func TestCleanupWithUnreadStream(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		source Option
	}{
		{"a stream that waits at a hold", YAML(held)},
		{"a stream that pauses for half an hour", Script(step.Content("a"), step.Wait(30*time.Minute))},
		{"a stream that its reader blocks", Script(step.Content("a"), scenarios.Step{Raw: &scenarios.Text{Repeat: ":\n", Bytes: 15 << 20}})},
		{"a stream that stays open after its end", YAML("name: linger\nmessage: { content: Hi }\nend: { linger: 1h }\n")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			overBoth(t, func(t *testing.T, with ...Option) {
				began := time.Now()
				record(t, func(tb testing.TB) {
					fake := NewServer(tb, append(with, tt.source)...)
					open(t, fake) // the test neither reads the stream to its end nor closes it
				}).wantErrors(t)
				if took := time.Since(began); took > closeTimeout {
					t.Errorf("the test took %v to end", took)
				}
			})
		})
	}
}

func TestCloseMayBeCalledAgain(t *testing.T) {
	t.Parallel()
	overBoth(t, func(t *testing.T, with ...Option) {
		fake := NewServer(t, append(with, YAML(greeting), AllowUnused())...)
		fake.Close()
		fake.Close()
		if _, err := ask(t.Context(), fake, streamed); !isRefused(err) {
			t.Errorf("a request to a closed server: %v, want connection refused", err)
		}
	})
}

func TestCloseResetsOpenStreams(t *testing.T) {
	t.Parallel()
	overBoth(t, func(t *testing.T, with ...Option) {
		fake := NewServer(t, append(with, YAML(held))...)
		resp, r := open(t, fake)
		defer resp.Body.Close()
		fake.Await("mid-answer")
		fake.Close()
		if rest, err := io.ReadAll(r); err == nil {
			t.Errorf("the stream ended properly after %q, want an error", rest)
		}
		if got := fake.Requests()[0].Delivery.Ended; got != journal.EndedByShutdown {
			t.Errorf("the exchange ended %q, want %q", got, journal.EndedByShutdown)
		}
	})
}

func TestSetenv(t *testing.T) {
	fake := NewServer(t, YAML(greeting), AllowUnused(), WithAPIKey("first"), WithAPIKey("second"))
	fake.Setenv()
	for name, want := range map[string]string{
		"OPENAI_BASE_URL": fake.BaseURL,
		"OPENAI_API_BASE": fake.BaseURL,
		"OPENAI_API_KEY":  "first",
	} {
		if got := os.Getenv(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// The server's own endpoints refuse unknown hosts, but not those that the helper's own clients
// use.
func TestClientsReachTheServersOwnEndpoints(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string][]Option{
		"socket": nil, "memory": {InMemory()}, "HTTP/2": {WithHTTP2()}, "HTTP/2 in memory": {InMemory(), WithHTTP2()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := NewServer(t, append(opts, YAML(greeting), AllowUnused())...)
			resp, err := fake.Client().Get(fake.URL + "/_fake/requests")
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				t.Errorf("status %d, want 200", resp.StatusCode)
			}
		})
	}
}
