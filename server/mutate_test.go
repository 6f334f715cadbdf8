package server_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// mutated are the fixtures that mutated requests are sent to: all but those that
// take their time at any speed.
func mutated() []string {
	return slices.DeleteFunc(fixtures.Names(), func(name string) bool {
		text, err := fixtures.FS.ReadFile(name + ".yaml")
		return err != nil || bytes.Contains(text, []byte("stall:")) || bytes.Contains(text, []byte("split:"))
	})
}

// mutationTargets are servers that play these fixtures, one lenient and one strict.
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

// usual are requests with the members that are read of requests to the two APIs;
// the strictest server takes them.
var usual = [2]string{`{"model":"gpt-4o","stream":true,"n":1,"user":"u","messages":[{"role":"system","content":"s"},` +
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
		`"presence_penalty":0.5,"frequency_penalty":0.5,"stream_options":{"include_usage":true}}`}

// wrong are values that come in the place of each member.
var wrong = []string{
	`null`, `true`, `0`, `-1`, `1.5`, `1e999`, `-0`, `99999999999999999999999`, `""`, `"\u0000\r\n"`, `"x"`, `[]`, `{}`, `[null]`, `[[]]`, `[{}]`,
	`[1,2,3]`, `{"":null}`, `{"type":"function"}`, `{"type":[]}`, `[{"type":{}}]`, `"` + strings.Repeat("a", 5000) + `"`,
	strings.Repeat("[", 990) + strings.Repeat("]", 990), `{"a":1,"a":2}`, "\"\xff\"", `"\ud800"`, `{"$ref":"#"}`, `{"type":"string","pattern":"("}`,
}

// key is the header that the strict server asks for.
var key = []string{"Authorization", "Bearer k"}

// paths are where requests go.
var paths = []string{
	"/v1/chat/completions", "/v1/completions", "/chat/completions", "/openai/deployments/gpt-4o/chat/completions?api-version=1",
	"/openai/deployments/a%2Fb/completions", "/v1/models", "/v1/models/fake:%2e%2e", "/v1//chat/completions", "/v1/chat/completions/", "/v1/responses", "/%00",
}

// exchangeOf plays a request and looks at what must hold for every one.
func exchangeOf(t *testing.T, s *server.Server, scenario, method, path, body string, header ...string) {
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
	if e.Scenario == "" && !broken && w.Body.Len() > 0 && !json.Valid(w.Body.Bytes()) {
		t.Errorf("%s: the answer is no JSON: %.300q", asked, w.Body)
	}
	if kind := w.Header().Get("Content-Type"); e.Scenario != "" && !broken && kind == "application/json" && e.Status == 200 && e.Delivery.Ended == "complete" &&
		!json.Valid(bytes.TrimSpace(w.Body.Bytes())) {
		t.Errorf("%s: the answer of %s is no JSON: %.300q", asked, e.Scenario, w.Body)
	}
}

func lastID(s *server.Server) int64 {
	e, _ := s.JournalEntry(0)
	return e.ID
}

// serveTo reports whether the answer breaks off.
func serveTo(s *server.Server, w http.ResponseWriter, r *http.Request) (broken bool) {
	defer func() {
		switch v := recover(); {
		case v == nil:
		case errors.Is(asError(v), http.ErrAbortHandler):
			broken = true
		default:
			panic(v)
		}
	}()
	s.ServeHTTP(w, r)
	return false
}

func asError(v any) error {
	err, _ := v.(error)
	return err
}

// mutations are a usual request with one value at a time replaced by each of the
// wrong ones, or twice there.
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

// A client's mistake is never a 500, for which clients try again: whatever of a
// request is wrong, no fixture fails at it.
func TestNoMutationOfARequestIsAServersFault(t *testing.T) {
	servers, err := mutationTargets()
	if err != nil {
		t.Fatal(err)
	}
	names := append(mutated(), "", "nobody")
	for on := range usual {
		for _, s := range servers {
			exchangeOf(t, s, fixtures.Default, http.MethodPost, paths[on], usual[on], key...)
			if e, _ := s.JournalEntry(0); e.Status != http.StatusOK {
				t.Errorf("the usual request is answered %d: %s", e.Status, e.Problem)
			}
		}
		for i, body := range mutations(t, usual[on]) {
			// Each mutation goes to some fixtures, and each fixture gets many mutations.
			for k := range 2 {
				exchangeOf(t, servers[(i+k)%2], names[(i*7+k*11)%len(names)], http.MethodPost, paths[on], body, key...)
				exchangeOf(t, servers[(i+k+1)%2], names[(i*5+k*13)%len(names)], http.MethodPost, paths[on], strings.Replace(body, `"stream":true,`, "", 1), key...)
			}
		}
	}
	for _, path := range paths {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "FOO"} {
			exchangeOf(t, servers[0], "", method, path, usual[0], "Content-Encoding", "gzip", "Content-Type", "text/plain")
			exchangeOf(t, servers[1], "", method, path, "", "Accept-Encoding", "gzip;q=\xff", "Last-Event-Id", "-99999999999999999999")
		}
	}
}

// FuzzRequest sends any body to any of the fixtures, on both APIs.
func FuzzRequest(f *testing.F) {
	names := mutated()
	f.Add([]byte(usual[0]), "POST", uint16(0), "Authorization", "Bearer x")
	f.Add([]byte(usual[1]), "POST", uint16(1), "Authorization", "Bearer x")
	f.Add([]byte(`{"model":"gpt-4o","prompt":[[1,2],[3]],"echo":true,"logprobs":3,"n":3}`), "POST", uint16(1), "Last-Event-Id", "3")
	f.Add([]byte(`{"model":"fake:invented-arguments","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"a":{"enum":[]}}}}}]}`), "POST", uint16(40), "Authorization", "Bearer x")
	f.Add([]byte("{\"messages\":[{\"role\":\"user\",\"content\":\"\xff\"}]}"), "PUT", uint16(300), "Content-Encoding", "br")
	f.Fuzz(func(t *testing.T, body []byte, method string, at uint16, header, value string) {
		servers, err := mutationTargets()
		if err != nil {
			t.Fatal(err)
		}
		if method == http.MethodOptions {
			return // it asks whether a page may ask
		}
		// The fuzzer's workers are processes: in each one request comes at a time.
		scenario := names[int(at>>1)%len(names)]
		for _, s := range servers {
			exchangeOf(t, s, scenario, method, paths[int(at)%2], string(body), header, value)
		}
	})
}
