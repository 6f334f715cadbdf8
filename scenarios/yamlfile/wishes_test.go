package yamlfile_test

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// A wish is what an author wants to say, and how one would write it at first.
type wish struct {
	group, name string
	requests    []string
	means       string
	spellings   []spelling
}

type spelling struct{ from, text string }

// readWishes reads a file such as testdata/wishes.txt, which says how it is written.
func readWishes(t *testing.T, file string) (list []*wish) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var into *string
	for line := range strings.Lines(string(text)) {
		mark, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case mark == "##":
			group, name, _ := strings.Cut(rest, ": ")
			list = append(list, &wish{group: group, name: name, requests: []string{"chat"}})
			into = &list[len(list)-1].means
		case into == nil:
		case mark == ">":
			list[len(list)-1].requests = strings.Split(rest, ", ")
		case mark == "---" && rest != "":
			w := list[len(list)-1]
			w.spellings = append(w.spellings, spelling{from: rest})
			into = &w.spellings[len(w.spellings)-1].text
		default:
			*into += line
		}
	}
	return list
}

// wishRequests are the requests of wishes: a path and a body, which is that of a GET where it is empty.
var wishRequests = map[string][2]string{
	"chat":        {"/v1/chat/completions", `{"model":"gpt-4o","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"Hello"}]}`},
	"json":        {"/v1/chat/completions", `{"model":"gpt-4o","messages":[{"role":"user","content":"Hello"}]}`},
	"two":         {"/v1/chat/completions", `{"model":"gpt-4o","stream":true,"n":2,"messages":[{"role":"user","content":"Hello"}]}`},
	"mini":        {"/v1/chat/completions", `{"model":"gpt-4o-mini","stream":true,"messages":[{"role":"user","content":"Hello"}]}`},
	"cold":        {"/v1/chat/completions", `{"model":"gpt-4o","stream":true,"temperature":0,"messages":[{"role":"user","content":"Hello"}]}`},
	"why":         {"/v1/chat/completions", `{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"Why?"}]}`},
	"logprobs":    {"/v1/chat/completions", `{"model":"gpt-4o","stream":true,"logprobs":true,"top_logprobs":2,"messages":[{"role":"user","content":"Hello"}]}`},
	"terse":       {"/v1/chat/completions", `{"model":"gpt-4o","stream":true,"messages":[{"role":"system","content":"Be terse."},{"role":"user","content":"Hello"}]}`},
	"weather":     {"/v1/chat/completions", `{"model":"gpt-4o","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"What is the weather in Oslo?"}],"tools":[` + wishTool + `]}`},
	"shouted":     {"/v1/chat/completions", `{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"WEATHER!"}]}`},
	"result":      {"/v1/chat/completions", `{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"What is the weather in Oslo?"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"get_weather","arguments":"{}"}}]},{"role":"tool","tool_call_id":"call_1","content":"18"}]}`},
	"structured":  {"/v1/chat/completions", `{"model":"gpt-4o","stream":true,"response_format":{"type":"json_schema","json_schema":{"name":"city","schema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}},"messages":[{"role":"user","content":"Hello"}]}`},
	"team":        {"/v1/chat/completions", `{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"Hello"}]}`},
	"responses":   {"/v1/responses", `{"model":"gpt-4o","stream":true,"input":"Hello"}`},
	"completions": {"/v1/completions", `{"model":"gpt-3.5-turbo-instruct","stream":true,"prompt":"Hello"}`},
	"embeddings":  {"/v1/embeddings", `{"model":"text-embedding-3-small","input":"Hello"}`},
	"moderations": {"/v1/moderations", `{"input":"Hello"}`},
	"meta":        {"/v1/chat/completions", `{"model":"gpt-4o","stream":true,"metadata":{"tenant":"blue"},"messages":[{"role":"user","content":"Hello"}]}`},
	"warm":        {"/v1/chat/completions", `{"model":"gpt-4o","stream":true,"temperature":0.9,"messages":[{"role":"user","content":"Hello"}]}`},
	"named":       {"/v1/chat/completions", `{"model":"gpt-4o","stream":true,"user":"u-1","messages":[{"role":"user","content":"Hello"}]}`},
	"max":         {"/v1/chat/completions", `{"model":"gpt-4o","stream":true,"max_tokens":5,"messages":[{"role":"user","content":"Hello"}]}`},
	"again":       {"/v1/chat/completions", `{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"Hello"},{"role":"assistant","content":"Hi there."},{"role":"user","content":"Why?"}]}`},
	"keyed":       {"/v1/chat/completions", `{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"Hello"}]}`},
	"transcript":  {"/v1/audio/transcriptions", `{"model":"whisper-1"}`},
	"speech":      {"/v1/audio/speech", `{"model":"tts-1","input":"Hello","voice":"alloy"}`},
	"file":        {"/v1/files/file-1", ""},
	"models":      {"/v1/models", ""},
	"images":      {"/v1/images/generations", `{"prompt":"A cat"}`},
	"health":      {"/health", ""},
	"picture":     {"/v1/chat/completions", `{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":[{"type":"text","text":"What is this?"},{"type":"image_url","image_url":{"url":"data:,"}}]}]}`},
}

const wishTool = `{"type":"function","function":{"name":"get_weather","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}}`

// withName adds a name to a scenario that has none.
func withName(text string) string {
	if regexp.MustCompile(`(?m)^(name|scenario|id|title|wish):|^(- name|scenarios):`).MatchString(text) {
		return text
	}
	return "name: wish\n" + text
}

// answers are what a scenario answers to the requests of a wish, in short, or what is wrong with it.
func (w *wish) answers(text string) (got []any, problems diag.List) {
	set, problems := server.CheckFiles(yamlfile.Source{Name: "wish.yaml", Data: []byte(withName(text))})
	if len(problems) > 0 {
		return nil, problems
	}
	fake, err := server.New(server.Config{Scenarios: set, Seed: 1, Created: 1790000000, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, diag.List{{Message: err.Error()}}
	}
	defer fake.Close()
	for _, name := range w.requests {
		got = append(got, ask(fake, name))
	}
	for _, s := range set.Scenarios() {
		problems = append(problems, server.Notes(s)...)
	}
	return got, problems
}

// ask returns the plan of an answer or, where there is none, the refusal.
func ask(fake http.Handler, name string) (answer any) {
	to := wishRequests[name]
	ctx := server.WithPlan(context.Background(), func(p server.Plan) {
		for i := range p.Frames {
			p.Frames[i].Kind = "" // two frames of the same bytes are the same
		}
		answer = p
	})
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, to[0], strings.NewReader(to[1]))
	if to[1] == "" {
		r = httptest.NewRequestWithContext(ctx, http.MethodGet, to[0], nil)
	}
	r.Header.Set("Accept-Encoding", "identity")
	if name == "team" {
		r.Header.Set("X-Team", "blue")
	}
	if name == "keyed" {
		r.Header.Set("Authorization", "Bearer sk-blue")
	}
	w := httptest.NewRecorder()
	fake.ServeHTTP(w, r)
	return cmp.Or(answer, any(w.Code))
}

// verdict is what comes of a spelling.
type verdict struct {
	kind  string // right, led, neither or other: accepted, and something else
	tries int    // tries is how many it takes until it is right; 0 if it does not become so
	why   string
}

// try judges a spelling: right at once; led, if what the messages say, applied, is right; or other, if it is
// accepted and is something else, by itself or after what the messages said.
func (w *wish) try(text string, want []any) verdict {
	type attempt struct {
		text  string
		tries int
	}
	open := []attempt{{withName(text), 1}}
	v := verdict{kind: "neither"}
	for first := true; len(open) > 0 && len(open) < 400; first = false {
		at := open[0]
		open = open[1:]
		got, said := w.answers(at.text)
		if got != nil && reflect.DeepEqual(got, want) {
			return verdict{cmp.Or(map[int]string{1: "right", 2: "led"}[at.tries], "neither"), at.tries, v.why}
		}
		if first {
			v.why = firstLine(said)
		}
		if got != nil && len(said) == 0 { // a note that is there says what else to write
			v.kind = "other"
			v.why += " → " + at.text
			continue
		}
		if at.tries < 3 {
			for _, next := range applied(at.text, said) {
				open = append(open, attempt{next, at.tries + 1})
			}
		}
	}
	return v
}

func firstLine(problems diag.List) string {
	if len(problems) == 0 {
		return ""
	}
	return problems[0].String()
}

// Each wish has its figures: how many of its spellings are right at once, led by the first message, neither, or
// accepted as something else. None takes more than three tries.
func TestWishes(t *testing.T) {
	t.Parallel()
	testflag.Writes(t)
	counts := map[string]map[string]int{"all": {}}
	groups := []string{"all"}
	var report strings.Builder
	for _, w := range readWishes(t, cmp.Or(os.Getenv("WISHLIST"), "testdata/wishes.txt")) {
		want, problems := w.answers(w.means)
		if want == nil || len(problems) > 0 {
			t.Errorf("%s: what is meant is wrong: %v", w.name, problems)
			continue
		}
		if !slices.Contains(groups, w.group) {
			groups, counts[w.group] = append(groups, w.group), map[string]int{}
		}
		fmt.Fprintf(&report, "## %s: %s\n", w.group, w.name)
		for _, s := range w.spellings {
			v := w.try(s.text, want)
			if v.tries == 0 {
				t.Errorf("%s, %s: it is not right after three tries: %s", w.name, s.from, v.why)
			}
			counts[w.group][v.kind]++
			counts["all"][v.kind]++
			fmt.Fprintf(&report, "%-7s %d %s: %s\n", v.kind, v.tries, s.from, strings.ReplaceAll(strings.TrimSpace(v.why), "\n", "; "))
		}
	}
	var table strings.Builder
	for _, g := range groups {
		c := counts[g]
		all := c["right"] + c["led"] + c["neither"] + c["other"]
		fmt.Fprintf(&table, "%-12s %3d spellings: %3d right, %3d led, %3d neither, %3d something else (%d %%)\n", g, all, c["right"], c["led"], c["neither"], c["other"], 100*(c["right"]+c["led"])/max(1, all))
	}
	t.Log("\n" + table.String())
	if name := os.Getenv("WISHES"); name != "" {
		if err := os.WriteFile(name, []byte(table.String()+report.String()), 0o600); err != nil {
			t.Error(err)
		}
	}
	testflag.Golden(t, "testdata/wishes.golden", table.String())
}
