package recording_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/tools/recording"
)

// agent is a client of the Responses API that calls tools until it gets a text. It notes what it gets.
type agent struct {
	t    *testing.T
	url  string
	with string // with is further members of each request.
	got  []string
}

// response is what an agent reads of a response.
type response struct {
	ID, Status string
	Output     []struct {
		Type, Name string
		CallID     string `json:"call_id"`
	}
}

// do makes a request, and returns the response in its answer.
func (a *agent) do(method, path, body string) (r response) {
	a.t.Helper()
	req, err := http.NewRequestWithContext(a.t.Context(), method, a.url+path, strings.NewReader(body))
	if err != nil {
		a.t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		a.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusOK {
		a.got = append(a.got, fmt.Sprintf("%d %s", resp.StatusCode, text))
		return r
	}
	const member = `"response":`
	if at := bytes.LastIndex(text, []byte(member)); at >= 0 { // The last event of a stream has the response.
		text = text[at+len(member):]
	}
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&r); err != nil {
		a.t.Fatalf("%v in %s", err, text)
	}
	a.got = append(a.got, fmt.Sprint(r.Status, r.Output))
	return r
}

// ask makes a response with these members beside those of all requests.
func (a *agent) ask(members string) response {
	a.t.Helper()
	return a.do(http.MethodPost, "/v1/responses", `{"model":"gpt-4o",`+members+a.with+`}`)
}

// results is the input with the result of the call in a response.
func results(r response) string {
	if len(r.Output) == 0 {
		return `"input":"nothing was called"`
	}
	return fmt.Sprintf(`"input":[{"type":"function_call_output","call_id":%q,"output":"x"}]`, r.Output[0].CallID)
}

// loops are ways in which an agent goes on from what the server keeps.
var loops = map[string]func(*agent){
	"results after previous responses": func(a *agent) {
		for r := a.ask(`"input":"Begin"`); len(a.got) < 3; {
			r = a.ask(`"previous_response_id":"` + r.ID + `",` + results(r))
		}
	},
	"one text again and again": func(a *agent) {
		for r := a.ask(`"input":"Go on"`); len(a.got) < 3; {
			r = a.ask(`"input":"Go on","previous_response_id":"` + r.ID + `"`)
		}
	},
	"a conversation": func(a *agent) {
		id := a.do(http.MethodPost, "/v1/conversations", `{"items":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Ho"}]}`).ID
		for r := a.ask(`"conversation":"` + id + `","input":"Begin"`); len(a.got) < 4; {
			r = a.ask(`"conversation":{"id":"` + id + `"},` + results(r))
		}
	},
	"equal requests in a conversation": func(a *agent) {
		id := a.do(http.MethodPost, "/v1/conversations", `{}`).ID
		for len(a.got) < 4 {
			a.ask(`"conversation":"` + id + `","input":"Go on"`)
		}
	},
	"a branch": func(a *agent) {
		first := a.ask(`"input":"Begin"`)
		for _, text := range []string{"left", "right"} {
			r := a.ask(`"input":"` + text + `","previous_response_id":"` + first.ID + `"`)
			a.ask(`"input":"Go on","previous_response_id":"` + r.ID + `"`)
		}
	},
}

// An agent that goes on from a response or a conversation gets the same answers of its recording, with the
// ids that this hands out, however conditions are made.
func TestLoopsAreReplayed(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	const called = `name: up
replies:
  - when: {turn: 1}
    message: {tool_calls: [{id: call_1, name: f, arguments: "{}"}]}
  - when: {turn: 2}
    message: {tool_calls: [{id: call_2, name: "g-{{ .last_user }}", arguments: "{}"}]}
  - when: {turn: 3}
    message: {tool_calls: [{id: call_3, name: "h-{{ .last_user }}", arguments: "{}"}]}
  - message: done
`
	for name, loop := range loops {
		for _, with := range []string{"", `,"stream":true`} {
			t.Run(name+with, func(t *testing.T) {
				t.Parallel()
				for _, how := range []recording.Matching{recording.MatchTurn, recording.MatchLast, recording.MatchExact} {
					upstream := newFakeAt(t, server.Instant, yamlfile.Source{Name: "up.yaml", Data: []byte(called)})
					session := passingOn(serve(t, upstream), func(*recording.Exchange) {})
					session.Mode, session.List = recording.ModeRecord, &recording.Collection{Matching: how}
					proxy := httptest.NewServer(session)
					recorded := agent{t: t, url: proxy.URL, with: with}
					loop(&recorded)
					proxy.Close()
					if err := session.Wait(t.Context()); err != nil {
						t.Fatal(err)
					}
					files, notes := session.List.Files(), session.List.Check()
					var sources []yamlfile.Source
					for _, f := range files {
						sources = append(sources, yamlfile.Source{Name: f.Name, Data: f.Data})
					}
					fake := fakeWith(t, server.Config{Speed: server.Instant, Seed: 7}, sources...)
					missing := passingOn(endpoint(t, http.NotFound), func(*recording.Exchange) {})
					missing.Mode, missing.Fake = recording.ModeMissing, fakeWith(t, server.Config{Speed: server.Instant, Seed: 7}, sources...)
					set, _ := server.CheckFiles(sources...)
					missing.Beside(set, nil)
					handlers := map[string]http.Handler{"serve": fake}
					if !strings.Contains(name, "conversation") { // The upstream makes these.
						handlers["record --mode missing"] = missing
					}
					for mode, handler := range handlers {
						s := httptest.NewServer(handler)
						replayed := agent{t: t, url: s.URL, with: with}
						loop(&replayed)
						s.Close()
						if !slices.Equal(replayed.got, recorded.got) || len(notes) > 0 {
							t.Errorf("%s, %s: replayed is\n%s\nrecorded was\n%s\n%v\n%s", how, mode, strings.Join(replayed.got, "\n"), strings.Join(recorded.got, "\n"), notes, sources)
						}
					}
				}
			})
		}
	}
}

// keptExchange is a request for what a server keeps, and its answer.
func keptExchange(method, path string, status int, asked, answered string) *recording.Exchange {
	return &recording.Exchange{
		Method: method, Path: path, Body: []byte(asked), Status: status,
		AnswerHeader: http.Header{"Content-Type": {"application/json"}}, Pieces: []recording.Piece{{Data: []byte(answered)}},
	}
}

// responseOf is a response in one piece with one text.
func responseOf(id, status string) string {
	return fmt.Sprintf(`{"id":%q,"object":"response","created_at":1,"status":%q,"model":"gpt-4o","output":[`+
		`{"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"Hi","annotations":[]}]}]}`, id, status)
}

// The turn of a request in a conversation counts what was added to it, and not what was refused or failed.
func TestTurnsInAConversation(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	const items, said = "/v1/conversations/conv_1/items", `{"items":[{"role":"assistant","content":"Ho"}]}`
	for name, tt := range map[string]struct {
		before *recording.Exchange
		want   string
	}{
		"items that are added":   {keptExchange(http.MethodPost, items, 200, said, `{"object":"list"}`), "turn: 2"},
		"items that are refused": {keptExchange(http.MethodPost, items, 400, said, `{"error":{"message":"No."}}`), "turn: 1"},
		"items that are read":    {keptExchange(http.MethodGet, items, 200, said, `{"object":"list"}`), "turn: 1"},
		"an answer":              {keptExchange(http.MethodPost, "/v1/responses", 200, `{"model":"gpt-4o","conversation":"conv_1","input":"a"}`, responseOf("resp_1", "completed")), "turn: 2"},
		"a failed answer":        {keptExchange(http.MethodPost, "/v1/responses", 200, `{"model":"gpt-4o","conversation":"conv_1","input":"a"}`, responseOf("resp_1", "failed")), "turn: 1"},
	} {
		var c recording.Collection
		for _, x := range []*recording.Exchange{tt.before, keptExchange(http.MethodPost, "/v1/responses", 200, `{"model":"gpt-4o","conversation":"conv_1","input":"last"}`, responseOf("resp_2", "completed"))} {
			if err := c.Add(x); err != nil && !errors.Is(err, recording.ErrNoSurface) {
				t.Fatalf("%s: %v", name, err)
			}
		}
		files := c.Files()
		if text := string(files[len(files)-1].Data); !strings.Contains(text, tt.want) {
			t.Errorf("%s: want %s in\n%s", name, tt.want, text)
		}
	}
}

// A response in the background is not recorded, nor is what a client asks until its end; a line says what to do.
func TestABackgroundResponseIsNotRecorded(t *testing.T) {
	t.Parallel()
	for _, begins := range []string{"queued", "in_progress"} {
		var c recording.Collection
		began := c.Add(keptExchange(http.MethodPost, "/v1/responses", 200, `{"model":"gpt-4o","background":true,"input":"a"}`, responseOf("resp_1", begins)))
		ended := c.Add(keptExchange(http.MethodGet, "/v1/responses/resp_1", 200, "", responseOf("resp_1", "completed")))
		if n := len(c.Files()); began == nil || !strings.Contains(began.Error(), "Ask without background: true") || !errors.Is(ended, recording.ErrNoSurface) || n > 0 {
			t.Errorf("%s: %v, %v and %d files", begins, began, ended, n)
		}
	}
}
