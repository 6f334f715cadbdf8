package server_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

const plain = `
name: plain
message: { content: one two three four, by: word }
`

func faultFile(text string) yamlfile.Source {
	return yamlfile.Source{Name: "faults.yaml", Data: []byte(text)}
}

// askOnce sends a request in memory, with or without a stream. A connection that breaks off ends as such.
func (r *running) askOnce(key, body string, header ...string) (code int, text string) {
	req := httptest.NewRequest("POST", "/v1/chat/completions", strings.NewReader(body))
	req.Header.Set("Authorization", "Bearer "+key)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	got := httptest.NewRecorder()
	defer func() {
		if v := recover(); v != nil && v != http.ErrAbortHandler {
			panic(v)
		}
		code, text = got.Code, got.Body.String()
	}()
	r.ServeHTTP(got, req)
	return got.Code, got.Body.String()
}

// injected returns the names of the faults of the answers to a key, "-" for none, in the order of its requests.
func injected(entries []journal.Entry, key string) (list []string) {
	for _, e := range entries {
		if e.APIKey == key {
			name := e.Injected
			if name == "" {
				name = "-"
			}
			list = append(list, name)
		}
	}
	return list
}

const streamed = `{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"Hello"}]}`

func TestEachPresetStrikesTheSameAnswersInEveryRun(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	const requests = 200
	for _, preset := range yamlfile.FaultPresets() {
		t.Run(preset.Name, func(t *testing.T) {
			t.Parallel()
			run := func(seed int64) []string {
				r := start(t, plain, server.Config{Faults: []yamlfile.Source{faultFile(preset.Name)}, Speed: server.Instant, Seed: seed})
				for i := range requests {
					r.askOnce("sk-suite", strings.ReplaceAll(streamed, "Hello", fmt.Sprint(time.Now(), i))) // the body does not matter
				}
				return injected(r.Journal(), "sk-suite")
			}
			first, again := run(1), run(1)
			if !slices.Equal(first, again) {
				t.Errorf("the faults are\n%q\nand in another run\n%q", first, again)
			}
			kinds := map[string]int{}
			for _, name := range first {
				kinds[name]++
			}
			docs, problems := yamlfile.ParseFaults(preset.Name, preset.Data)
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			for _, f := range docs[0].Faults {
				if name := f.What() + " of " + preset.Name; kinds[name] == 0 {
					t.Errorf("in %d requests %s strikes nothing: %v", requests, name, kinds)
				}
			}
			if kinds["-"] < requests/2 {
				t.Errorf("only %d of %d answers are whole", kinds["-"], requests)
			}
			if hasChance := strings.Contains(string(preset.Data), "chance"); hasChance && slices.Equal(first, run(2)) {
				t.Error("another seed draws the same faults")
			}
		})
	}
}

func TestEachKeyMeetsItsFaultsWhateverOthersAsk(t *testing.T) {
	t.Parallel()
	testflag.Heavy(t)
	const clients, requests = 32, 40
	faults := []yamlfile.Source{faultFile(`
faults:
  - { error: 500, times: 2, chance: 30% }
  - { error: 429, chance: 20% }
  - { end: cut, chance: 20%, when: { api_key: { matches: '[13579]$' } } }
`)}
	keyOf := func(client int) string { return fmt.Sprint("sk-", client) }
	alone := start(t, plain, server.Config{Faults: faults, JournalSize: clients * requests})
	for client := range clients {
		for range requests {
			alone.askOnce(keyOf(client), streamed)
		}
	}
	together := start(t, plain, server.Config{Faults: faults, JournalSize: clients * requests})
	var all sync.WaitGroup
	for client := range clients {
		all.Go(func() {
			for range requests {
				together.askOnce(keyOf(client), streamed)
			}
		})
	}
	all.Wait()
	for client := range clients {
		want := injected(alone.Journal(), keyOf(client))
		if got := injected(together.Journal(), keyOf(client)); !slices.Equal(got, want) {
			t.Errorf("client %d meets\n%q\nand alone\n%q", client, got, want)
		}
		if cut := slices.Contains(want, "cut"); cut != (client%2 == 1) {
			t.Errorf("the condition on the key decides nothing for client %d: %q", client, want)
		}
	}
}

// A suite with an API key for each test meets as many faults as one with a key for all.
func TestTheFirstRequestsOfKeysMeetDifferentFaults(t *testing.T) {
	t.Parallel()
	const keys = 400
	r := start(t, plain, server.Config{Faults: []yamlfile.Source{faultFile("429 25%")}, Speed: server.Instant})
	struck := 0
	for i := range keys {
		if code, _ := r.askOnce(fmt.Sprint("sk-", i), streamed); code == 429 {
			struck++
		}
	}
	if struck < keys/8 || struck > keys/2 {
		t.Errorf("of the first requests of %d keys %d are struck, want a quarter", keys, struck)
	}
}

// The faults of files, of the configuration, of a key and of all keys are drawn, and counted, each by
// themselves, though none of their documents has a name.
func TestFaultsOfSeveralPlacesAreDrawnByThemselves(t *testing.T) {
	t.Parallel()
	const requests = 100
	for _, tt := range []struct {
		what  string
		begin func(file, other string) *running
	}{
		{"a file and the configuration", func(file, other string) *running {
			return start(t, plain+"---\n"+file, server.Config{Faults: []yamlfile.Source{faultFile(other)}, JournalSize: requests})
		}},
		{"a key and all", func(file, other string) *running {
			r := start(t, plain, server.Config{Speed: server.Instant, JournalSize: requests})
			for key, text := range map[string]string{"k": file, "": other} {
				if err := r.PutFaults(key, faultFile(text)); err != nil {
					t.Fatal(err)
				}
			}
			return r
		}},
	} {
		r := tt.begin("faults: { error: 500, chance: 50% }", "faults: { error: 429, chance: 50% }")
		for range requests {
			r.askOnce("k", streamed)
		}
		kinds := map[string]int{}
		for _, name := range injected(r.Journal(), "k") {
			kinds[name]++
		}
		if kinds["500"] == 0 || kinds["429"] == 0 || kinds["-"] == 0 {
			t.Errorf("%s: %v", tt.what, kinds)
		}
		r = tt.begin("faults: { error: 500, times: 1 }", "faults: { error: 429, after: 2, times: 1 }")
		for range 4 {
			r.askOnce("k", streamed)
		}
		if got := injected(r.Journal(), "k"); !slices.Equal(got, []string{"500", "-", "429", "-"}) {
			t.Errorf("%s: the faults are %q", tt.what, got)
		}
	}
}

func TestAFaultStrikesInItsWindow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		set, problems := server.CheckFiles(faultFile(plain), faultFile("faults: { error: 503, after: 10s, for: 20s }"))
		if problems != nil {
			t.Fatal(problems)
		}
		s, err := server.New(server.Config{Scenarios: set})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		r := &running{Server: s}
		status := func() int { code, _ := r.askOnce("k", streamed); return code }
		expect := func(at string, want int) {
			t.Helper()
			if got := status(); got != want {
				t.Errorf("%s: the status is %d, want %d", at, got, want)
			}
		}
		expect("at the start", 200)
		time.Sleep(10*time.Second - 1)
		expect("just before the window", 200)
		time.Sleep(time.Nanosecond)
		expect("as it opens", 503)
		time.Sleep(20*time.Second - 1)
		expect("just before its end", 503)
		time.Sleep(time.Nanosecond)
		expect("at its end", 200)
		s.Reset()
		expect("after a reset", 200)
		time.Sleep(10 * time.Second)
		expect("in the window after a reset", 503)
		if err := s.PutFaults("k", faultFile("{ error: 500, after: 1s }")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		expect("in the window of faults that were put", 500)
		s.ResetKey("k")
		expect("without the faults that were put", 503)
	})
}

func TestAStruckAnswerLeavesTheReplyToTheRetry(t *testing.T) {
	t.Parallel()
	const row = `
name: row
replies:
  - { times: 1, message: { content: first, by: all } }
  - { times: 1, message: { content: second, by: all } }
`
	for _, c := range []struct {
		fault string
		taken bool
	}{
		{"{ error: 500, times: 1 }", false},
		{"{ end: cut, times: 1 }", false},
		{"{ end: refuse, times: 1 }", false},
		{"{ end: linger, times: 1 }", true},
		{"{ wire: { newline: crlf }, times: 1 }", true},
	} {
		r := start(t, row, server.Config{Faults: []yamlfile.Source{faultFile(c.fault)}, Speed: server.Instant})
		r.askOnce("k", streamed)
		_, text := r.askOnce("k", streamed)
		if got := strings.Contains(text, "second"); got != c.taken {
			t.Errorf("%s: the next answer is\n%s", c.fault, text)
		}
		if got := injected(r.Journal(), "k"); got[0] == "-" || got[1] != "-" {
			t.Errorf("%s: the journal names %q", c.fault, got)
		}
	}
}

func TestFaultsOfTheHeaderThenOfTheKeyThenOfAll(t *testing.T) {
	t.Parallel()
	r := start(t, plain, server.Config{Faults: []yamlfile.Source{faultFile("501")}})
	expect := func(what, key string, want int, header ...string) {
		t.Helper()
		if got, _ := r.askOnce(key, streamed, header...); got != want {
			t.Errorf("%s: the status is %d, want %d", what, got, want)
		}
	}
	put := func(key, text string) {
		t.Helper()
		var files []yamlfile.Source
		if text != "" {
			files = append(files, faultFile(text))
		}
		if err := r.PutFaults(key, files...); err != nil {
			t.Fatal(err)
		}
	}
	expect("the faults of the server", "a", 501)
	put("", "502")
	expect("those of all keys", "a", 502)
	put("a", "{ error: 503, times: 1 }")
	expect("those of the header", "a", 504, "X-Fakeopenai-Fault", "504")
	expect("those of the key", "a", 503)
	expect("those of the key, used up", "a", 502)
	expect("those of another key", "b", 502)
	put("a", "{ error: 503, times: 1 }")
	expect("those that are put again", "a", 503)
	if err := r.PutScenarios("a", yamlfile.Source{Name: "s.yaml", Data: []byte("name: own\nmessage: hi\n---\nfaults: 505")}); err != nil {
		t.Fatal(err)
	}
	expect("those beside scenarios that are put", "a", 505)
	put("a", "")
	put("", "")
	expect("those of the server again", "a", 501)
	if got := r.Journal()[len(r.Journal())-1].Scenario; got != "own" {
		t.Errorf("removing the faults of the key removed its scenarios: %q answers", got)
	}
	r.Reset()
	expect("after a reset", "a", 501)
}

func TestWrongFaults(t *testing.T) {
	t.Parallel()
	r := start(t, plain+"---\nname: whole\nwhen: { surface: responses }\nmessage: hi\nfaults: false\n", server.Config{})
	for text, want := range map[string]string{
		"429 101%":                             "faults.yaml:1:1: expected a chance such as 0.25 or 25%, found 101% (write at most 100%)",
		"429 0%":                               "a chance of 0 is never",
		"429 often please":                     "is no fault (write a status or an ending and its chance",
		"399":                                  "399 is no status of an error",
		"'+429 5%'":                            `there is no fault "+429"`,
		"0503":                                 `there is no fault "0503"`,
		"slow-strat":                           `there is no fault "slow-strat" (did you mean "slow-start"?)`,
		"brownout 5%":                          "chances of their own",
		"{ chance: 1% }":                       "a fault needs one of error, pace, wire, damage, end",
		"{ error: 500, after: 5s, for: 3 }":    "after and for do not fit together",
		"{ error: 500, for: 0 }":               "it must be at least 1",
		"{ error: 500, for: 0s }":              "a window of 0s is never open",
		"{ message: hi }":                      "faults.yaml:1:1: this is a scenario, and no document of faults (play it from a scenario file, or with PUT /_fake/scenarios)",
		"name: x\nmessage: hi\nfaults: false":  "this is a scenario",
		"faults: { message: hi }":              "a fault has no answer of its own",
		"{ end: { cut: { after: 90 } } }":      "fault 1 (cut) strikes nothing: cut after: there is no frame 90",
		"{ damage: [{ drop: refusal }] }":      "strikes nothing: drop: there is no frame of the kind refusal",
		"{ pace: { distribution: uniform } }":  "strikes nothing: distribution has no effect here",
		"{ error: 500, when: { surface: x } }": "expected one of chat",
		"{ end: cut, when: { surface: responses } }\n---\nwhen: { surface: chat }\nfaults: { end: cut, when: { surface: responses } }": "no scenario gives an answer",
		"[500, 503 1%]":                                "fault 2 (503) strikes nothing: the 500 before it strikes every request",
		"503\n---\n429 5%":                             "fault 1 (429) strikes nothing: the 503 before it",
		"{ error: '{{ .nothing }}' }":                  "nothing",
		"{ error: { message: x, omit: [elsewhere] } }": "elsewhere",
		"": "faults.yaml:1:1: there is no fault in it (write a status",
	} {
		err := r.PutFaults("", faultFile(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want %q", text, err, want)
		}
		if list, ok := errors.AsType[diag.List](err); ok && list[0].Line == 0 {
			t.Errorf("%s: %v has no place", text, list[0])
		}
	}
	if got := r.Faults(""); len(got) > 0 {
		t.Errorf("after errors there are faults: %v", got)
	}
	long := r.PutFaults("", faultFile("503 5%\n#"+strings.Repeat("x", 64<<10)))
	if long == nil || !strings.Contains(long.Error(), "the faults are 65544 bytes long, and can have 65536") {
		t.Errorf("faults of any length are read: %v", long)
	}
	wantContains(t, r.ask("PUT", "/_fake/faults", "429 500%", http.StatusUnprocessableEntity), `"fake_faults"`, "The old faults are kept: ")
	if _, err := server.New(server.Config{Scenarios: r.Scenarios(), Faults: []yamlfile.Source{faultFile("{ end: { cut: { after: 90 } } }")}}); err == nil {
		t.Error("a server begins with a fault that strikes nothing")
	}
}

func TestAnAnswerThatCannotHaveAFaultIsNotStruck(t *testing.T) {
	t.Parallel()
	r := start(t, `
name: long
message: { content: one two three four five six, by: word }
---
name: short
when: { user: short }
message: { content: one, by: word }
---
name: kept
when: { user: kept }
message: hi
faults: false
---
name: wrong
when: { user: wrong }
error: 400
`, server.Config{Faults: []yamlfile.Source{faultFile("{ end: { cut: { after: 5 } } }")}})
	for user, want := range map[string]string{
		"long": "", "short": "cut after: there is no frame 5", "kept": "the reply says faults: false", "wrong": "cut after: there is no frame 5",
	} {
		r.askOnce("k", strings.ReplaceAll(streamed, "Hello", user))
		e := r.Journal()[len(r.Journal())-1]
		if want == "" && e.Injected != "cut" || want != "" && (e.Injected != "" || !strings.Contains(fmt.Sprint(e.Chance), "fault 1 (cut): not drawn: "+want)) {
			t.Errorf("%s: struck by %q, drawn %q", user, e.Injected, e.Chance)
		}
	}
	r.askOnce("k", strings.ReplaceAll(streamed, `"stream":true,`, ""))
	if e := r.Journal()[len(r.Journal())-1]; e.Injected != "" || len(e.Chance) != 1 {
		t.Errorf("an answer in one piece is struck by %q, drawn %q", e.Injected, e.Chance)
	}
}

// Where no scenario answers a model, a fault for this model alone strikes nothing.
func TestAFaultForAModelThatNoScenarioAnswers(t *testing.T) {
	t.Parallel()
	const mini = "name: mini\nwhen: { model: [gpt-4o-mini, o3*] }\nmessage: hi\n"
	for _, tt := range []struct {
		scenarios, fault string
		strikes          bool
	}{
		{mini, "{ error: 500, when: { model: gpt-5 } }", false},
		{mini, "{ error: 500, when: { model: [gpt-5, gpt-4o] } }", false},
		{mini, "when: { model: gpt-5 }\nfaults: 500", false},
		{mini, "{ error: 500, when: { model: gpt-4o-mini } }", true},
		{mini, "{ error: 500, when: { model: 'gpt-4o*' } }", true},
		{mini, "{ error: 500, when: { model: o3-mini } }", true},
		{mini, "{ error: 500, when: { model: '*-pro' } }", true}, // o3-pro
		{mini, "{ error: 500, when: { model: text-embedding-3-large } }", true},
		{mini, "{ error: 500, when: { model: gpt-5, surface: embeddings } }", true},
		{plain, "{ error: 500, when: { model: gpt-5 } }", true},
		{"name: row\nreplies: [{ when: { model: gpt-5 }, message: a }, { when: { model: o3 }, message: b }]\n", "{ error: 500, when: { model: o3 } }", true},
		{"name: row\nreplies: [{ when: { model: gpt-5 }, message: a }, { when: { model: o3 }, message: b }]\n", "{ error: 500, when: { model: gpt-4o } }", false},
	} {
		r := start(t, tt.scenarios, server.Config{})
		err := r.PutFaults("", faultFile(tt.fault))
		if strikes := err == nil; strikes != tt.strikes || err != nil && !strings.Contains(err.Error(), "strikes nothing: no scenario gives an answer for which its conditions hold") {
			t.Errorf("%s, with %s: %v", tt.fault, tt.scenarios, err)
		}
	}
}

// Endpoints that no scenario answers can have the errors of faults, and say in the journal which they
// cannot have.
func TestFaultsStrikeWhatNoScenarioAnswers(t *testing.T) {
	t.Parallel()
	r := start(t, plain, server.Config{})
	made := r.create(`{"model":"gpt-4o","input":"hi"}`)
	r.ended()
	for _, tt := range []struct{ method, path, body string }{
		{"GET", "/v1/models", ""}, {"GET", "/v1/models/gpt-4o", ""}, {"GET", "/v1/responses/" + id(t, made), ""},
		{"POST", "/v1/conversations", "{}"}, {"POST", "/v1/responses/input_tokens", `{"model":"gpt-4o","input":"hi"}`},
	} {
		for _, fault := range []struct {
			text           string
			status         int
			injected, note string
		}{
			{"{ error: 502, when: { attempt: 1 } }", 502, "502", "fault 1 (502): drawn"},
			{"503", 503, "503", "fault 1 (503): drawn"},
			{"[cut, { error: { status: 429, retry_after: 2s } }]", 429, "429", "fault 1 (cut): not drawn: no scenario gives the answer, which can have an error alone"},
			{"{ error: 500, when: { header: { X-A: no } } }", 200, "", ""},
		} {
			if err := r.PutFaults("", faultFile(fault.text)); err != nil {
				t.Fatal(err)
			}
			resp := r.do(tt.method, tt.path, tt.body)
			e := r.ended()
			if resp.StatusCode != fault.status || e.Status != fault.status || e.Injected != fault.injected || !strings.Contains(fmt.Sprint(e.Chance), fault.note) {
				t.Errorf("%s %s with %s: %d, struck by %q, drawn %q", tt.method, tt.path, fault.text, e.Status, e.Injected, e.Chance)
			}
			if fault.status == 429 && resp.Header.Get("Retry-After") != "2" {
				t.Errorf("%s %s with %s has the header %v", tt.method, tt.path, fault.text, resp.Header)
			}
			resp.Body.Close()
		}
	}
}

// An orderly end leaves [DONE] out: the stream of a path that sends none is as it was.
func TestAStreamWithoutDoneHasNoFaultThatLeavesItOut(t *testing.T) {
	t.Parallel()
	r := start(t, plain+`---
name: path
when: { path: /v1/batch }
stream: [{ event: { data: a } }]
---
name: marked
when: { path: /v1/marked }
stream: [{ event: { data: a } }]
wire: { done: 1 }
---
name: chat
when: { model: chat }
stream: [{ role: assistant, content: Hi }, { finish: stop }]
---
name: no-done
when: { model: no-done }
wire: { done: false }
stream: [{ role: assistant, content: Hi }, { finish: stop }]
---
name: responses
when: { surface: responses, model: steps }
stream: [{ content: Hi }, { finish: stop }]
---
name: message
when: { surface: responses, model: message }
message: Hi
`, server.Config{Faults: []yamlfile.Source{faultFile("close")}})
	const chat, responses = `{"stream":true,"messages":[{"role":"user","content":"x"}],"model":`, `{"stream":true,"input":"x","model":`
	for request, want := range map[string]string{
		"GET /v1/batch ": "", "GET /v1/marked ": "close", "POST /v1/chat/completions " + chat + `"chat"}`: "close", "POST /v1/chat/completions " + chat + `"no-done"}`: "",
		"POST /v1/responses " + responses + `"steps"}`: "", "POST /v1/responses " + responses + `"message"}`: "close",
	} {
		parts := strings.SplitN(request, " ", 3)
		path := parts[1] + parts[2]
		resp := r.do(parts[0], parts[1], parts[2])
		resp.Body.Close()
		if e := r.ended(); e.Injected != want {
			t.Errorf("%s: struck by %q, drawn %q", path, e.Injected, e.Chance)
		}
	}
}

// The answer to a request that is made in the background is that it is queued: nothing can go wrong with
// its stream.
func TestAQueuedAnswerHasNoFaultOfAStream(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ fault, injected, note string }{
		{"cut", "", "fault 1 (cut): not drawn: it is answered as queued"},
		{"[{ wire: { header_delay: 1ms } }, { pace: { first: 1ms } }]", "pace", "fault 1 (wire): not drawn: it is answered as queued"},
		{"500", "500", "fault 1 (500): drawn"},
	} {
		r := start(t, plain, server.Config{Faults: []yamlfile.Source{faultFile(tt.fault)}})
		_ = r.do("POST", "/v1/responses", `{"model":"gpt-4o","input":"hi","background":true}`)
		if e := r.ended(); e.Injected != tt.injected || !strings.Contains(fmt.Sprint(e.Chance), tt.note) {
			t.Errorf("%s: struck by %q, drawn %q", tt.fault, e.Injected, e.Chance)
		}
		_ = r.do("POST", "/v1/responses", `{"model":"gpt-4o","input":"hi","background":true,"stream":true}`)
		if e := r.ended(); e.Injected == "" {
			t.Errorf("%s: the stream is not struck: %q", tt.fault, e.Chance)
		}
	}
}

// Over WebSocket a fault whose word has no meaning there does not strike, and the journal says so.
func TestFaultsOverWebSocket(t *testing.T) {
	t.Parallel()
	for fault, want := range map[string]string{
		"{ wire: { split: byte } }": "split", "{ wire: { newline: crlf } }": "newline", "{ wire: { gzip: flush } }": "gzip",
		"{ wire: { bom: true } }": "bom", "{ wire: { headers: { X-A: b } } }": "headers", "{ wire: { status: 500 } }": "status",
		"{ wire: { content_type: a/b } }": "content_type", "{ wire: { ids: true } }": "ids", "{ wire: { coalesce: 3 }, pace: { every: 1ms } }": "coalesce",
		"{ wire: { space: false } }": "space", "{ wire: { retry: 3 } }": "retry", "{ wire: { multiline_data: true } }": "multiline_data",
		"{ wire: { length: close } }": "length",
		"{ wire: { done: 2 } }":       "", "{ wire: { comments_between: x } }": "", "{ damage: [{ drop: content }] }": "", "{ pace: { first: 1ms } }": "",
	} {
		c, s, ended := converse(t, plain, server.Config{Faults: []yamlfile.Source{faultFile(fault)}})
		for range 2 { // the second finds what the first has left in the cache
			c.in <- `{"type":"response.create","model":"gpt-4o","input":"hi"}`
		}
		go func() {
			for over := false; !over; {
				select {
				case <-c.out:
				case <-c.over:
					over = true
				}
			}
		}()
		for range 2 {
			e := testflag.Receive(t, ended)
			note := "fault 1 (wire): not drawn: " + want + " has no effect here: a WebSocket message"
			if want == "" && e.Injected == "" || want != "" && (e.Injected != "" || !strings.Contains(fmt.Sprint(e.Chance), note)) || e.Fault {
				t.Errorf("%s: struck by %q, drawn %q: %s", fault, e.Injected, e.Chance, e.Problem)
			}
		}
		s.Close()
	}
}

// What the server says by itself is struck like the answers of scenarios.
func TestFaultsStrikeEmbeddings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ fault, injected, drawn string }{
		{"503", "503", "fault 1 (503): drawn"},
		{"{ end: { cut: { byte: 20 } } }", "cut", "fault 1 (cut): drawn"},
		{"{ end: cut, when: { surface: embeddings } }", "cut", "fault 1 (cut): drawn"},
		{"[{ damage: [{ drop: content }] }, { wire: { header_delay: 1ms } }]", "wire", "fault 1 (drop): not drawn: "},
	} {
		r := start(t, plain, server.Config{Faults: []yamlfile.Source{faultFile(tt.fault)}})
		_ = r.do("POST", "/v1/embeddings", `{"model":"text-embedding-3-small","input":"x","dimensions":3}`)
		e := r.ended()
		if e.Injected != tt.injected || !strings.Contains(fmt.Sprint(e.Chance), tt.drawn) {
			t.Errorf("%s: struck by %q, drawn %q", tt.fault, e.Injected, e.Chance)
		}
	}
}

// The header takes the short form alone, and says so in a line that repeats nothing of a long one.
func TestTheHeaderTakesAShortText(t *testing.T) {
	t.Parallel()
	r := start(t, plain, server.Config{})
	for _, tt := range []struct {
		text   string
		status int
		want   string
	}{
		{"503", 503, `"code": null`},
		{"cut", 200, `"content":"one"`},
		{"slow-start", 200, "[DONE]"}, // its first fault: these count the attempts of the request
		{"brownuot", 400, `there is no fault \"brownuot\" (did you mean \"brownout\"?)`},
		{"429 5", 400, "The header X-Fakeopenai-Fault is wrong: expected a chance such as 0.25 or 25%, found 5"},
		{"", 400, "takes one status, ending or preset"},
		{"{ error: 503 }", 400, "takes one status, ending or preset"},
		{"[503]", 400, "takes one status, ending or preset"},
		{"error: 503", 400, "takes one status, ending or preset"},
		{"cut" + strings.Repeat(" ", 254), 400, "in 256 bytes; for all else there is PUT /_fake/faults?api_key=KEY."},
	} {
		code, body := r.askOnce("k", streamed, "X-Fakeopenai-Fault", tt.text)
		if code != tt.status || !strings.Contains(body, tt.want) || code == 400 && (!strings.Contains(body, "fake_faults") || len(body) > 400) {
			t.Errorf("the header %q gets %d\n%s", tt.text, code, body)
		}
	}
	if resp := r.chat(ask, "X-Fakeopenai-Fault: 500", "X-Fakeopenai-Fault: 503"); resp.StatusCode != 400 {
		t.Errorf("of two headers one is ignored: %d", resp.StatusCode)
	}
	// What is drawn follows from the request and its attempt.
	draw := func() (drawn []int) {
		for range 40 {
			code, _ := r.askOnce("k", streamed, "X-Fakeopenai-Fault", "503 50%")
			drawn = append(drawn, code)
		}
		return drawn
	}
	r.Reset()
	first := draw()
	r.Reset()
	if again := draw(); !slices.Equal(first, again) || !slices.Contains(first, 503) || !slices.Contains(first, 200) {
		t.Errorf("drawn are %d and, after a reset, %d", first, again)
	}
}

// allocated is how many bytes a function allocates.
func allocated(f func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// heldAfter is how many bytes of the heap more are in use after a function has returned.
func heldAfter(f func()) int {
	inUse := func() int {
		var m runtime.MemStats
		for range 2 { // the second empties the pools
			runtime.GC()
		}
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before := inUse()
	f()
	return inUse() - before
}

// Not parallel: the memory of other tests would count.
func TestFaultsAreBounded(t *testing.T) {
	testflag.NoRace(t)
	r := start(t, plain, server.Config{Speed: server.Instant, JournalSize: 1})
	t.Run("nothing of a header is kept", func(t *testing.T) {
		ask := func(from float64) {
			for i := range 1000 {
				r.askOnce("k", streamed, "X-Fakeopenai-Fault", fmt.Sprint("cut ", from+float64(i)/10_001))
			}
		}
		ask(0.1) // what remains of these, the test itself holds
		if held := heldAfter(func() { ask(0.9) }); held > 100_000 {
			t.Errorf("after 1,000 headers %d bytes are held", held)
		}
	})
	t.Run("by what they take of memory", func(t *testing.T) {
		const short, regexps = "- error: 500\n  times: 1\n", "- error: 500\n  times: 1\n  when: { user: { matches: '(a|b|c)*17$' } }\n"
		for text, often := range map[string]int{short: 2000, regexps: 900} {
			keys, refused := 0, error(nil)
			held := heldAfter(func() {
				for ; keys < 100 && refused == nil; keys++ {
					refused = r.PutFaults(fmt.Sprint(keys), faultFile(strings.Repeat(text, often)))
				}
			})
			const most = 64 << 20
			if refused == nil || held > most*11/10 || held < most*3/4 {
				t.Errorf("the faults of %d keys take %d bytes of memory, and then: %v", keys, held, refused)
			}
			r.Reset()
		}
		err := r.PutFaults("k", faultFile(strings.Repeat("- 500 1%\n", 7000)))
		if err == nil || !strings.Contains(err.Error(), "of this API key take") || !strings.Contains(err.Error(), "and can take 16777216; leave some out") {
			t.Errorf("those of one key: %v", err)
		}
	})
	t.Run("a reset forgets them", func(t *testing.T) {
		if held := heldAfter(func() {
			for i := range 30 {
				if err := r.PutFaults("k", faultFile(strings.Repeat(fmt.Sprintf("- { end: cut, times: %d }\n", i+1), 300))); err != nil {
					t.Fatal(err)
				}
				r.askOnce("k", streamed)
			}
			r.Reset()
		}); held > 500_000 {
			t.Errorf("%d bytes are held", held)
		}
	})
	t.Run("what cannot fit a request costs it nothing", func(t *testing.T) {
		key := strings.Repeat("k", 400_000)
		work := func(faults int) int {
			if err := r.PutFaults("", faultFile(strings.Repeat("faults: { error: 500, times: 3, chance: 1%, when: { attempt: 99 } }\n---\n", faults))); err != nil {
				t.Fatal(err)
			}
			return allocated(func() { r.askOnce(key, streamed) })
		}
		if few, many := work(1), work(600); many > few+200_000 {
			t.Errorf("a request allocates %d bytes with one fault, and %d with 600", few, many)
		}
		const chances = 500 // which fit, and are drawn
		if err := r.PutFaults("", faultFile(strings.Repeat("- 500 0.001%\n", chances))); err != nil {
			t.Fatal(err)
		}
		if bytes := allocated(func() { r.askOnce(key, streamed) }); bytes > 10*len(key) {
			t.Errorf("a request with a key of %d bytes allocates %d to draw %d faults", len(key), bytes, chances)
		}
	})
}
