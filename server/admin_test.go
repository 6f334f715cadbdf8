package server_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// decode unmarshals a JSON text into a T.
func decode[T any](t *testing.T, text string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%q is no JSON of %T: %v", text, v, err)
	}
	return v
}

func TestHealthAndReadiness(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{})
	for _, path := range []string{"/_fake/healthz", "/_fake/readyz"} {
		wantContains(t, r.get(path, http.StatusOK), `"status": "ok"`)
		wantStatus(t, r.do(http.MethodHead, path, ""), http.StatusOK)
	}
	if err := r.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.get("/_fake/healthz", http.StatusOK)
	wantContains(t, r.get("/_fake/readyz", http.StatusServiceUnavailable), `"draining"`)
}

func TestTheErrorForAnUnknownPathNamesTheList(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{})
	wantContains(t, r.get("/_fake/nosuch", http.StatusNotFound), "GET /_fake/ lists the endpoints of this fake.")
}

func TestScenariosAreListed(t *testing.T) {
	t.Parallel()
	r := start(t, held+"description: Waits.\ntags: [slow]\nwhen: { model: o3 }\n"+"---\n"+
		"name: flaky\nreplies:\n- when: { turn: 2 }\n  message: never\n- times: 1\n  error: { status: 429 }\n- message: Fine.\n", server.Config{})
	text(t, r.chat(ask, mine))
	r.chat(ask, theirs)
	type listed struct {
		Name, Description, Source string
		Tags, Holds, When         []string
		Replies                   []struct {
			Kind  string
			When  []string
			Times int
			Given *int
		}
	}
	list := func(query string) []listed {
		return decode[struct{ Scenarios []listed }](t, r.get("/_fake/scenarios"+query, http.StatusOK)).Scenarios
	}
	got := list("")
	if len(got) != 2 {
		t.Fatalf("%d scenarios: %+v", len(got), got)
	}
	if s := got[0]; s.Name != "held" || s.Description != "Waits." || s.Tags[0] != "slow" || s.Replies[0].Kind != "stream" || s.Holds[0] != "middle" || !strings.HasPrefix(s.Source, "test.yaml:") {
		t.Errorf("the first is %+v", s)
	}
	if s := got[0]; len(s.When) != 1 || s.When[0] != `model fits "o3"` || s.Replies[0].Given != nil {
		t.Errorf("the first is %+v", s)
	}
	s := got[1]
	if s.Name != "flaky" || len(s.When) != 0 || !strings.HasPrefix(s.Source, "test.yaml:") || len(s.Replies) != 3 {
		t.Fatalf("the second is %+v", s)
	}
	if s.Replies[0].Kind != "message" || s.Replies[0].When[0] != "turn is 2" || s.Replies[1].Kind != "error" || s.Replies[2].When != nil {
		t.Errorf("the replies of the second are %+v", s.Replies)
	}
	for query, want := range map[string]int{"": 2, "?api_key=mine": 1, "?api_key=none": 0} {
		if r := list(query)[1].Replies[1]; r.Times != 1 || r.Given == nil || *r.Given != want {
			t.Errorf("with %q the error was given %v of %d times, want %d", query, r.Given, r.Times, want)
		}
	}
}

type requestList struct {
	Requests []struct {
		ID         int64
		Path       string
		APIKey     string `json:"api_key"`
		Model      string
		Stream     *bool
		Body       any
		Scenario   string
		Reply      int
		Status     int
		Problem    string
		Unmatched  bool
		Transcript string
		Delivery   struct {
			Frames, Planned, Bytes int
			Ended                  string
		}
	}
	Forgotten int
}

func TestTheJournalCanBeReadAndEmptied(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{KeepTranscripts: true, ShowSecrets: true})
	body := text(t, r.chat(ask, "Authorization: Bearer a"))
	r.chat("no json", "Authorization: Bearer b")
	r.do(http.MethodGet, "/v1/nothing", "", "Authorization: Bearer b")
	for range 3 {
		r.ended()
	}

	all := decode[requestList](t, r.get("/_fake/requests", http.StatusOK)).Requests
	if len(all) != 3 {
		t.Fatalf("the journal has %d requests: %+v", len(all), all)
	}
	if got := all[0]; got.ID != 1 || got.Scenario != "hello" || got.Body.(map[string]any)["model"] != "gpt-4o" || got.Delivery.Bytes != len(body) || got.Delivery.Ended != "complete" {
		t.Errorf("the first request is %+v", got)
	}
	if got := all[0]; got.APIKey != "a" || got.Model != "gpt-4o" || got.Stream == nil || !*got.Stream {
		t.Errorf("the first request has the key %q, the model %q and stream %v", got.APIKey, got.Model, got.Stream)
	}
	if got := all[1]; got.APIKey != "b" || got.Model != "" || got.Stream != nil {
		t.Errorf("the second request has the key %q, the model %q and stream %v", got.APIKey, got.Model, got.Stream)
	}
	if got := all[1]; got.Body != "no json" || got.Status != 400 || got.Reply != -1 || got.Unmatched || got.Problem == "" {
		t.Errorf("the second request is %+v", got)
	}
	if got := all[2]; got.Path != "/v1/nothing" || !got.Unmatched || got.Problem != "no such URL: GET /v1/nothing" {
		t.Errorf("the third request is %+v", got)
	}
	if got := r.get(all[0].Transcript, http.StatusOK); got != body {
		t.Errorf("the transcript is %q, want %q", got, body)
	}
	wantContains(t, r.get("/_fake/requests/1", http.StatusOK), `"scenario": "hello"`)
	wantContains(t, r.get("/_fake/requests/99", http.StatusNotFound), `"fake_not_found"`)

	wantStatus(t, r.do(http.MethodDelete, "/_fake/requests?api_key=b", ""), http.StatusNoContent)
	if left := decode[requestList](t, r.get("/_fake/requests?api_key=a", http.StatusOK)).Requests; len(left) != 1 || len(r.Journal()) != 1 {
		t.Errorf("without b's requests there are %+v", left)
	}
	wantStatus(t, r.do(http.MethodDelete, "/_fake/requests", ""), http.StatusNoContent)
	if left := r.Journal(); len(left) != 0 {
		t.Errorf("the emptied journal has %+v", left)
	}
}

func TestTheJournalForgetsTheOldest(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{JournalSize: 2})
	for range 5 {
		r.chat(ask)
		r.ended()
	}
	got := decode[requestList](t, r.get("/_fake/requests", http.StatusOK))
	if len(got.Requests) != 2 || got.Requests[0].ID != 4 || got.Requests[1].ID != 5 || got.Forgotten != 3 {
		t.Errorf("the journal is %+v", got)
	}
	none := start(t, hello, server.Config{JournalSize: -1})
	none.chat(ask)
	if id := none.ended().ID; id != 1 || len(none.Journal()) != 0 {
		t.Errorf("without a journal the id is %d and the journal %v", id, none.Journal())
	}
}

func TestOwnEndpointsCanBeClosed(t *testing.T) {
	t.Parallel()
	off := start(t, hello, server.Config{NoAdmin: true})
	for _, path := range []string{"/_fake/requests", "/_fake/scenarios", "/_fake/holds"} {
		off.get(path, http.StatusNotFound)
	}
	off.get("/_fake/healthz", http.StatusOK)

	guarded := start(t, hello, server.Config{AdminToken: "secret"})
	wantContains(t, guarded.get("/_fake/requests", http.StatusUnauthorized), `"fake_admin_token"`)
	wantStatus(t, guarded.do(http.MethodPost, "/_fake/reset", "", "Authorization: Bearer wrong"), http.StatusUnauthorized)
	wantStatus(t, guarded.do(http.MethodPost, "/_fake/reset", "", "Authorization: Bearer secret"), http.StatusNoContent)
	guarded.get("/_fake/readyz", http.StatusOK)
	wantStatus(t, guarded.chat(ask), http.StatusOK)
}

func TestOwnEndpointsAreNotPartOfTheJournal(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{})
	r.get("/_fake/scenarios", http.StatusOK)
	r.get("/_fake/nothing", http.StatusNotFound)
	resp := r.do(http.MethodGet, "/_fake/reset", "")
	wantStatus(t, resp, http.StatusMethodNotAllowed)
	if got := resp.Header.Get("Allow"); got != "POST" {
		t.Errorf("Allow is %q", got)
	}
	if got := r.Journal(); len(got) != 0 {
		t.Errorf("the journal is %+v", got)
	}
}

func TestReloadPlaysTheNewScenarios(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"a.yaml": {Data: []byte(hello)}}
	r := start(t, hello, server.Config{Default: "hello", Reload: func() (*scenarios.Set, error) { return yamlfile.Load(files, "*.yaml") }})
	stream := func() string { return text(t, r.chat(ask)) }
	reload := func() *http.Response { return r.do(http.MethodPost, "/_fake/reload", "") }

	files["a.yaml"] = &fstest.MapFile{Data: []byte("name: hello\nmessage: { content: Changed. }\n")}
	resp := reload()
	wantStatus(t, resp, http.StatusOK)
	wantContains(t, text(t, resp), `"scenarios": 1`)
	wantContains(t, stream(), `"Changed`)

	files["a.yaml"] = &fstest.MapFile{Data: []byte("name: hello\nmessage:\n  contnet: Broken.\n")}
	resp = reload()
	wantStatus(t, resp, http.StatusUnprocessableEntity)
	wantContains(t, text(t, resp), `"fake_reload"`, `"file": "a.yaml"`, `"line": 3`, `"column": 3`, "contnet")
	wantContains(t, stream(), `"Changed`)

	files["a.yaml"] = &fstest.MapFile{Data: []byte("name: renamed\nmessage: { content: Lost. }\n")}
	resp = reload()
	wantStatus(t, resp, http.StatusUnprocessableEntity)
	wantContains(t, text(t, resp), `the default scenario \"hello\"`)
	wantContains(t, stream(), `"Changed`)
}

func TestAServerWithoutFilesCannotReload(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{})
	wantContains(t, r.ask(http.MethodPost, "/_fake/reload", "", http.StatusNotImplemented), `"fake_no_reload"`)
	if err := r.Reload(); !errors.Is(err, server.ErrNoReload) {
		t.Errorf("Reload: %v", err)
	}
}

func TestSetScenariosDoesNotTouchOpenStreams(t *testing.T) {
	t.Parallel()
	r := start(t, held, server.Config{})
	resp := r.chat(ask)
	await(t, r, "middle")
	r.SetScenarios(parse(t, hello))
	r.Release("middle")
	wantContains(t, text(t, resp), `" after"`, "[DONE]")
	wantContains(t, text(t, r.chat(ask)), `"Hello`)
}

func TestWebPagesOfAnyOriginMayUseTheAPI(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{APIKeys: []string{"k"}})
	resp := r.do(http.MethodOptions, "/v1/chat/completions", "", "Origin: http://page.test",
		"Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization,content-type, x-fakeopenai-fault,x-stainless-os")
	wantStatus(t, resp, http.StatusNoContent)
	h := resp.Header
	if h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Access-Control-Allow-Headers") != "authorization,content-type,x-stainless-os" {
		t.Errorf("header %v", h)
	}
	wantContains(t, h.Get("Access-Control-Allow-Methods"), "POST", "GET")

	for _, key := range []string{"k", "wrong"} {
		h := r.chat(ask, "Origin: http://page.test", "Authorization: Bearer "+key).Header
		if h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Access-Control-Expose-Headers") != "X-Request-ID" {
			t.Errorf("with key %s the header is %v", key, h)
		}
	}
	own := r.do(http.MethodGet, "/_fake/requests", "", "Origin: http://page.test")
	if got := own.Header.Get("Access-Control-Allow-Origin"); got != "" {
		t.Errorf("the journal allows %q", got)
	}
}

// A misspelt parameter is refused. It must not turn a call for one API key into one for all keys.
func TestEndpointsOfItsOwnRefuseParametersThatTheyDoNotKnow(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{})
	r.chat(ask, "Authorization: Bearer k1")
	r.ended()
	for request, want := range map[string]string{
		"POST /_fake/reset?apikey=k1":             `Did you mean \"api_key\"? POST /_fake/reset takes: api_key.`,
		"POST /_fake/reset?key=k1":                `There is no query parameter \"key\" here. POST /_fake/reset takes: api_key.`,
		"POST /_fake/reset?api_key=":              "api_key without a value",
		"POST /_fake/reset?api_key=k1&api_key=k2": "api_key 2 times",
		"POST /_fake/reset?api_key=%zz":           "cannot be read",
		"POST /_fake/reset?api_key=a;b":           "cannot be read",
		"DELETE /_fake/requests?api-key=k1":       `Did you mean \"api_key\"?`,
		"GET /_fake/requests/1?x":                 "takes: api_key.",
		"GET /_fake/calls?model=m":                "takes: api_key.",
		"GET /_fake/holds/none/wait?time_out=1s":  `Did you mean \"timeout\"? GET /_fake/holds/none/wait takes: api_key, timeout.`,
		"POST /_fake/down?f=1s":                   "takes: for.",
		"GET /_fake/scenarios?key=k1":             "takes: api_key.",
		"POST /_fake/reload?api_key=k1":           "takes: none.",
		"GET /_fake/readyz?verbose":               "takes: none.",
	} {
		method, path, _ := strings.Cut(request, " ")
		wantContains(t, r.ask(method, path, "", http.StatusBadRequest), want, `"code": "fake_bad_query"`)
	}
	if n := len(r.Journal()); n != 1 {
		t.Errorf("the journal has %d requests after calls that were refused, want 1", n)
	}
	wantStatus(t, r.do(http.MethodPost, "/_fake/reset?api_key=k1", ""), http.StatusNoContent)
}
