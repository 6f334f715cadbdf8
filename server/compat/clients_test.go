package compat

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	fakeopenai "github.com/fakeopenai/fakeopenai/httptest"
)

const scenarioHeader = "X-Fakeopenai-Scenario"

// goClient is one way to send a request and read the answer with a Go client.
type goClient struct {
	streams  bool
	ask      func(*testing.T, target, testCase) (answer, error)
	describe func(error) fault
}

var goClients = map[string]goClient{
	"openai-go":        {false, openaiGo, faultFromOpenAIGo},
	"openai-go stream": {true, openaiGoStream, faultFromOpenAIGo},
	"go-openai":        {false, goOpenAI, faultFromGoOpenAI},
	"go-openai stream": {true, goOpenAIStream, faultFromGoOpenAI},
}

// target is the server to which a client sends its requests.
type target struct {
	baseURL, key string
	client       *http.Client
}

// start starts a server that plays one bundled scenario.
func start(t *testing.T, fixture string, opts ...fakeopenai.Option) target {
	t.Helper()
	opts = append(opts, fakeopenai.Fixture(fixture), fakeopenai.AllowUnused())
	fake := fakeopenai.NewServer(t, opts...)
	return target{fake.BaseURL, fake.APIKey, fake.Client()}
}

// Every client reads every bundled scenario over a socket, without the pauses.
func TestClientsOverSockets(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, name string, c testCase) {
		if c.Silent {
			return // a server without pauses is never silent
		}
		check(t, start(t, c.Fixture, fakeopenai.Instant()), name, c)
	})
}

// Every client reads every bundled scenario in virtual time, with all pauses.
func TestClientsInVirtualTime(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, name string, c testCase) {
		synctest.Test(t, func(t *testing.T) {
			check(t, start(t, c.Fixture, fakeopenai.InMemory()), name, c)
		})
	})
}

func eachClient(t *testing.T, run func(*testing.T, string, testCase)) {
	tab := readTable(t)
	for name, client := range goClients {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, c := range tab.Cases {
				if c.Streamed && !client.streams {
					continue
				}
				t.Run(c.Title, func(t *testing.T) { run(t, name, c) })
			}
		})
	}
}

func check(t *testing.T, to target, name string, c testCase) {
	t.Helper()
	checkClient(t, to, name, goClients[name], c)
}

func checkClient(t *testing.T, to target, name string, client goClient, c testCase) {
	t.Helper()
	got, err := client.ask(t, to, c)
	wantAnswer, wantFault := c.expect(name)
	switch {
	case wantFault == nil && err != nil:
		t.Errorf("failed: %v\nafter %s", err, text(got))
	case wantFault == nil:
		if d := wantAnswer.diff(got); d != "" {
			t.Error(d)
		}
	case err == nil:
		t.Errorf("no error, but %s", text(got))
	default:
		f := client.describe(err)
		f.Text = contentOf(got)
		if d := wantFault.diff(f); d != "" {
			t.Error(d)
		}
	}
}

// elapsed is the duration of f; inside a bubble of testing/synctest, in virtual time.
func elapsed(f func()) time.Duration {
	began := time.Now()
	f()
	return time.Since(began)
}
