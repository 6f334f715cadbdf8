package chat_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	_ "github.com/fakeopenai/fakeopenai/fixtures/testflag" // knows -update
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// serve plays YAML scenarios without pauses. Random choices and the clock are fixed.
func serve(t *testing.T, yaml string) *server.Server {
	t.Helper()
	set, problems := server.CheckFiles(yamlfile.Source{Name: "test.yaml", Data: []byte(yaml)})
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	return serveSet(t, set)
}

func serveSet(t *testing.T, set *scenarios.Set) *server.Server {
	t.Helper()
	s, err := server.New(server.Config{Scenarios: set, Seed: 1, Created: 1790000000, Speed: server.Instant})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// pinned is the part of a scenario that fixes the id of its answers.
const pinned = "\nenvelope: { id: cmpl-1 }\n"

// ask sends a request for a completion with these members, besides the model and a prompt, and
// returns the status and the body of the answer.
func ask(t *testing.T, s *server.Server, members string) (int, string) {
	t.Helper()
	if !strings.Contains(members, `"prompt":`) {
		members = strings.TrimSuffix(`"prompt":"Say it",`+members, ",")
	}
	r := httptest.NewRequest(http.MethodPost, "/v1/completions", strings.NewReader(`{"model":"gpt-3.5-turbo-instruct",`+members+"}"))
	r.Header.Set("Authorization", "Bearer sk-test")
	answer := httptest.NewRecorder()
	s.ServeHTTP(answer, r)
	return answer.Code, answer.Body.String()
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

// wantSaid compares a stream with lines, one for each event: its only choice or its usage, and
// any other event as it is.
func wantSaid(t *testing.T, body string, want ...string) {
	t.Helper()
	lines := events(body)
	for i, event := range lines {
		if event == done {
			continue
		}
		v := object(t, event)
		switch choices := v.Get("choices").Items(); {
		case len(choices) == 1:
			lines[i] = choices[0].String()
		case v.Get("usage").Kind() == ojson.ObjectKind:
			lines[i] = v.Get("usage").String()
		}
	}
	if got, want := strings.Join(lines, "\n"), strings.Join(want, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
