package compat

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/fakeopenai/fakeopenai/fixtures"
	fakeopenai "github.com/fakeopenai/fakeopenai/httptest"
)

// table is expected.json: for each bundled scenario a request, and the answer that a
// client must read.
type table struct {
	Request members    `json:"request"` // members of every request
	Cases   []testCase `json:"cases"`
}

type members = map[string]json.RawMessage

type testCase struct {
	Fixture  string             `json:"fixture"`
	Title    string             `json:"title"`    // tells several cases of one fixture apart
	Request  members            `json:"request"`  // members in place of or beside the common ones
	Retries  int                `json:"retries"`  // how often a client may try again
	Streamed bool               `json:"streamed"` // the case is only for clients that stream
	Silent   bool               `json:"silent"`   // the stream goes silent, and a client without a limit waits
	Answer   *answer            `json:"answer"`
	Fault    *fault             `json:"fault"` // the failure, in place of Answer
	Unlike   map[string]outcome `json:"unlike"`
}

// outcome is what one client reads where it differs from the others, and why.
type outcome struct {
	Why     string   `json:"why"`
	Choices []choice `json:"choices"`
	NoUsage bool     `json:"no_usage"`
	Fault   *fault   `json:"fault"`
}

func readTable(t *testing.T) table {
	t.Helper()
	return readTableFrom(t, "expected.json")
}

func readTableFrom(t *testing.T, file string) table {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var tab table
	if err := json.Unmarshal(src, &tab); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	for i := range tab.Cases {
		c := &tab.Cases[i]
		if c.Title == "" {
			c.Title = c.Fixture
		}
		body := maps.Clone(tab.Request)
		maps.Copy(body, c.Request)
		c.Request = body
	}
	return tab
}

// expect returns the answer that the named client must read, or the failure that it must
// report.
func (c testCase) expect(client string) (*answer, *fault) {
	own, ok := c.Unlike[client]
	switch {
	case !ok:
		return c.Answer, c.Fault
	case own.Fault != nil:
		return nil, own.Fault
	}
	a := *c.Answer
	if own.Choices != nil {
		a.Choices = own.Choices
	}
	if own.NoUsage {
		a.Usage = nil
	}
	return &a, nil
}

// body is the JSON of the request, with the members of more in place of or beside its own.
func (c testCase) body(t *testing.T, more string) []byte {
	t.Helper()
	all := maps.Clone(c.Request)
	if more != "" {
		var extra members
		if err := json.Unmarshal([]byte(more), &extra); err != nil {
			t.Fatal(err)
		}
		maps.Copy(all, extra)
	}
	body, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func TestTableNamesEveryFixture(t *testing.T) {
	t.Parallel()
	var got []string
	for _, c := range readTable(t).Cases {
		got = append(got, c.Fixture)
	}
	for _, name := range fixtures.Names() {
		if !slices.Contains(got, name) && !slices.Contains(onlyResponses, name) {
			t.Errorf("expected.json says nothing about the fixture %s", name)
		}
	}
}

// onlyResponses are the bundled scenarios with output items, which only Responses can
// play.
var onlyResponses = []string{"responses-code-interpreter", "responses-image-partial", "responses-mcp-approval", "responses-web-search"}

// The scenarios in onlyResponses are refused on chat completions, and openai-go reads them
// on Responses.
func TestScenariosForResponsesAlone(t *testing.T) {
	t.Parallel()
	for _, name := range onlyResponses {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			to := start(t, name, fakeopenai.AllowUnmatched(), fakeopenai.Instant())
			_, err := openaiGo(t, to, testCase{Fixture: name, Request: readTable(t).Request})
			if failed, ok := errors.AsType[*openai.Error](err); !ok || failed.Code != "fake_unsayable" {
				t.Errorf("on chat completions: %v, want fake_unsayable", err)
			}
			client := openai.NewClient(option.WithBaseURL(to.baseURL), option.WithAPIKey(to.key), option.WithHTTPClient(to.client))
			stream := client.Responses.NewStreaming(t.Context(), responseParams(t, members{"model": []byte(`"gpt-4o"`), "input": []byte(`"Go on."`)}))
			defer stream.Close()
			var items []string
			for stream.Next() {
				switch e := stream.Current(); e.Type {
				case "response.output_item.done":
					items = append(items, e.Item.Type)
				case "response.completed":
					for i, item := range e.Response.Output {
						if i >= len(items) || items[i] != item.Type {
							t.Errorf("item %d is %s after the items %q", i, item.Type, items)
						}
					}
				}
			}
			if stream.Err() != nil || len(items) != 2 {
				t.Errorf("on Responses there are the items %q: %v", items, stream.Err())
			}
		})
	}
}

func TestTableGivesAReasonForEveryDifference(t *testing.T) {
	t.Parallel()
	for _, c := range readTable(t).Cases {
		for client, own := range c.Unlike {
			if own.Why == "" {
				t.Errorf("%s: no reason is given why %s differs", c.Title, client)
			}
			if _, ok := goClients[client]; !ok && !slices.Contains(nodeClients, client) {
				t.Errorf("%s: there is no client %q", c.Title, client)
			}
		}
	}
}
