package compat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The clients that read frameworks.yaml. Those in loops run the tools that the model
// calls; the others return the calls.
var (
	officialClients = []string{"openai-go", "node for await", "node stream()"}
	loops           = []string{"agents", "ai", "langchain", "node runTools()"}
)

// readers are the clients that can use a surface.
func readers(surface string) []string {
	all := slices.Concat(officialClients, loops)
	if surface == "chat" {
		return all
	}
	return slices.DeleteFunc(all, func(name string) bool { return name == "node runTools()" }) // runTools() exists only for chat completions
}

// frameworkCase is a case of frameworks.json.
type frameworkCase struct {
	Scenario string                     `json:"scenario"`
	Surface  string                     `json:"surface"` // responses by default
	Request  members                    `json:"request"` // further members of the request
	Retries  int                        `json:"retries"` // how often a client may try again
	Hold     string                     `json:"hold"`    // a hold to release on the way
	Want     reading                    `json:"want"`
	Unlike   map[string]json.RawMessage `json:"unlike"` // by client: the members of want that differ, and why
}

func readFrameworks(t *testing.T) []frameworkCase {
	t.Helper()
	src, err := os.ReadFile("frameworks.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []frameworkCase
	fromJSON(t, src, &cases)
	for i := range cases {
		if cases[i].Surface == "" {
			cases[i].Surface = "responses"
		}
		if cases[i].Want.Requests == 0 {
			cases[i].Want.Requests = 1
		}
	}
	return cases
}

// expect is the reading that a client must have of the case.
func (c *frameworkCase) expect(t *testing.T, client string) reading {
	t.Helper()
	want := c.Want
	if !slices.Contains(loops, client) {
		want.Ran = nil
	}
	own := members{}
	if c.Unlike[client] != nil {
		fromJSON(t, c.Unlike[client], &own)
	}
	delete(own, "why")
	return want.with(t, own)
}

func (c *frameworkCase) ask(client string) inquiry {
	return inquiry{Client: client, Scenario: c.Scenario, Surface: c.Surface, Retries: c.Retries, Request: c.Request, Hold: c.Hold}
}

// The official clients and the frameworks built on them read from the scenarios of
// frameworks.yaml what frameworks.json says. All use one server.
func TestFrameworks(t *testing.T) {
	t.Parallel()
	requireNode(t)
	url := serve(t, build(t), "frameworks.yaml")
	var asked []inquiry
	var wants []reading
	for _, c := range readFrameworks(t) {
		for _, client := range readers(c.Surface) {
			asked = append(asked, c.ask(client))
			wants = append(wants, c.expect(t, client))
		}
	}
	for i, got := range readAll(t, url, asked) {
		t.Run(asked[i].title(), func(t *testing.T) {
			if d := wants[i].diff(got); d != "" {
				t.Error(d)
			}
		})
	}
}

func (q inquiry) title() string { return fmt.Sprintf("%s/%s/%s", q.Client, q.Surface, q.Scenario) }

// goReaders are the clients written in Go.
var goReaders = map[string]func(t *testing.T, url string, q inquiry) reading{
	"openai-go":  readOpenAIGo,
	"few events": readFewEvents, // for Responses alone
}

// readAll makes all inquiries and returns the readings in the same order. One process of
// Node runs all the Node clients.
func readAll(t *testing.T, url string, asked []inquiry) []reading {
	t.Helper()
	var ofNode []inquiry
	for i := range asked {
		asked[i].Key = "sk-" + notInKeys.ReplaceAllString(asked[i].title(), "-")
		if goReaders[asked[i].Client] == nil {
			ofNode = append(ofNode, asked[i])
		}
	}
	fromNode := askNode(t, url, ofNode)
	if len(fromNode) != len(ofNode) {
		t.Fatalf("Node has %d answers to %d inquiries", len(fromNode), len(ofNode))
	}
	var all []reading
	for _, q := range asked {
		if read := goReaders[q.Client]; read != nil {
			all = append(all, read(t, url, q))
			continue
		}
		all = append(all, fromNode[0])
		fromNode = fromNode[1:]
	}
	return all
}

var notInKeys = regexp.MustCompile(`\W+`)

func askNode(t *testing.T, url string, asked []inquiry) []reading {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", "ask.mjs")
	cmd.Dir = "node"
	cmd.Env = append(os.Environ(), "FAKEOPENAI_URL="+url)
	cmd.Stdin = strings.NewReader(text(asked))
	var log bytes.Buffer
	cmd.Stderr = &log
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node ask.mjs: %v\n%s", err, &log)
	}
	var got []reading
	fromJSON(t, out, &got)
	return got
}

func TestFrameworkTableIsWhole(t *testing.T) {
	t.Parallel()
	var played []string
	for _, c := range readFrameworks(t) {
		played = append(played, c.Scenario)
		for client, src := range c.Unlike {
			var own struct{ Why string }
			fromJSON(t, src, &own)
			if own.Why == "" || !slices.Contains(readers(c.Surface), client) {
				t.Errorf("%s on %s: there is no client %q, or no reason why it differs", c.Scenario, c.Surface, client)
			}
		}
	}
	for _, name := range scenarioNames(t, "frameworks.yaml") {
		if !slices.Contains(played, name) {
			t.Errorf("frameworks.json says nothing about the scenario %s", name)
		}
	}
}

// scenarioNames are the names of the scenarios in a file, in order.
func scenarioNames(t *testing.T, file string) []string {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(string(src)) {
		if name, ok := strings.CutPrefix(line, "name: "); ok {
			names = append(names, strings.TrimSpace(name))
		}
	}
	return names
}
