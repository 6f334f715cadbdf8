package compat

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	fakeopenai "github.com/fakeopenai/fakeopenai/httptest"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// retried is how a client that may retry twice reacts to a failure: the pauses before
// its retries, the server's verdicts on them, and the outcome.
type retried struct {
	gaps     []gap
	verdicts string // verdicts are those of the retries, separated with spaces.
	outcome  string
}

// gap is the shortest and the longest pause that is right. They differ if the client adds
// jitter.
type gap struct{ from, to time.Duration }

func exactly(d time.Duration) gap { return gap{d, d} }

// The clients' default pauses before the first retry, with their jitter.
var (
	officialBackoff = gap{375 * time.Millisecond, 500 * time.Millisecond}
	azureBackoff    = gap{640 * time.Millisecond, 1040 * time.Millisecond}
)

const (
	worked  = "Third time lucky. / stop"
	refused = "nothing / error: status 429"
	gone    = "nothing / error: status 503"
)

var retryCases = []struct {
	title, replies string
	want           map[string]retried
}{
	{
		"Retry-After in seconds, then in milliseconds", `
  - times: 1
    error: { status: 429, retry_after: 3s }
  - times: 1
    error: { status: 503, headers: { Retry-After-Ms: "250" } }
`, map[string]retried{
			"openai-go": {[]gap{exactly(3 * time.Second), exactly(250 * time.Millisecond)}, "in_time in_time", worked},
			"azopenai":  {[]gap{exactly(3 * time.Second), exactly(250 * time.Millisecond)}, "in_time in_time", worked},
			"go-openai": {outcome: refused},
		},
	},
	{
		"Retry-After as a date", `
  - times: 1
    error: { status: 429, headers: { Retry-After: "Sat, 01 Jan 2000 00:00:07 GMT" } } # a bubble's time begins that day
`, map[string]retried{
			"openai-go": {[]gap{exactly(7 * time.Second)}, "in_time", worked},
			"azopenai":  {[]gap{exactly(7 * time.Second)}, "in_time", worked},
			"go-openai": {outcome: refused},
		},
	},
	{
		"Retry-After of a minute and a half", `
  - times: 1
    error: { status: 429, retry_after: 90s }
`, map[string]retried{
			"openai-go": {[]gap{exactly(90 * time.Second)}, "in_time", worked},
			"azopenai":  {outcome: refused}, // its limit is a minute
			"go-openai": {outcome: refused},
		},
	},
	{
		"Retry-After of five minutes", `
  - times: 1
    error: { status: 429, retry_after: 5m }
`, map[string]retried{
			"openai-go": {outcome: refused}, // its limit is two minutes
			"azopenai":  {outcome: refused},
			"go-openai": {outcome: refused},
		},
	},
	{
		"X-Should-Retry: false", `
  - times: 1
    error: { status: 503, headers: { X-Should-Retry: "false" } }
`, map[string]retried{
			"openai-go": {outcome: gone},
			"azopenai":  {[]gap{azureBackoff}, "forbidden", worked}, // it does not know the header
			"go-openai": {outcome: gone},
		},
	},
	{
		"nothing said", `
  - times: 1
    error: { status: 503 }
`, map[string]retried{
			"openai-go": {[]gap{officialBackoff}, "", worked},
			"azopenai":  {[]gap{azureBackoff}, "", worked},
			"go-openai": {outcome: gone},
		},
	},
	{
		"closed before the headers", `
  - times: 1
    message: Never sent.
    end: refuse
`, map[string]retried{
			"openai-go": {[]gap{officialBackoff}, "", worked},
			"azopenai":  {[]gap{azureBackoff}, "", worked},
			"go-openai": {outcome: "nothing / error: broken off"},
		},
	},
	{
		"reset in mid-stream", `
  - times: 1
    message: { content: Half of it., by: all }
    end: reset
`, map[string]retried{ // no client retries an answer that has begun
			"openai-go": {outcome: "Half of it. / error: reset"},
			"azopenai":  {outcome: "Half of it. / error: reset"},
			"go-openai": {outcome: "Half of it. / error: reset"},
		},
	},
}

// A client that retries waits exactly as long as the server asks, in virtual time.
func TestRetries(t *testing.T) {
	t.Parallel()
	for _, c := range retryCases {
		for name, want := range c.want {
			t.Run(name+": "+c.title, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					fake := fakeopenai.NewServer(t, fakeopenai.InMemory(), fakeopenai.AllowUnused(),
						fakeopenai.YAML("name: fails\nreplies:"+c.replies+"  - message: Third time lucky.\n"))
					p := prompt{to: targetOf(fake), retries: 2}
					got := streamers[name](context.Background(), p)
					if got.String() != want.outcome {
						t.Errorf("got  %s\nwant %s", got, want.outcome)
					}
					checkCalls(t, fake.Calls(), name, want)
				})
			})
		}
	}
}

// checkCalls compares the server's report on calls with the retries of a client.
func checkCalls(t *testing.T, calls []journal.Call, client string, want retried) {
	t.Helper()
	if len(calls) != 1 {
		t.Fatalf("the server saw %d calls, want 1 with retries: %v", len(calls), calls)
	}
	call := calls[0]
	if len(call.Attempts) != 1+len(want.gaps) {
		t.Fatalf("%d attempts, want %d: %v", len(call.Attempts), 1+len(want.gaps), call)
	}
	if !call.SameBody {
		t.Errorf("the bodies differ: %v", call)
	}
	var verdicts []string
	for i, a := range call.Attempts {
		if counted := fmt.Sprint(i); client == "openai-go" && a.RetryCount != counted {
			t.Errorf("request %d has the retry count %q, want %q", i, a.RetryCount, counted)
		}
		if i == 0 {
			continue
		}
		if g := want.gaps[i-1]; a.Gap < g.from || a.Gap > g.to {
			t.Errorf("retry %d came after %v, want %v to %v", i, a.Gap, g.from, g.to)
		}
		verdicts = append(verdicts, string(a.Verdict))
	}
	if got := strings.TrimSpace(strings.Join(verdicts, " ")); got != want.verdicts {
		t.Errorf("verdicts = %q, want %q", got, want.verdicts)
	}
}
