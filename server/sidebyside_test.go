package server_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/fakeopenai/fakeopenai/fixtures"
	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
	"github.com/fakeopenai/fakeopenai/server/tools/recording"
)

// sideFile is a file of scenarios, and the name of the one that requests ask for.
type sideFile struct{ name, yaml string }

// sideFiles are the bundled scenarios, those of wireCases, and some whose parts the replies of
// a scenario share.
func sideFiles(t *testing.T) []sideFile {
	t.Helper()
	list := []sideFile{{"shared-set", sharedSet}, {"template", "name: template\nmessage: '{{ .last_user }}'\n"}}
	for _, name := range fixtures.Names() {
		data, err := fixtures.FS.ReadFile(name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(data), "\nextends:") { // a file of its own would lack what it extends
			list = append(list, sideFile{name, string(data)})
		}
	}
	for i, tt := range wireCases {
		name := fmt.Sprint("case-", i)
		list = append(list, sideFile{name, strings.NewReplacer("name: wire\n", "name: "+name+"\n", "name: plain\n", "name: "+name+"\n").Replace(tt.yaml)})
	}
	return list
}

// sharedSet is a scenario with a value that both of its replies set, and that one of them changes.
const sharedSet = `
name: shared-set
envelope: { set: { x: { a: 1 } } }
replies:
  - when: { stream: true }
    envelope: { set: { x.a: 2 } }
    message: One.
  - message: Two.
`

// sideSet returns a set that no server has used.
func sideSet(t *testing.T, files ...sideFile) *scenarios.Set {
	t.Helper()
	var all []*scenarios.Scenario
	for _, f := range files {
		list, problems := yamlfile.Parse(f.name, []byte(f.yaml))
		if err := problems.Err(); err != nil {
			t.Fatal(err)
		}
		all = append(all, list...)
	}
	set, err := scenarios.NewSet(all...)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// sideRequests want different things of an answer. NAME stands for the scenario.
var sideRequests = []struct{ path, body string }{
	{"/v1/chat/completions", `{"model":"fake:NAME","stream":true,"messages":[{"role":"user","content":"hi"}]}`},
	{"/v1/chat/completions", `{"model":"fake:NAME","stream":true,"stream_options":{"include_usage":true},"messages":[]}`},
	{"/v1/chat/completions", `{"model":"fake:NAME","stream":true,"logprobs":true,"top_logprobs":1,"n":2,"messages":[]}`},
	{"/v1/chat/completions", `{"model":"fake:NAME","messages":[]}`},
	{"/v1/chat/completions", `{"model":"fake:NAME","logprobs":true,"n":2,"messages":[]}`},
	{"/v1/completions", `{"model":"fake:NAME","stream":true,"prompt":"hi"}`},
	{"/v1/completions", `{"model":"fake:NAME","stream":true,"stream_options":{"include_usage":true},"logprobs":1,"n":2,"prompt":"hi"}`},
	{"/v1/completions", `{"model":"fake:NAME","logprobs":2,"prompt":"hi"}`},
	{"/v1/responses", `{"model":"fake:NAME","stream":true,"input":"hi"}`},
	{"/v1/responses", `{"model":"fake:NAME","stream":true,"include":["message.output_text.logprobs"],"input":"hi"}`},
	{"/v1/responses", `{"model":"fake:NAME","input":"hi"}`},
}

// sideTurns are messages of a WebSocket connection, each in a lane of its own.
var sideTurns = []string{
	`{"type":"response.create","model":"fake:NAME","input":"hi","stream_id":"a"}`,
	`{"type":"response.create","model":"fake:NAME","include":["message.output_text.logprobs"],"input":"hi","stream_id":"b"}`,
	`{"type":"response.create","model":"fake:NAME","generate":false,"input":"begin","stream_id":"c"}`,
}

// sideServer is a server whose WebSocket connections are in memory.
type sideServer struct {
	*server.Server
	ended sync.Map // ended has, by API key, a channel for the entries of the key's requests.
}

func newSideServer(t *testing.T, set *scenarios.Set) *sideServer {
	t.Helper()
	s := new(sideServer)
	var err error
	s.Server, err = server.New(server.Config{
		Scenarios: set, Created: 1790000000, JournalSize: -1, AllowGet: true,
		Upgrade: func(_ http.ResponseWriter, r *http.Request, _ int64) (server.MessageConn, error) {
			return r.Context().Value(sideConnKey{}).(*memConn), nil
		},
		Observe: func(e journal.Entry) {
			if ended, ok := s.ended.Load(e.APIKey); ok {
				ended.(chan journal.Entry) <- e
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// answers are what a client gets: the bytes of an answer over HTTP, or by stream id the messages
// of a WebSocket connection.
type answers map[string][]string

// ask sends a request over HTTP.
func (s *sideServer) ask(key, path, body string) answers {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Accept-Encoding", "gzip")
	w := httptest.NewRecorder()
	broken := serveTo(s.Server, w, r)
	var header strings.Builder
	w.Header().Del("Openai-Processing-Ms")
	_ = w.Header().Write(&header)
	return answers{"": {fmt.Sprint(w.Code), header.String(), w.Body.String(), fmt.Sprint("broken: ", broken)}}
}

// converse sends turns over a WebSocket connection, and leaves when they have ended.
func (s *sideServer) converse(key string, turns ...string) answers {
	c, out := newMemConn(), answers{}
	ended := make(chan journal.Entry, len(turns))
	s.ended.Store(key, ended)
	r := httptest.NewRequest(http.MethodGet, "/v1/responses", nil).WithContext(context.WithValue(context.Background(), sideConnKey{}, c))
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Upgrade", "websocket")
	left := make(chan struct{})
	var server, client sync.WaitGroup
	server.Go(func() { s.ServeHTTP(httptest.NewRecorder(), r) })
	client.Go(func() {
		for {
			select {
			case message := <-c.out:
				if strings.HasPrefix(message, "close ") {
					continue // comes only if the turn's end is seen before that of the client
				}
				_, id, _ := strings.Cut(message, `"stream_id":"`)
				id, _, _ = strings.Cut(id, `"`)
				out[id] = append(out[id], message)
			case <-left:
				return
			}
		}
	})
	for _, turn := range turns {
		c.in <- turn
	}
	for range turns {
		select {
		case <-ended:
		case <-c.over:
		}
	}
	close(c.in)
	server.Wait()
	close(left)
	client.Wait()
	slices.Sort(out[""]) // lanes may take turns in any order
	return out
}

type sideConnKey struct{}

// keep makes a response that is kept, goes on from it, and asks for both and for what they were
// made of.
func (s *sideServer) keep(key, scenario string) answers {
	out := answers{}
	ask := func(method, path, body string) string {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+key)
		w := httptest.NewRecorder()
		broken := serveTo(s.Server, w, r)
		out[""] = append(out[""], fmt.Sprint(path, w.Code, w.Body.String(), broken))
		_, id, _ := strings.Cut(w.Body.String(), `"id": "`)
		id, _, _ = strings.Cut(id, `"`)
		return id
	}
	conversation := ask(http.MethodPost, "/v1/conversations", `{"items":[{"role":"user","content":"before"}]}`)
	first := ask(http.MethodPost, "/v1/responses", fmt.Sprintf(`{"model":"fake:%s","conversation":%q,"input":"hi"}`, scenario, conversation))
	second := ask(http.MethodPost, "/v1/responses", fmt.Sprintf(`{"model":"fake:%s","previous_response_id":%q,"input":"more"}`, scenario, first))
	for _, id := range []string{first, second} {
		ask(http.MethodGet, "/v1/responses/"+id, "")
		ask(http.MethodGet, "/v1/responses/"+id+"/input_items", "")
	}
	ask(http.MethodGet, "/v1/conversations/"+conversation+"/items", "")
	ask(http.MethodDelete, "/v1/responses/"+first, "")
	return out
}

// own gives an API key scenarios of its own, asks for one, looks at everything that the server tells
// of the key, and resets it. What is told has times, and so only the statuses are compared.
func (s *sideServer) own(key string) answers {
	out := answers{}
	for _, ask := range []string{
		"PUT /_fake/scenarios", "POST /v1/chat/completions", "GET /_fake/scenarios", "GET /_fake/requests", "GET /_fake/calls", "GET /_fake/holds",
		"GET /_fake/usage", "GET /_fake/requests/1", "GET /_fake/", "POST /_fake/reset",
	} {
		method, path, _ := strings.Cut(ask, " ")
		body := map[string]string{"PUT": "name: own\nlimits: { rpm: 100 }\nmessage: Own.\n", "POST": `{"model":"fake:own","messages":[]}`}[method]
		r := httptest.NewRequest(method, "http://127.0.0.1"+path+"?"+url.Values{"api_key": {key}}.Encode(), strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+key)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		text := ""
		if strings.HasPrefix(path, "/v1/") {
			text = w.Body.String()
		}
		if path != "/_fake/requests/1" { // may be the request of another key
			out[""] = append(out[""], fmt.Sprint(ask, " ", w.Code, text))
		}
	}
	return out
}

// record asks for a scenario through a recorder, and returns what that has written.
func (s *sideServer) record(key, scenario string) answers {
	list := new(recording.Collection)
	session := &recording.Session{
		Mode: recording.ModeRecord, Upstream: &url.URL{Scheme: "http", Host: "127.0.0.1"}, Transport: inProcess{s}, Redactor: new(recording.Redactor), List: list,
		Ended: func(*recording.Exchange, error) {},
	}
	r := httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(strings.ReplaceAll(sideRequests[0].body, "NAME", scenario)))
	r.Header.Set("Authorization", "Bearer "+key)
	serveTo(session, httptest.NewRecorder(), r)
	out := answers{}
	if err := session.Wait(context.Background()); err != nil {
		return answers{"": {err.Error()}}
	}
	for _, f := range list.Files() {
		out[f.Name] = []string{string(f.Data)}
	}
	return out
}

// sideTask is something that a client does, and what it must get.
type sideTask struct {
	what string
	do   func(*sideServer) answers
	want answers
}

// sideTasks plays each request of a client on a fresh server alone. With the race detector it
// does not: what clients must get is tested without.
func sideTasks(t *testing.T, files []sideFile) (tasks []sideTask) {
	t.Helper()
	add := func(f sideFile, what string, do func(*sideServer) answers) {
		task := sideTask{what: f.name + ": " + what, do: do}
		if !testflag.Race() {
			fresh := newSideServer(t, sideSet(t, f))
			defer fresh.Close()
			task.want = do(fresh)
			if what == "recorded" && len(task.want) != 1 || strings.Contains(fmt.Sprint(task.want), "/_fake/scenarios 4") {
				t.Errorf("%s: alone it gets %v", task.what, task.want)
			}
		}
		tasks = append(tasks, task)
	}
	apart := regexp.MustCompile(`\b(times|end|connection):`) // one lane changes what another one gets
	for at, f := range files {
		for i, r := range sideRequests {
			if (at+i)%2 == 0 {
				body, key := strings.ReplaceAll(r.body, "NAME", f.name), fmt.Sprint(f.name, " ", i)
				add(f, r.path+" "+body, func(s *sideServer) answers { return s.ask(key, r.path, body) })
			}
		}
		if at%4 == 0 {
			add(f, "kept", func(s *sideServer) answers { return s.keep(f.name+" kept", f.name) })
			add(f, "own endpoints", func(s *sideServer) answers { return s.own(f.name + " own") })
		}
		if at%16 == 1 && !apart.MatchString(f.yaml) {
			add(f, "recorded", func(s *sideServer) answers { return s.record(f.name+" recorded", f.name) })
		}
		turns, want := slices.Clone(sideTurns), answers{}
		for i := range turns {
			turns[i] = strings.ReplaceAll(turns[i], "NAME", f.name)
			key := f.name
			if apart.MatchString(f.yaml) {
				key = fmt.Sprint(f.name, " turn ", i)
			}
			add(f, turns[i], func(s *sideServer) answers { return s.converse(key, turns[i]) })
			for id, messages := range tasks[len(tasks)-1].want {
				want[id] = append(want[id], messages...)
			}
		}
		if !apart.MatchString(f.yaml) {
			slices.Sort(want[""])
			one := sideTask{f.name + ": lanes", func(s *sideServer) answers { return s.converse(f.name, turns...) }, want}
			tasks = append(tasks[:len(tasks)-len(turns)], one)
		}
	}
	return tasks
}

// Requests that share a set of scenarios, and those of servers that share it, each get what they
// would get alone: no answer changes anything that another one is made of. The race detector
// finds writes that change nothing.
func TestRequestsSideBySideGetWhatTheyGetAlone(t *testing.T) {
	t.Parallel()
	testflag.Heavy(t)
	files := sideFiles(t)
	synctest.Test(t, func(t *testing.T) {
		tasks := sideTasks(t, files)
		set := sideSet(t, files...)
		var group sync.WaitGroup
		for range 2 {
			s := newSideServer(t, set)
			defer s.Close()
			todo := make(chan sideTask, len(tasks))
			for _, task := range tasks {
				todo <- task
			}
			close(todo)
			for range 8 {
				group.Go(func() {
					for task := range todo {
						if got, want := fmt.Sprint(task.do(s)), fmt.Sprint(task.want); got != want && !testflag.Race() {
							t.Errorf("%s\ngot  %s\nwant %s", task.what, got, want)
						}
					}
				})
			}
		}
		group.Wait()
		t.Logf("%d tasks", len(tasks))
	})
}
