package chat_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	_ "github.com/fakeopenai/fakeopenai/fixtures/testflag" // knows -update
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// serve plays YAML scenarios without pauses and returns the URL. Random choices and the clock
// are fixed.
func serve(t *testing.T, yaml string) string {
	t.Helper()
	set, problems := server.CheckFiles(yamlfile.Source{Name: "test.yaml", Data: []byte(yaml)})
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	return serveSet(t, set)
}

func serveSet(t *testing.T, set *scenarios.Set) string {
	t.Helper()
	s, err := server.New(server.Config{Scenarios: set, Seed: 1, Created: 1790000000, Speed: server.Instant})
	if err != nil {
		t.Fatal(err)
	}
	listening := httptest.NewServer(s)
	t.Cleanup(func() { s.Close(); listening.Close() })
	return listening.URL
}

// pinned is the part of a scenario that fixes the id of its answers.
const pinned = "\nenvelope: { id: cmpl-1 }\n"

// ask sends a request for a completion with these members, besides the model and a prompt, and
// returns the status and the body of the answer. A body that breaks off ends with the error in
// angle brackets.
func ask(t *testing.T, url, members string) (int, string) {
	t.Helper()
	body := `{"model":"gpt-3.5-turbo-instruct"`
	if !strings.Contains(members, `"prompt":`) {
		body += `,"prompt":"Say it"`
	}
	if members != "" {
		body += "," + members
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v1/completions", strings.NewReader(body+"}"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer sk-test")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil {
		got = append(got, "<"+err.Error()+">"...)
	}
	return res.StatusCode, string(got)
}

// play returns the answer of a scenario to one request, which must succeed.
func play(t *testing.T, yaml, members string) string {
	t.Helper()
	status, body := ask(t, serve(t, yaml+pinned), members)
	if status != http.StatusOK {
		t.Fatalf("status %d: %s", status, body)
	}
	return body
}

// events returns the data of the events of a stream, in order.
func events(body string) (list []string) {
	for line := range strings.Lines(body) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			list = append(list, strings.TrimSpace(data))
		}
	}
	return list
}

// parse parses a JSON text.
func parse(t *testing.T, text string) ojson.Value {
	t.Helper()
	v, err := ojson.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// said returns a stream as text, one line for each event: its only choice or its usage, and
// any other event as it is.
func said(t *testing.T, body string) string {
	t.Helper()
	var lines []string
	for _, event := range events(body) {
		if event == "[DONE]" {
			lines = append(lines, event)
			continue
		}
		v := parse(t, event)
		switch choices := v.Get("choices").Items(); {
		case len(choices) == 1:
			event = choices[0].String()
		case v.Get("usage").Kind() == ojson.ObjectKind:
			event = v.Get("usage").String()
		}
		lines = append(lines, event)
	}
	if at := strings.LastIndexByte(body, '<'); strings.HasSuffix(body, ">") && at >= 0 {
		lines = append(lines, body[at:])
	}
	return strings.Join(lines, "\n")
}

// wantSaid compares a stream with lines, as said returns them.
func wantSaid(t *testing.T, body string, want ...string) {
	t.Helper()
	if got, want := said(t, body), strings.Join(want, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// schema returns the published schema of a completion, streamed or not.
func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile("testdata/completion.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}
