package responses_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// serve plays YAML scenarios without pauses, with fixed ids and times, and returns the URL. The
// scenarios may break any rule.
func serve(t *testing.T, yaml string) string {
	t.Helper()
	list, problems := yamlfile.Parse("test.yaml", []byte(yaml))
	for _, s := range list {
		s.Quirks = append(s.Quirks, scenarios.Quirk{Rule: scenarios.AnyQuirk})
	}
	set, more := scenarios.Build(nil, list...)
	if err := append(problems, more...).Err(); err != nil {
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

// ask sends a request with these members besides model and input. It returns the status and the
// body; a body that breaks off ends with the error in angle brackets.
func ask(t *testing.T, url, members string, header ...string) (int, string) {
	t.Helper()
	body := `{`
	for _, m := range []string{`"model":"gpt-4o"`, `"input":"Say it"`} {
		if name, _, _ := strings.Cut(m, ":"); !strings.Contains(members, name+":") {
			body += m + ","
		}
	}
	body = strings.TrimSuffix(body+members, ",") + "}"
	return send(t, http.MethodPost, url+"/v1/responses", body, header...)
}

// send sends a request. It returns the status and the body, as ask does.
func send(t *testing.T, method, url, body string, header ...string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer sk-test")
	for _, field := range header {
		name, value, _ := strings.Cut(field, ": ")
		req.Header.Set(name, value)
	}
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

// onChat returns the stream of the same scenarios on chat completions.
func onChat(t *testing.T, url string) string {
	t.Helper()
	_, body := send(t, http.MethodPost, url+"/v1/chat/completions", `{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"Hi"}]}`)
	return body
}

const streamed = `"stream":true`

// play returns the body of the response to one request, which must succeed.
func play(t *testing.T, yaml, members string) string {
	t.Helper()
	status, body := ask(t, serve(t, yaml), members)
	if status != http.StatusOK {
		t.Fatalf("status %d: %s", status, body)
	}
	return body
}

// events returns the data of the events of a stream, in order. The name of each must be its
// type.
func events(t *testing.T, body string) (list []ojson.Value) {
	t.Helper()
	name := ""
	for line := range strings.Lines(body) {
		if value, ok := strings.CutPrefix(line, "event: "); ok {
			name = strings.TrimSpace(value)
		}
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok || strings.HasPrefix(data, "[DONE]") {
			continue
		}
		v := parse(t, data)
		if got := v.Get("type").Text(); got != name {
			t.Errorf("an event named %q is of the type %q", name, got)
		}
		list = append(list, v)
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

// told returns a stream as text, one line for each event: its type without "response.", and its
// content.
func told(t *testing.T, body string) string {
	t.Helper()
	var lines []string
	for i, e := range events(t, body) {
		line := strings.TrimPrefix(e.Get("type").Text(), "response.")
		for _, name := range []string{"output_index", "content_index", "summary_index", "delta", "text", "refusal", "arguments", "input", "annotation"} {
			if v := e.Get(name); !v.IsAbsent() {
				line += " " + v.String()
			}
		}
		if item := e.Get("item"); !item.IsAbsent() {
			line += " " + item.Get("type").Text() + " " + item.Get("status").Text()
		}
		if r := e.Get("response"); !r.IsAbsent() {
			line += " " + r.Get("status").Text()
		}
		if n, ok := e.Get("sequence_number").Int(); !ok || n != int64(i) {
			t.Errorf("event %d has the number %s", i, e.Get("sequence_number"))
		}
		lines = append(lines, strings.TrimSpace(line))
	}
	if strings.Contains(body, "data: [DONE]") {
		lines = append(lines, "[DONE]")
	}
	if at := strings.LastIndexByte(body, '<'); strings.HasSuffix(body, ">") && at >= 0 {
		lines = append(lines, body[at:])
	}
	return strings.Join(lines, "\n")
}

// wantTold compares the events after the opening ones with lines, as told returns them.
func wantTold(t *testing.T, body string, want ...string) {
	t.Helper()
	want = append([]string{"created in_progress", "in_progress in_progress"}, want...)
	if got, want := told(t, body), strings.Join(want, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// last returns the response object in the last event of a stream.
func last(t *testing.T, body string) ojson.Value {
	t.Helper()
	list := events(t, body)
	return list[len(list)-1].Get("response")
}

// wantContains reports which of these a text lacks.
func wantContains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("there is no %s in\n%s", part, text)
		}
	}
}

// unloadable checks that a scenario file is refused for this reason.
func unloadable(t *testing.T, yaml, reason string) {
	t.Helper()
	_, problems := server.CheckFiles(yamlfile.Source{Name: "test.yaml", Data: []byte(yaml)})
	if err := problems.Err(); err == nil || !strings.Contains(err.Error(), reason) {
		t.Errorf("got the error %v, want %q for\n%s", err, reason, yaml)
	}
}
