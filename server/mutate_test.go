package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/fixtures"
	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// mutated returns the fixtures to which mutated requests are sent: all except those that take
// time at any speed.
func mutated() []string {
	return slices.DeleteFunc(fixtures.Names(), func(name string) bool {
		text, err := fixtures.FS.ReadFile(name + ".yaml")
		return err != nil || bytes.Contains(text, []byte("stall:")) || bytes.Contains(text, []byte("split:"))
	})
}

// mutationTargets returns two servers that play these fixtures, one lenient and one strict.
var mutationTargets = sync.OnceValues(func() ([]*server.Server, error) {
	files := mutated()
	for i := range files {
		files[i] += ".yaml"
	}
	set, err := yamlfile.Load(fixtures.FS, files...)
	if err != nil {
		return nil, err
	}
	var servers []*server.Server
	for _, strict := range []bool{false, true} {
		s, err := server.New(server.Config{
			Scenarios: set, Default: fixtures.Default, Speed: server.Instant, Strict: strict, CheckHistory: strict,
			AllowGet: !strict, JournalSize: 1, MaxBody: 1 << 20,
		})
		if err != nil {
			return nil, err
		}
		servers = append(servers, s)
	}
	return servers, nil
})

// usual has a request for each of the first paths, with all members that the API reads; the
// strictest server accepts them.
var usual = [3]string{`{"model":"gpt-4o","stream":true,"n":1,"user":"u","messages":[{"role":"system","content":"s"},` +
	`{"role":"user","content":[{"type":"text","text":"hi"},{"type":"image_url","image_url":{"url":"http://x/y.png"}}]},` +
	`{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},` +
	`{"role":"tool","tool_call_id":"c","content":"r"}],"tools":[{"type":"function","function":{"name":"f","strict":true,` +
	`"parameters":{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"additionalProperties":false}}}],` +
	`"tool_choice":"auto","response_format":{"type":"json_schema","json_schema":{"name":"s","schema":{"type":"object","properties":{}}}},` +
	`"stream_options":{"include_usage":true,"include_obfuscation":true},"logprobs":true,"top_logprobs":2,"seed":1,"stop":["x"],` +
	`"temperature":1,"top_p":1,"logit_bias":{"50256":1},"metadata":{"k":"v"},"store":true,` +
	`"prediction":{"type":"content","content":"x"},"parallel_tool_calls":true,"service_tier":"auto","max_completion_tokens":9}`,
	`{"model":"gpt-3.5-turbo-instruct","stream":true,"prompt":["a","b"],"echo":true,"best_of":1,"suffix":"x","n":1,"user":"u",` +
		`"logprobs":2,"stop":["x"],"seed":1,"temperature":1,"top_p":1,"logit_bias":{"50256":1},"max_tokens":5,` +
		`"presence_penalty":0.5,"frequency_penalty":0.5,"stream_options":{"include_usage":true}}`,
	`{"model":"gpt-4o","stream":true,"instructions":"s","user":"u","input":[{"role":"user","content":[{"type":"input_text","text":"hi"},` +
		`{"type":"input_image","image_url":"http://x/y.png","detail":"auto"}]},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},` +
		`{"type":"function_call_output","call_id":"c","output":"r"}],"tools":[{"type":"function","name":"f","strict":true,` +
		`"parameters":{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"additionalProperties":false}}],` +
		`"tool_choice":"auto","text":{"format":{"type":"json_schema","name":"s","schema":{"type":"object","properties":{}}}},` +
		`"stream_options":{"include_obfuscation":true},"include":["message.output_text.logprobs"],"top_logprobs":2,"temperature":1,"top_p":1,` +
		`"metadata":{"k":"v"},"store":true,"parallel_tool_calls":true,"service_tier":"auto","truncation":"auto","max_output_tokens":99}`}

// wrong are the values that replace the value of each member.
var wrong = []string{
	`null`, `true`, `0`, `-1`, `1.5`, `1e999`, `-0`, `99999999999999999999999`, `""`, `"\u0000\r\n"`, `"x"`, `[]`, `{}`, `[null]`, `[[]]`, `[{}]`,
	`[1,2,3]`, `{"":null}`, `{"type":"function"}`, `{"type":[]}`, `[{"type":{}}]`, `"` + strings.Repeat("a", 5000) + `"`,
	strings.Repeat("[", 990) + strings.Repeat("]", 990), `{"a":1,"a":2}`, "\"\xff\"", `"\ud800"`, `{"$ref":"#"}`, `{"type":"string","pattern":"("}`,
}

// key is the API key header that the strict server requires.
var key = []string{"Authorization", "Bearer k"}

// paths are the paths to which requests go.
var paths = []string{
	"/v1/chat/completions", "/v1/completions", "/v1/responses", "/chat/completions", "/openai/deployments/gpt-4o/chat/completions?api-version=1",
	"/openai/deployments/a%2Fb/completions", "/v1/models", "/v1/models/fake:%2e%2e", "/v1//chat/completions", "/v1/chat/completions/", "/responses", "/%00",
}

// checkExchange sends a request and checks what must hold for every exchange.
func checkExchange(t *testing.T, s *server.Server, scenario, method, path, body string, header ...string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "http://127.0.0.1"+path, strings.NewReader(body))
	if err != nil {
		return // no client could send it
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Add(header[i], header[i+1])
	}
	if scenario != "" {
		req.Header.Set("X-Fakeopenai-Scenario", scenario)
	}
	before := lastID(s)
	w := httptest.NewRecorder()
	broken := serveTo(s, w, req)
	e, ok := s.JournalEntry(0)
	if !ok || e.ID != before+1 {
		t.Errorf("%s %s: the journal has request %d after %d", method, path, e.ID, before)
		return
	}
	asked := fmt.Sprintf("%s %s of %s with %.3000q", method, path, scenario, body)
	if e.Fault || e.Status >= 500 && (e.Problem != "" || e.Scenario == "") {
		t.Errorf("%s: status %d, which nobody wrote: %s", asked, e.Status, e.Problem)
	}
	if e.Status >= 400 && e.Status < 500 && e.Problem == "" && e.Scenario == "" {
		t.Errorf("%s: status %d without a reason", asked, e.Status)
	}
	if problem := malformed(&e, w, broken); problem != "" {
		t.Errorf("%s: %s: %.600q", asked, problem, w.Body)
	}
}

// unlike are fixtures whose answers deliberately have a form that no API returns.
var unlike = map[string]bool{"bad-gateway": true}

// malformed returns what is wrong with the form of an answer, or "". Refusals of the server
// and errors of scenarios must be error objects, an answer that is not streamed a JSON object,
// and the data of a stream's events JSON objects.
func malformed(e *journal.Entry, w *httptest.ResponseRecorder, broken bool) string {
	switch {
	case broken || e.Method == http.MethodHead || w.Body.Len() == 0 || unlike[e.Scenario]:
		return ""
	case e.Status >= 400:
		return notAnError(w.Body.Bytes())
	case e.Scenario == "":
		if !json.Valid(w.Body.Bytes()) {
			return "the answer is no JSON"
		}
	case strings.HasPrefix(w.Header().Get("Content-Type"), "text/event-stream"):
		return notAStream(w.Body.String())
	case e.Delivery.Ended == journal.EndedComplete:
		var object map[string]json.RawMessage
		if err := json.Unmarshal(w.Body.Bytes(), &object); err != nil || len(object) == 0 {
			return "the answer is no JSON object"
		}
	}
	return ""
}

// notAnError returns why a body is not an error as OpenAI sends it, or "".
func notAnError(body []byte) string {
	var whole struct {
		Error map[string]json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(body, &whole); err != nil {
		return "the error is no JSON"
	}
	var message string
	if err := json.Unmarshal(whole.Error["message"], &message); err != nil || message == "" {
		return "the error has no message"
	}
	for _, member := range []string{"type", "param", "code"} {
		if _, ok := whole.Error[member]; !ok {
			return "the error has no " + member
		}
	}
	return ""
}

// notAStream returns why a body is not a stream of server-sent events whose data are JSON objects, or "".
func notAStream(body string) string {
	if !utf8.ValidString(body) {
		return "the stream is no UTF-8"
	}
	body = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(body)
	if !strings.HasSuffix(body, "\n\n") {
		return "the stream ends inside an event"
	}
	for event := range strings.SplitSeq(strings.TrimPrefix(body, "\ufeff"), "\n\n") {
		var data []string
		for line := range strings.SplitSeq(event, "\n") {
			field, value, _ := strings.Cut(line, ":")
			switch {
			case field == "data":
				data = append(data, strings.TrimPrefix(value, " "))
			case line != "" && field != "" && field != "event" && field != "id" && field != "retry":
				return fmt.Sprintf("an event has the line %q", line)
			}
		}
		var object map[string]json.RawMessage
		if text := strings.Join(data, "\n"); text != "" && text != "[DONE]" && json.Unmarshal([]byte(text), &object) != nil {
			return fmt.Sprintf("an event has the data %.200q", text)
		}
	}
	return ""
}

// The functions that look for malformed answers find them, and accept good ones.
func TestMalformedAnswersAreFound(t *testing.T) {
	t.Parallel()
	for body, form := range map[string]func(string) string{
		"data: {}\n\ndata: [DONE]\n": notAStream, "data: {\n\n": notAStream, "data: []\n\n": notAStream, "{}\n\n": notAStream, "data: {\"a\": \"\xff\"}\n\n": notAStream,
		`{"error":{"message":"","type":"x","param":null,"code":null}}`: anError, `{"error":{"message":"x","type":"x","param":null}}`: anError, `{"error":"x"}`: anError, "x": anError,
	} {
		if form(body) == "" {
			t.Errorf("%q is taken for good", body)
		}
	}
	for body, form := range map[string]func(string) string{
		"\ufeff: ping\n\nid: 1\r\nevent: e\r\ndata: {\r\ndata: }\r\n\r\nretry: 3\n\ndata: [DONE]\n\n": notAStream,
		`{"error":{"message":"x","type":"x","param":null,"code":null}}`:                               anError,
	} {
		if problem := form(body); problem != "" {
			t.Errorf("%q: %s", body, problem)
		}
	}
}

func anError(body string) string { return notAnError([]byte(body)) }

func lastID(s *server.Server) int64 {
	e, _ := s.JournalEntry(0)
	return e.ID
}

// mutations returns variants of a usual request: in each, one value is replaced by a wrong
// one, or one member occurs twice.
func mutations(t *testing.T, usual string) []string {
	t.Helper()
	var doc map[string]json.RawMessage
	if err := json.Unmarshal([]byte(usual), &doc); err != nil {
		t.Fatal(err)
	}
	list := []string{usual, "", " ", "null", "[]", `""`, "{", `{"model"}`, usual + "x", usual[:len(usual)/2], "\xef\xbb\xbf" + usual, "\x00", "\x1f\x8b\x08"}
	for _, name := range slices.Sorted(maps.Keys(doc)) {
		at := fmt.Sprintf("%q:%s", name, doc[name])
		list = append(list, strings.Replace(usual, at, at+","+at, 1))
		for _, v := range wrong {
			list = append(list, strings.Replace(usual, at, fmt.Sprintf("%q:%s", name, v), 1))
		}
	}
	for _, part := range []string{`"role":"user"`, `"content":"s"`, `"text":"hi"`, `"function":{"name":"f","arguments":"{}"}`, `"id":"c"`,
		`"tool_call_id":"c"`, `"name":"f"`, `"arguments":"{}"`, `"type":"text"`, `"type":"function"`, `"type":"object"`, `"type":"integer"`,
		`"schema":{"type":"object","properties":{}}`, `"include_usage":true`, `"a"`, `"50256":1`} {
		if !strings.Contains(usual, part) {
			continue
		}
		name, _, isMember := strings.Cut(part, ":")
		for _, v := range wrong {
			if isMember {
				v = name + ":" + v
			}
			list = append(list, strings.Replace(usual, part, v, 1))
		}
	}
	return list
}

// A client's mistake is never a 500, after which clients would try again: no fixture fails
// with a 500 at any mutation of a request.
func TestNoMutationOfARequestIsAServersFault(t *testing.T) {
	testflag.NoRace(t)
	servers, err := mutationTargets()
	if err != nil {
		t.Fatal(err)
	}
	names := append(mutated(), "", "nobody")
	for on := range usual {
		for _, s := range servers {
			checkExchange(t, s, fixtures.Default, http.MethodPost, paths[on], usual[on], key...)
			if e, _ := s.JournalEntry(0); e.Status != http.StatusOK {
				t.Errorf("the usual request is answered %d: %s", e.Status, e.Problem)
			}
		}
		for i, body := range mutations(t, usual[on]) {
			// Each mutation goes to a few fixtures on each server; together, each fixture gets many.
			whole := strings.Replace(body, `"stream":true,`, "", 1)
			for k, s := range servers {
				checkExchange(t, s, names[(i*7+k*11)%len(names)], http.MethodPost, paths[on], body, key...)
				checkExchange(t, s, names[(i*5+k*13)%len(names)], http.MethodPost, paths[on], whole, key...)
			}
		}
		for _, name := range names { // each fixture also gets the usual request
			for _, s := range servers {
				checkExchange(t, s, name, http.MethodPost, paths[on], usual[on], key...)
			}
		}
	}
	for _, path := range paths {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "FOO"} {
			checkExchange(t, servers[0], "", method, path, usual[0], "Content-Encoding", "gzip", "Content-Type", "text/plain")
			checkExchange(t, servers[1], "", method, path, "", "Accept-Encoding", "gzip;q=\xff", "Last-Event-Id", "-99999999999999999999")
		}
	}
}

// reaching returns requests that found defects before, each with its fixture.
func reaching() map[string]string {
	list := map[string]string{}
	tool := func(schema string) string {
		return `{"model":"gpt-4o","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"get_weather","parameters":` + schema + `}}]}`
	}
	for _, levels := range []int{3, 30} {
		list[strings.Replace(hostileTool(levels), `"name":"f"`, `"name":"get_weather"`, 1)] = "invented-arguments"
	}
	for _, schema := range []string{
		`{"minLength":2000}`, `{"minProperties":2000}`, `{"type":"number","minimum":-1.797e308}`, `{"enum":[]}`, `{"$ref":"#"}`,
		`{"type":"object","properties":{"a":{"pattern":"(a*)*$"}}}`,
	} {
		list[tool(schema)] = "invented-arguments"
		list[`{"model":"gpt-4o","messages":[{"role":"user","content":"x"}],"response_format":{"type":"json_schema","json_schema":{"name":"s","schema":`+schema+`}}}`] = "structured-output"
	}
	return list
}

// FuzzRequest sends any body to any of the fixtures, on all APIs. If it reports 0 execs/sec,
// it is busy with the inputs of its corpus, or the report is the last one, which covers no
// time.
func FuzzRequest(f *testing.F) {
	names := mutated()
	at := func(fixture, on int) uint16 { return uint16(fixture*len(usual) + on) }
	for i := range names { // each fixture, and each API in turn
		f.Add([]byte(usual[i%len(usual)]), "POST", at(i, i%len(usual)), "Authorization", "Bearer x")
	}
	for body, fixture := range reaching() {
		f.Add([]byte(body), "POST", at(slices.Index(names, fixture), 0), "Authorization", "Bearer x")
	}
	f.Add([]byte(`{"model":"gpt-4o","prompt":[[1,2],[3]],"echo":true,"logprobs":3,"n":3}`), "POST", at(0, 1), "Last-Event-Id", "3")
	f.Add([]byte(`{"model":"gpt-4o","input":[{"type":"reasoning","summary":[]},{"type":"item_reference","id":"x"}],"previous_response_id":"r"}`), "POST", at(1, 2), "Last-Event-Id", "3")
	f.Add([]byte("{\"messages\":[{\"role\":\"user\",\"content\":\"\xff\"}]}"), "PUT", uint16(300), "Content-Encoding", "br")
	f.Fuzz(func(t *testing.T, body []byte, method string, at uint16, header, value string) {
		servers, err := mutationTargets()
		if err != nil {
			t.Fatal(err)
		}
		if method == http.MethodOptions {
			return // a preflight request of CORS
		}
		if len(body) > 4<<10 {
			return // a defect that no small body shows would not be found in a large one
		}
		// The fuzzer's workers are processes, and each sends one request at a time.
		fixture := int(at) / len(usual)
		s := servers[fixture/len(names)%len(servers)]
		checkExchange(t, s, names[fixture%len(names)], method, paths[int(at)%len(usual)], string(body), header, value)
	})
}

// The seeds of FuzzRequest reach the code for which they were written. Not parallel: the
// test looks at the last entry of the journal.
func TestSeedsOfRequestsReachTheirFixtures(t *testing.T) {
	testflag.SkipRace(t)
	servers, err := mutationTargets()
	if err != nil {
		t.Fatal(err)
	}
	problems := 0
	for body, fixture := range reaching() {
		w := httptest.NewRecorder()
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, paths[0], strings.NewReader(body))
		req.Header.Set("X-Fakeopenai-Scenario", fixture)
		servers[0].ServeHTTP(w, req)
		if !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s gives %.300q", body, w.Body)
		}
		if strings.Contains(w.Body.String(), "JSON schema") {
			problems++
		} else if fixture == "invented-arguments" && !strings.Contains(w.Body.String(), `"get_weather"`) {
			t.Errorf("%s gives %.300q", body, w.Body)
		}
	}
	if problems == 0 {
		t.Error("no schema is refused")
	}
}
