package importing_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/importing"
	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// inputs are the examples of each format, with good and bad entries.
func inputs(t testing.TB) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob("testdata/*.in")
	if err != nil || names == nil {
		t.Fatal("no example", err)
	}
	list := map[string][]byte{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		list[strings.TrimSuffix(filepath.Base(name), ".in")] = data
	}
	return list
}

// imported returns the remarks about a file and the scenario files made of it.
func imported(t testing.TB, name string, data []byte) string {
	t.Helper()
	var im importing.Importer
	found := im.Add(name, data)
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: imported %d\n", found.Format, found.Imported)
	for _, r := range found.Notes {
		fmt.Fprintf(&b, "# note: %s\n", r)
	}
	for _, r := range found.Skipped {
		fmt.Fprintf(&b, "# skipped: %s\n", r)
	}
	for _, r := range found.Unread {
		fmt.Fprintf(&b, "# not read: %s\n", r)
	}
	list, notes := im.Files()
	for _, n := range notes {
		fmt.Fprintf(&b, "# %s: %s\n", n.Scenario, n.Reason)
	}
	var sources []yamlfile.Source
	for _, f := range list {
		sources = append(sources, yamlfile.Source{Name: f.Name, Data: f.Data})
		fmt.Fprintf(&b, "\n# %s\n%s", f.Name, f.Data)
	}
	if len(sources) > 0 {
		if _, problems := server.CheckFiles(sources...); len(problems) > 0 {
			t.Errorf("%s: what was written is refused: %v", name, problems)
		}
	}
	return b.String()
}

func TestFormatsBecomeScenarios(t *testing.T) {
	t.Parallel()
	for name, data := range inputs(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testflag.Golden(t, filepath.Join("testdata", name+".golden"), imported(t, name+".in", data))
		})
	}
}

// Line ends after an answer in one piece do not keep it from being a message; where it is none, they stay.
func TestLineEndsAfterAnAnswer(t *testing.T) {
	t.Parallel()
	set, problems := server.CheckFiles(yamlfile.Source{Name: "x.yaml", Data: []byte("name: x\nmessage: Hi\n")})
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	fake, err := server.New(server.Config{Scenarios: set})
	if err != nil {
		t.Fatal(err)
	}
	defer fake.Close()
	answer := httptest.NewRecorder()
	fake.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/chat/completions", strings.NewReader(`{"model":"gpt-4o","messages":[{"role":"user","content":"Hi"}]}`)))
	const noted = "# note: line 1: line ends"
	for _, tt := range []struct {
		data  string
		notes int
		want  string
	}{
		{answer.Body.String(), 0, "message:"},
		{answer.Body.String() + "\r\n\n", 1, "message:"},
		{strings.TrimSpace(answer.Body.String()), 1, "message:"},
		{`{"choices":[]}` + "\n\n", 0, `}\n\n"`},
	} {
		if got := imported(t, "x.json", []byte(tt.data)); strings.Count(got, noted) != tt.notes || !strings.Contains(got, tt.want) {
			t.Errorf("%q is\n%s", tt.data, got)
		}
	}
}

// An answer whose request is unknown is the same whichever model is asked for.
func TestWhatDependsOnTheModelIsWritten(t *testing.T) {
	t.Parallel()
	plain := answering(t, yamlfile.Source{Name: "x.yaml", Data: []byte("name: x\nmessage: Hi\n")})
	for _, recorded := range []string{"gpt-4o", "gpt-5", "o3"} {
		answer := plain(recorded)
		var im importing.Importer
		im.Add("answer.json", []byte(answer))
		files, _ := im.Files()
		again := answering(t, yamlfile.Source{Name: files[0].Name, Data: files[0].Data})
		for _, asked := range []string{"gpt-4o", "gpt-5", "o3", "other"} {
			if got := again(asked); got != answer {
				t.Errorf("an answer of %s to a request for %s is\n%s\nwant\n%s\n%s", recorded, asked, got, answer, files[0].Data)
			}
		}
	}
}

// answering returns the answers of a scenario to requests for a model.
func answering(t *testing.T, file yamlfile.Source) func(model string) string {
	t.Helper()
	set, problems := server.CheckFiles(file)
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	fake, err := server.New(server.Config{Scenarios: set})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(fake.Close)
	return func(model string) string {
		answer := httptest.NewRecorder()
		fake.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/responses", strings.NewReader(`{"model":"`+model+`","input":"Hi"}`)))
		return answer.Body.String()
	}
}

// A conversation and what goes on from a response are imported from an archive with the requests that begin them. What
// becomes no scenario is named, and why.
func TestWhatAServerKeepsIsImported(t *testing.T) {
	t.Parallel()
	const up = `name: up
replies:
  - when: { turn: 1 }
    message: { tool_calls: [{ id: call_1, name: f, arguments: "{}" }] }
  - message: done after {{ .turn }}
`
	var entries []string
	// loop notes what the client gets in the end, and adds an entry for each request.
	loop := func(fake http.Handler) (got string) {
		ask := func(method, path, body string) (answer ojson.Value) {
			w := httptest.NewRecorder()
			fake.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body)))
			entries = append(entries, fmt.Sprintf(`{"startedDateTime":"2026-01-02T03:04:05Z","request":{"method":%q,"url":"https://api.openai.com%s","headers":[],"postData":{"mimeType":"application/json","text":%q}},
				"response":{"status":%d,"headers":[{"name":"Content-Type","value":"application/json"}],"content":{"mimeType":"application/json","text":%s}},"timings":{}}`,
				method, path, body, w.Code, ojson.String(w.Body.String())))
			answer, _ = ojson.Parse(w.Body.Bytes())
			return answer
		}
		job := ask(http.MethodPost, "/v1/responses", `{"model":"gpt-4o","input":"Begin"}`)
		ask(http.MethodGet, "/v1/responses/"+job.Get("id").Text()+"?include%5B%5D=file_search_call.results", "")
		result := fmt.Sprintf(`"input":[{"type":"function_call_output","call_id":%q,"output":"x"}]}`, job.Get("output").Items()[0].Get("call_id").Text())
		got += ask(http.MethodPost, "/v1/responses", `{"model":"gpt-4o","previous_response_id":"`+job.Get("id").Text()+`",`+result).Get("output").Items()[0].Get("content").String()
		kept := ask(http.MethodPost, "/v1/conversations", `{"items":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Ho"}]}`).Get("id").Text()
		for range 2 {
			got += ask(http.MethodPost, "/v1/responses", `{"model":"gpt-4o","conversation":"`+kept+`","input":"Go on"}`).Get("output").Items()[0].Get("content").String()
		}
		return got
	}
	want := loop(fakeOf(t, yamlfile.Source{Name: "up.yaml", Data: []byte(up)}))
	archive := `{"log":{"version":"1.2","entries":[` + strings.Join(entries, ",") + `,{"request":{"method":"GET","url":"https://api.openai.com/v1/models"},"response":{"status":200,"content":{"text":"{}"}}}]}}`
	var im importing.Importer
	found := im.Add("job.har", []byte(archive))
	list, notes := im.Files()
	var sources []yamlfile.Source
	for _, f := range list {
		sources = append(sources, yamlfile.Source{Name: f.Name, Data: f.Data})
	}
	if got := loop(fakeOf(t, sources...)); got != want || len(list) != 5 || len(notes)+len(found.Unread) > 0 {
		t.Errorf("replayed is %s, want %s\n%v %v\n%v", got, want, notes, found.Unread, list)
	}
	said := fmt.Sprint(found.Skipped)
	for _, part := range []string{"POST /v1/conversations: the server answers this by itself"} {
		if !strings.Contains(said, part) {
			t.Errorf("skipped is %s, without %q", said, part)
		}
	}
}

// recorded is a call of an application.
type recorded struct {
	method, path, kind, body string
	status                   int
	answerKind, answer       string
}

// shapesOf are files with calls, as browsers and the recorders for tests write them. The archives of
// browsers also have what shows a page.
func shapesOf(calls []recorded) map[string]string {
	list := map[string]string{
		"browser.har": `{"log":{"entries":[{"request":{"method":"GET","url":"https://chat.example.com/style.css","headers":[{"name":"sec-fetch-dest","value":"style"}]},"response":{"status":0}}`,
		"polly.har":   `{"log":{"entries":[`, "vcr.py.yaml": "interactions:\n", "httpx.yaml": "interactions:\n", "aiohttp.yaml": "interactions:\n",
		"vcr.rb.yml": "---\nhttp_interactions:\n", "betamax.json": `{"recorded_with":"betamax \ud83d\ude00","http_interactions":[`,
	}
	for i, c := range calls {
		comma := strings.Repeat(",", min(1, i))
		body, packed := ojson.String(c.body), base64.StdEncoding.EncodeToString([]byte(c.answer))
		half := len(c.answer) / 2
		pieces := func(encode func([]byte) string) string {
			return ojson.String(fmt.Sprintf(`[%q,%q]`, encode([]byte(c.answer[:half])), encode([]byte(c.answer[half:])))).String()
		}
		entry := fmt.Sprintf(`{"request":{"method":%q,"url":"https://gateway.example.com/openai%s","headers":[{"name":"Content-Type","value":%q},{"name":"Sec-Fetch-Dest","value":"empty"}],"postData":{"text":%s}},
			"response":{"status":%d,"headers":[{"name":"Content-Type","value":%q}],"content":`, c.method, c.path, c.kind, body, c.status, c.answerKind)
		list["browser.har"] += "," + entry + fmt.Sprintf(`{"encoding":"base64","text":%q}}}`, packed)
		list["polly.har"] += comma + entry + fmt.Sprintf(`{"encoding":"base64","text":%s}}}`, pieces(base64.StdEncoding.EncodeToString))
		small, uri := strings.ToLower(c.method), "https://api.openai.com"+c.path
		list["vcr.py.yaml"] += fmt.Sprintf("- request: {method: %s, uri: %q, headers: {Content-Type: [%q]}, body: %s}\n  response: {status: {code: %d}, headers: {Content-Type: [%q]}, body: {base64_string: %q}}\n",
			c.method, uri, c.kind, body, c.status, c.answerKind, packed)
		form := body
		if strings.HasPrefix(c.body, "--") {
			form = ojson.String(base64.StdEncoding.EncodeToString([]byte(c.body)))
		}
		list["httpx.yaml"] += fmt.Sprintf("- request: {method: %s, uri: %q, headers: {content-type: [%q]}, body: %s}\n  response: {status_code: %d, http_version: HTTP/1.1, headers: {content-type: [%q]}, content: !!binary %q}\n",
			c.method, uri, c.kind, form, c.status, c.answerKind, packed)
		list["aiohttp.yaml"] += fmt.Sprintf("- request:\n    method: %s\n    uri: %q\n    body: %s\n    headers:\n      ? !!python/object/apply:multidict._multidict.istr\n      - Content-Type\n      : - %q\n      ? !!python/object/new:multidict._multidict.istr\n      - Accept\n      : - a\n  response: {status: {code: %d}, headers: {Content-Type: [%q]}, body: {string: !!binary %q}}\n",
			c.method, uri, body, c.kind, c.status, c.answerKind, packed)
		list["vcr.rb.yml"] += fmt.Sprintf("- request:\n    method: %s\n    uri: %q\n    headers: {Content-Type: [%q]}\n    body: {encoding: UTF-8, string: %s}\n  response:\n    status: {code: %d}\n    headers: {Content-Type: [%q]}\n    body:\n      encoding: ASCII-8BIT\n      string: !binary |-\n        %s\n  recorded_at: Thu, 01 Jan 2026 00:00:00 GMT\n",
			small, uri, c.kind, body, c.status, c.answerKind, packed)
		list["betamax.json"] += comma + fmt.Sprintf(`{"request":{"method":%q,"uri":%q,"headers":{"Content-Type":[%q]},"body":{"encoding":"utf-8","string":%s}},"response":{"status":{"code":%d},"headers":{"Content-Type":[%q]},"body":{"base64_string":%q}}}`,
			c.method, uri, c.kind, body, c.status, c.answerKind, packed)
	}
	for name := range list {
		list[name] += map[string]string{".har": `]}}`, ".json": `]}`}[filepath.Ext(name)]
	}
	return list
}

// The calls of a whole application play again with their answers, from each kind of file. What a browser
// asked for to show a page is skipped.
func TestWholeApplicationsAreImported(t *testing.T) {
	t.Parallel()
	const vectors = "{\n  \"object\": \"list\",\n  \"data\": [\n    {\n      \"embedding\": [\n        0.10,\n        -1e-05\n      ]\n    }\n  ]\n}\n"
	upload := func(name string) string {
		return "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + name + "\"\r\nContent-Type: text/plain\r\n\r\nIt rains.\r\n--b--\r\n"
	}
	const json, form, none = "application/json", "multipart/form-data; boundary=b", ""
	calls := []recorded{
		{http.MethodPost, "/v1/embeddings", json, `{"model":"text-embedding-3-small","input":"Rain"}`, 200, json, vectors},
		{http.MethodPost, "/v1/embeddings", json, `{"model":"text-embedding-3-small","input":["Rain"],"encoding_format":"base64"}`, 200, json, `{"object":"list","data":[{"embedding":"AACAPw=="}]}`},
		{http.MethodPost, "/v1/moderations", json, `{"input":"Rain"}`, 429, json, `{"error":{"message":"Slow down.","type":"requests","param":null,"code":"rate_limit_exceeded"}}`},
		{http.MethodPost, "/v1/files", form, upload("a.txt"), 200, json, `{"id":"file-a"}`},
		{http.MethodPost, "/v1/files", form, upload("b.txt"), 200, json, `{"id":"file-b"}`},
		{http.MethodGet, "/v1/files/file-a/content", none, "", 200, "application/octet-stream", "\x00\x01\xff{{"},
		{http.MethodGet, "/v1/batches/batch_1", none, "", 200, json, `{"id":"batch_1","status":"in_progress"}`},
		{http.MethodGet, "/v1/batches/batch_1", none, "", 200, json, `{"id":"batch_1","status":"completed"}`},
		{http.MethodPost, "/v1/audio/speech", json, `{"input":"Rain"}`, 200, "text/event-stream", "event: speech.audio.delta\ndata: {\"audio\":\"AA==\"}\n\ndata: [DONE]\n\n"},
		{http.MethodDelete, "/v1/files/file-a", none, "", 204, "", ""},
		{http.MethodPost, "/v1/chat/completions", json, `{"model":"gpt-4o","messages":[{"role":"user","content":"Hi"}]}`, 200, json, `{"choices":[]}`},
		{http.MethodPost, "/v1/responses/input_tokens", json, `{"model":"gpt-4o","input":"Rain"}`, 200, json, `{"object":"response.input_tokens","input_tokens":4711}`},
		{http.MethodPost, "/v1/responses/compact", json, `{"model":"gpt-4o","input":"Rain"}`, 200, json, `{"id":"resp_c","object":"response.compaction","output":[]}`},
		{http.MethodGet, "/v1/responses/resp_of_yesterday", none, "", 200, json, `{"id":"resp_of_yesterday","object":"response","output":[]}`},
		{http.MethodDelete, "/v1/responses/resp_of_yesterday", none, "", 200, json, `{"id":"resp_of_yesterday","deleted":true}`},
		{http.MethodPost, "/v1/chat/completions", json, `{"model":"milliseconds","stream":true,"messages":[{"role":"user","content":"Hi"}]}`, 200, "text/event-stream", `data: {"id":"c","object":"chat.completion.chunk","created":1753879648527,"model":"m","choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"},
	}
	for name, data := range shapesOf(calls) {
		var im importing.Importer
		found := im.Add(name, []byte(data))
		list, notes := im.Files()
		var sources []yamlfile.Source
		for _, f := range list {
			sources = append(sources, yamlfile.Source{Name: f.Name, Data: f.Data})
		}
		if found.Imported != len(calls) || len(found.Unread)+len(notes) > 0 || len(found.Skipped) != strings.Count(data, "style.css") {
			t.Errorf("%s: imported %d of %d, skipped %v, not read %v, notes %v", name, found.Imported, len(calls), found.Skipped, found.Unread, notes)
		}
		fake := fakeOf(t, sources...)
		for _, c := range calls {
			w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), c.method, c.path, strings.NewReader(c.body))
			r.Header.Set("Content-Type", c.kind)
			if fake.ServeHTTP(w, r); w.Code != c.status || w.Body.String() != c.answer {
				t.Errorf("%s: %s %s %s: got %d %q, want %d %q", name, c.method, c.path, c.body, w.Code, w.Body, c.status, c.answer)
			}
		}
	}
}

// A file of one call is a cassette, too.
func TestAFileOfOneCallIsImported(t *testing.T) {
	t.Parallel()
	got := imported(t, "one.json", []byte(`{"request":{"method":"POST","url":"https://api.openai.com/v1/embeddings","headers":{"Content-Type":"application/json"},"body":"{\"model\":\"text-embedding-3-small\",\"input\":\"Rain \ud83c\udf27\"}"},
		"response":{"status":{"code":200,"message":"OK"},"headers":{"Content-Type":"application/json"},"body":"{\"data\":[]}"}}`))
	if !strings.Contains(got, "imported 1\n") || !strings.Contains(got, `"Rain \U0001F327"`) {
		t.Error(got)
	}
}

// What cassettes leave out or write in a form of their own is understood, or the user is told.
func TestWhatCassettesLeaveOut(t *testing.T) {
	t.Parallel()
	const message = `{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Yes"},"finish_reason":"stop"}]}`
	for _, tt := range []struct {
		request, answer string
		want            []string
	}{
		{"{method: POST, uri: https://a.example/v1/chat/completions, body: null}", message, []string{"imported 1", "# note: line 2, interactions[0]: the file has no body of the request", "name: x\n", "Yes"}},
		{"{method: POST, uri: https://a.example/v1/chat/completions, body: {model: gpt-4o, messages: [{role: user, content: Why}]}}", message, []string{"imported 1", "name: why\n", `equals: "Why"`}},
		{"{method: POST, uri: 'http://localhost:11434/api/embeddings', body: '{\"model\":\"m\",\"prompt\":\"Rain\"}'}", `{"embedding":[0.5]}`, []string{"imported 1", `path: "/api/embeddings"`}},
		{"{method: POST, uri: https://a.example/v1/responses, body: '{\"model\":\"m\",\"input\":\"Go on\",\"previous_response_id\":\"resp_of_yesterday\"}'}", `{"id":"resp_2","object":"response","output":[]}`,
			[]string{"imported 1", "# go-on-turn-2-responses: its request goes on from resp_of_yesterday, which is not recorded: record that, too, or serve with --any-id"}},
	} {
		got := imported(t, "x.yaml", fmt.Appendf(nil, "interactions:\n- request: %s\n  response: {status: {code: 200}, headers: {Content-Type: [application/json]}, body: {string: %s}}\n", tt.request, ojson.String(tt.answer)))
		for _, part := range tt.want {
			if !strings.Contains(got, part) {
				t.Errorf("%s: %q is not in\n%s", tt.request, part, got)
			}
		}
	}
}

// fakeOf is a server that plays files.
func fakeOf(t *testing.T, files ...yamlfile.Source) *server.Server {
	t.Helper()
	set, problems := server.CheckFiles(files...)
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	fake, err := server.New(server.Config{Scenarios: set, Speed: server.Instant})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(fake.Close)
	return fake
}
