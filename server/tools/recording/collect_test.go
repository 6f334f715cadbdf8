package recording_test

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/tools/recording"
)

// chat returns an exchange that was answered with a text.
func chat(body, text string) *recording.Exchange {
	return &recording.Exchange{
		Method: "POST", Path: "/v1/chat/completions", Body: []byte(body), Status: 200,
		AnswerHeader: map[string][]string{"Content-Type": {"text/event-stream; charset=utf-8"}},
		Pieces:       []recording.Piece{{Data: fmt.Appendf(nil, `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"gpt-4o","choices":[{"index":0,"delta":{"content":%q},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n", text)}},
	}
}

// collect returns the files for exchanges.
func collect(t *testing.T, list []*recording.Exchange, how recording.Matching) ([]recording.File, []recording.Note) {
	t.Helper()
	c := recording.Collection{Matching: how}
	for _, x := range list {
		if err := c.Add(x); err != nil {
			t.Error(err)
		}
	}
	return c.Files(), c.Check()
}

// fakeOf starts a server that plays recordings.
func fakeOf(t *testing.T, files []recording.File) *server.Server {
	t.Helper()
	return newFake(t, recording.Sources(files)...)
}

// Each recorded request is answered with its own recording, however little distinguishes it from
// others.
func TestEachRequestGetsItsOwnRecording(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	bodies := []string{
		`{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"Hi"}]}`,
		`{"model":"gpt-4o","messages":[{"role":"user","content":"Hi"}]}`,
		`{"model":"gpt-4o-mini","stream":true,"messages":[{"role":"user","content":"Hi"}]}`,
		`{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"Hi {{ .model }}"}]}`,
		`{"model":"gpt-4o","stream":true,"messages":[{"role":"system","content":"Be kind."},{"role":"user","content":"Hi"}]}`,
		`{"model":"gpt-4o","stream":true,"messages":[{"role":"system","content":"Be rude."},{"role":"user","content":"Hi"}]}`,
		`{"model":"gpt-4o","stream":true,"temperature":0.5,"messages":[{"role":"user","content":"Hi"}]}`,
		`{"model":"gpt-4o","stream":true,"tools":[{"type":"function","function":{"name":"f"}}],"messages":[{"role":"user","content":"Hi"}]}`,
		`{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"18"}]}`,
		`{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"19"}]}`,
		`{"model":"gpt-4o","stream":true,"messages":[{"role":"assistant","content":"x"}]}`,
		`{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"Ho"},{"role":"assistant","content":"x"},{"role":"user","content":"Hi"}]}`,
	}
	for _, how := range []recording.Matching{recording.MatchTurn, recording.MatchLast, recording.MatchExact} {
		var list []*recording.Exchange
		for i, body := range bodies {
			list = append(list, chat(body, fmt.Sprint("answer ", i)))
		}
		files, notes := collect(t, list, how)
		if len(notes) > 0 || len(files) != len(bodies) {
			t.Errorf("%s: %d files, %v", how, len(files), notes)
		}
		if text := string(files[7].Data); how != recording.MatchExact && !strings.Contains(text, `tools: ["f"]`) {
			t.Errorf("%s: a request with a tool is not told by it from others:\n%s", how, text)
		}
		fake := fakeOf(t, files)
		for i, body := range bodies {
			again := exchangeWith(t, fake, "", "/v1/chat/completions", body)
			if want := fmt.Sprint("answer ", i); !strings.Contains(bodyOf(again), want+`"`) {
				t.Errorf("%s: %s: got %q, want %q", how, body, bodyOf(again), want)
			}
		}
	}
}

// A request that is sent again gets its answers in their order, and from then on the last of
// them.
func TestTheSameRequestGetsItsAnswersInOrder(t *testing.T) {
	t.Parallel()
	const body = `{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"Hi"}]}`
	limited := chat(body, "")
	limited.Status, limited.AnswerHeader = 429, map[string][]string{"Content-Type": {"application/json"}, "Retry-After": {"2"}}
	limited.Pieces = []recording.Piece{{Data: []byte(`{"error":{"message":"Slow down.","type":"requests","param":null,"code":"rate_limit_exceeded"}}`)}}
	files, notes := collect(t, []*recording.Exchange{limited, chat(body, "first"), chat(body, "second")}, recording.MatchTurn)
	if len(files) != 1 || len(notes) > 0 {
		t.Fatalf("%d files, %v", len(files), notes)
	}
	fake := fakeOf(t, files)
	for _, want := range []string{"Slow down.", "first", "second", "second"} {
		if got := bodyOf(exchangeWith(t, fake, "", "/v1/chat/completions", body)); !strings.Contains(got, want) {
			t.Errorf("got %s, want %q\n%s", got, want, files[0].Data)
		}
	}
}

// The names of recordings depend on the request, and not on the time.
func TestNamesAreStable(t *testing.T) {
	t.Parallel()
	testflag.SkipRace(t)
	files, _ := collect(t, []*recording.Exchange{
		chat(`{"model":"gpt-4o","messages":[{"role":"user","content":"What's the weather in Oslo, please tell me now?"}]}`, "a"),
		chat(`{"model":"gpt-4o","messages":[{"role":"user","content":"../../etc/passwd"}]}`, "b"),
		chat(`{"model":"gpt-4o","messages":[{"role":"user","content":"天気"}]}`, "c"),
		chat(`{"model":"../x","messages":[]}`, "d"),
		chat(`{"model":"gpt-4o","messages":[{"role":"user","content":"NUL"}]}`, "f"),
		chat(`{"model":"gpt-4o","messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"x"},{"role":"user","content":"What's the weather in Oslo, please tell me now?"}]}`, "e"),
	}, recording.MatchTurn)
	var got []string
	for _, f := range files {
		got = append(got, f.Name)
	}
	if want := "what-s-the-weather-in-oslo.yaml etc-passwd.yaml gpt-4o.yaml x.yaml nul-1.yaml what-s-the-weather-in-oslo-turn-2.yaml"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A request to a deployment of Azure whose body has no model is a request for the model that is named
// like the deployment.
func TestADeploymentIsTheModel(t *testing.T) {
	t.Parallel()
	testflag.SkipRace(t)
	const body = `{"stream":true,"messages":[{"role":"user","content":"Hi"}]}`
	paths := []string{"/openai/deployments/small%20one/chat/completions?api-version=2024-10-21", "/openai/deployments/large/chat/completions?api-version=2024-10-21"}
	for _, how := range []recording.Matching{recording.MatchTurn, recording.MatchLast, recording.MatchExact} {
		var list []*recording.Exchange
		for i, path := range paths {
			x := chat(body, fmt.Sprint("answer ", i))
			x.Path = path
			list = append(list, x)
		}
		files, notes := collect(t, list, how)
		if len(notes) > 0 || len(files) != 2 || !strings.Contains(string(files[0].Data), `model: "small one"`) {
			t.Fatalf("%s: %d files, %v\n%s", how, len(files), notes, files[0].Data)
		}
		fake := fakeOf(t, files)
		for i, path := range paths {
			if got, want := bodyOf(exchangeWith(t, fake, "", path, body)), fmt.Sprint("answer ", i); !strings.Contains(got, want) {
				t.Errorf("%s: %s gets %q, want %q", how, path, got, want)
			}
		}
	}
}

// Requests whose texts begin alike keep their files, in whatever order they are recorded, and one that
// is recorded again alone replaces no other's file.
func TestNoRecordingReplacesAnothers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	question := func(about string) string {
		return `{"model":"gpt-4o","messages":[{"role":"user","content":"please tell me what is the ` + about + ` thing"}]}`
	}
	upstream := serve(t, newFakeAt(t, server.Instant, yamlfile.Source{Name: "up.yaml", Data: []byte("name: up\nmessage: '{{ .last_user }}'\n")}))
	for _, asked := range [][]string{{"first", "second"}, {"second", "first"}, {"second"}, {"third", "first"}} {
		session := passingOn(upstream, func(*recording.Exchange) {})
		session.Mode = recording.ModeRecord
		if err := session.Replace(dir); err != nil {
			t.Fatal(err)
		}
		proxy := httptest.NewServer(session)
		for _, about := range asked {
			if _, _, err := post(t, proxy.URL+requests[0].path, "", question(about)); err != nil {
				t.Fatal(err)
			}
			if err := session.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		proxy.Close()
		for _, f := range session.List.Files() {
			if _, err := recording.WriteFile(filepath.Join(dir, f.Name), f.Data); err != nil {
				t.Fatal(err)
			}
		}
	}
	sources, err := yamlfile.ReadSources(os.DirFS(dir), "*.yaml")
	if err != nil || len(sources) != 3 {
		t.Fatalf("%d files, %v", len(sources), err)
	}
	fake := newFake(t, sources...)
	for _, about := range []string{"first", "second", "third"} {
		if got := bodyOf(exchangeWith(t, fake, "", requests[0].path, question(about))); !strings.Contains(got, about) {
			t.Errorf("the %s is answered with %s", about, got)
		}
	}
}

// A star in the name of a model stands for itself, not for all models that begin alike.
func TestAStarInAModelIsNoPattern(t *testing.T) {
	t.Parallel()
	files, notes := collect(t, []*recording.Exchange{chat(`{"model":"my*model","stream":true,"messages":[{"role":"user","content":"Hi"}]}`, "Yes.")}, recording.MatchTurn)
	if len(notes) > 0 || !strings.Contains(string(files[0].Data), `model: "my?model"`) {
		t.Errorf("%v\n%s", notes, files[0].Data)
	}
}
