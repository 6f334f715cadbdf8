package compat

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/ssestream"
	goopenai "github.com/sashabaranov/go-openai"

	fakeopenai "github.com/fakeopenai/fakeopenai/httptest"
)

// faultCase is a row of faults.json: the outcome of a scenario in faults.yaml for each
// client, by the client's name. An outcome is the text that arrived, a slash, and the
// finish reason or the error; "after 2s" follows if that took a second or longer.
//
// The member case is the name of the scenario, and patience the time limit that the
// client is given, if any.
type faultCase map[string]string

func (c faultCase) patience(t *testing.T) time.Duration {
	t.Helper()
	if c["patience"] == "" {
		return 0
	}
	d, err := time.ParseDuration(c["patience"])
	if err != nil {
		t.Fatalf("faults.json: %s: %v", c["case"], err)
	}
	return d
}

func readFaults(t *testing.T) []faultCase {
	t.Helper()
	src, err := os.ReadFile("faults.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []faultCase
	if err := json.Unmarshal(src, &cases); err != nil {
		t.Fatalf("faults.json: %v", err)
	}
	return cases
}

// large reports whether a case needs much CPU time. Such a case has no pauses, so that
// virtual time would show nothing.
func (c faultCase) large() bool { return strings.HasSuffix(c["case"], "-mb-event") }

// In virtual time a client gives up at the exact moment that faults.json says.
func TestFaultsInVirtualTime(t *testing.T) {
	t.Parallel()
	eachFault(t, slices.DeleteFunc(readFaults(t), faultCase.large), func(t *testing.T, ask func(target) told, want string) {
		synctest.Test(t, func(t *testing.T) {
			to := faulty(t, fakeopenai.InMemory())
			began := time.Now()
			got := ask(to).String()
			if took := time.Since(began).Truncate(time.Second); took > 0 {
				got = fmt.Sprintf("%s after %v", got, took)
			}
			if got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	})
}

// Over a socket the clients have the same outcomes as in memory.
func TestFaultsOverSockets(t *testing.T) {
	t.Parallel()
	eachFault(t, readFaults(t), func(t *testing.T, ask func(target) told, want string) {
		t.Parallel()
		want, _, _ = strings.Cut(want, " after ")
		if got := ask(faulty(t)).String(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

func eachFault(t *testing.T, cases []faultCase, run func(t *testing.T, ask func(target) told, want string)) {
	t.Helper()
	for name, stream := range streamers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, c := range cases {
				t.Run(c["case"], func(t *testing.T) {
					run(t, func(to target) told {
						return stream(context.Background(), prompt{to: to, scenario: c["case"], patience: c.patience(t)})
					}, c[name])
				})
			}
		})
	}
}

func faulty(t *testing.T, opts ...fakeopenai.Option) target {
	t.Helper()
	opts = append(opts, fakeopenai.File("faults.yaml"), fakeopenai.AllowUnused())
	fake := fakeopenai.NewServer(t, opts...)
	return target{fake.BaseURL, fake.APIKey, fake.Client()}
}

// String is the outcome in the notation of faults.json.
func (t told) String() string {
	text := t.text
	if len(text) > 100 {
		text = fmt.Sprintf("%d bytes", len(text))
	}
	if text == "" {
		text = "nothing"
	}
	switch {
	case t.err != nil:
		return text + " / error: " + describe(t.err)
	case t.finish == "":
		return text + " / no finish"
	}
	return text + " / " + t.finish
}

// describe names an error with a word common to all clients, or else with its own text.
func describe(err error) string {
	var network interface{ Timeout() bool }
	for _, known := range []struct {
		is   bool
		name string
	}{
		{errors.Is(err, context.Canceled), "cancelled"},
		{errors.Is(err, context.DeadlineExceeded), "time out"},
		{errors.As(err, &network) && network.Timeout(), "time out"},
		{errors.Is(err, syscall.ECONNRESET), "reset"},
		{errors.Is(err, syscall.ECONNREFUSED), "refused"},
		{errors.Is(err, io.ErrUnexpectedEOF), "broken off"},
		{errors.Is(err, io.EOF), "broken off"},
		{errors.Is(err, bufio.ErrTooLong), "too long"},
		{isJSON(err), "bad JSON"},
	} {
		if known.is {
			return known.name
		}
	}
	return describeAPI(err)
}

func isJSON(err error) bool {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	return errors.As(err, &syntax) || errors.As(err, &kind) || strings.Contains(err.Error(), "unexpected end of JSON input") ||
		strings.HasPrefix(err.Error(), "unmarshalling type")
}

// describeAPI describes an error of the API: its HTTP status, or that it came in the stream.
func describeAPI(err error) string {
	var official *openai.Error
	var inStream *ssestream.StreamError
	var community *goopenai.APIError
	var request *goopenai.RequestError
	var azure *azcore.ResponseError
	switch {
	case errors.As(err, &official):
		return fmt.Sprint("status ", official.StatusCode)
	case errors.As(err, &inStream):
		return "error in the stream"
	case errors.As(err, &community) && community.HTTPStatusCode != 0:
		return fmt.Sprint("status ", community.HTTPStatusCode)
	case errors.As(err, &community):
		return "error in the stream"
	case errors.As(err, &request):
		return fmt.Sprint("status ", request.HTTPStatusCode)
	case errors.As(err, &azure):
		return fmt.Sprint("status ", azure.StatusCode)
	}
	return err.Error()
}

func TestFaultTableNamesEveryScenarioAndClient(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile("faults.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var written []string
	for line := range strings.Lines(string(src)) {
		if name, ok := strings.CutPrefix(line, "name: "); ok {
			written = append(written, strings.TrimSpace(name))
		}
	}
	var listed []string
	for _, c := range readFaults(t) {
		listed = append(listed, c["case"])
		for _, client := range faultyClients {
			if c[client] == "" {
				t.Errorf("%s: nothing is said about %s", c["case"], client)
			}
		}
	}
	if !slices.Equal(written, listed) {
		t.Errorf("faults.json has the cases\n%q\nbut faults.yaml the scenarios\n%q", listed, written)
	}
}

var faultyClients = []string{"openai-go", "go-openai", "azopenai", "node for await", "node stream()"}
