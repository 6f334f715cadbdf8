package server_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

type rowChange struct {
	Anew     bool
	Oldest   int64
	Requests []struct {
		ID, Call                       int64
		Path, Model, Scenario, Problem string
		APIKey                         string `json:"api_key"`
		Status                         int
		Failed                         bool
		Ended, End, Verdict            string
	}
}

// changes returns a function that reads the next event of the journal.
func (r *running) changes(query string) func() rowChange {
	r.t.Helper()
	resp := r.do(http.MethodGet, "/_fake/requests/events"+query, "")
	wantStatus(r.t, resp, http.StatusOK)
	lines := bufio.NewScanner(resp.Body)
	return func() rowChange {
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return decode[rowChange](r.t, data)
			}
		}
		r.t.Fatalf("the events ended: %v", lines.Err())
		return rowChange{}
	}
}

func TestEventsOfTheJournalHaveAllRequestsAndThenWhatChanges(t *testing.T) {
	t.Parallel()
	r := startWatched(t, held+"when: { user: wait }\n---"+flaky, server.Config{})
	for range 2 {
		text(t, r.chat(ask, mine)) // a 429 and its retry
	}
	text(t, r.chat(ask, theirs))
	next := r.changes("")
	got := next()
	if !got.Anew || got.Oldest != 1 || len(got.Requests) != 3 {
		t.Fatalf("the first event is %+v", got)
	}
	for i, want := range []string{"1 1 flaky 429 true complete", "2 1 flaky 200 false complete", "3 3 flaky 429 true complete"} {
		if q := got.Requests[i]; fmt.Sprintf("%d %d %s %d %t %s", q.ID, q.Call, q.Scenario, q.Status, q.Failed, q.Ended) != want {
			t.Errorf("row %d is %+v, want %s", i, q, want)
		}
	}
	if key := got.Requests[0].APIKey; key == "mine" || key == "" {
		t.Errorf("the API key is %q, want a mask", key)
	}
	ofKey := r.changes("?api_key=theirs")()
	if len(ofKey.Requests) != 1 || ofKey.Requests[0].ID != 3 {
		t.Errorf("the first event of one key is %+v", ofKey)
	}

	waits := r.chat(strings.Replace(ask, `"hi"`, `"wait"`, 1))
	await(t, r, "middle")
	if got = next(); got.Anew || len(got.Requests) != 1 || got.Requests[0].ID != 4 || got.Requests[0].Ended != "open" {
		t.Errorf("after a request the event is %+v", got)
	}
	r.Release("middle")
	text(t, waits)
	if got = next(); len(got.Requests) != 1 || got.Requests[0].Ended != "complete" {
		t.Errorf("after its end the event is %+v", got)
	}
	r.ask(http.MethodDelete, "/_fake/requests", "", http.StatusNoContent)
	if got = next(); !got.Anew || len(got.Requests) != 0 || got.Oldest != 0 {
		t.Errorf("after the journal was emptied the event is %+v", got)
	}
}

func TestEventsSayHowTheScenarioEndedAnAnswer(t *testing.T) {
	t.Parallel()
	r := start(t, "name: cut\nmessage: Hello there.\nend: { cut: { after: 1 } }\n", server.Config{})
	_, _ = io.Copy(io.Discard, r.chat(ask).Body)
	r.ended()
	if got := r.changes("")().Requests[0]; got.Ended != "as_authored" || got.End != "cut" {
		t.Errorf("the row of an answer that is cut is %+v", got)
	}
}

func TestEventsEndWhenTheServerShutsDown(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{})
	resp := r.do(http.MethodGet, "/_fake/requests/events", "")
	r.Drain() // a page that is open must not hold up a server that shuts down
	text(t, resp)
}

// Nobody looks at most journals.
func TestTracesAreKeptOnlyWhileSomebodyLooks(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{})
	asked := func() journal.Entry {
		text(t, r.chat(ask))
		return r.ended()
	}
	if e := asked(); e.Trace != nil {
		t.Errorf("without a watcher the entry has the trace %+v", e.Trace)
	}
	watching := r.do(http.MethodGet, "/_fake/requests/events", "")
	e := asked()
	if e.Trace == nil {
		t.Fatal("while somebody watches the entry has no trace")
	}
	if unwatched := text(t, start(t, hello, server.Config{Created: 1}).chat(ask)); unwatched != text(t, start(t, hello, server.Config{Created: 1, KeepTranscripts: true}).chat(ask)) {
		t.Error("a trace changes what is sent")
	}
	if writes, _ := e.Trace.Sent(); len(writes) != 1 || int64(writes[0].Bytes) != e.Delivery.Bytes {
		t.Errorf("the writes are %+v, and %d bytes were sent", writes, e.Delivery.Bytes)
	}
	watching.Body.Close()
	for e = asked(); e.Trace != nil; e = asked() { // until the server has noticed
	}
	keeping := start(t, hello, server.Config{KeepTranscripts: true})
	text(t, keeping.chat(ask))
	if e := keeping.ended(); e.Trace == nil {
		t.Error("with transcripts the entry has no trace")
	}
}

type timeline struct {
	MadeAgain bool `json:"made_again"`
	Status    int
	End       string
	Frames    []struct {
		Due              int64 `json:"due_ns"`
		Kind, Hold, Text string
	}
	Writes []struct {
		Began int64 `json:"began_ns"`
		Ended int64 `json:"ended_ns"`
		Bytes int

		Packets int
	}
	Waits []struct {
		Hold     string
		Reached  int64 `json:"reached_ns"`
		Released int64 `json:"released_ns"`
	}
}

// text is the body that was planned.
func (t timeline) text() string {
	var all strings.Builder
	for _, f := range t.Frames {
		all.WriteString(f.Text)
	}
	return all.String()
}

func (r *running) timeline(id int64) timeline {
	r.t.Helper()
	return decode[timeline](r.t, r.get(fmt.Sprintf("/_fake/requests/%d/timeline", id), http.StatusOK))
}

func TestATimelineHasWhatWasDueAndWhatWasSent(t *testing.T) {
	t.Parallel()
	r := startWatched(t, held, server.Config{KeepTranscripts: true})
	resp := r.chat(ask)
	await(t, r, "middle")
	if open := r.timeline(1); len(open.Waits) != 1 || open.Waits[0].Hold != "middle" || open.Waits[0].Released != 0 || len(open.Writes) != 1 {
		t.Errorf("while the stream waits its timeline is %+v", open)
	}
	r.Release("middle")
	body := text(t, resp)
	r.ended()
	got := r.timeline(1)
	sent := 0
	for _, w := range got.Writes {
		sent += w.Bytes
	}
	if got.text() != body || sent != len(body) || got.MadeAgain || got.Status != 200 {
		t.Errorf("the timeline is %+v, and the body %q", got, body)
	}
	if packets := got.Writes[0].Packets; runtime.GOOS == "linux" && packets != 1 {
		t.Errorf("the first write left in %d packets, want 1: %+v", packets, got.Writes)
	}
	wait := got.Waits[0]
	if first, last := got.Writes[0], got.Writes[len(got.Writes)-1]; len(got.Writes) < 2 || first.Ended > wait.Reached || wait.Released < wait.Reached || last.Began < wait.Released {
		t.Errorf("the writes are %+v, and the wait is %+v", got.Writes, wait)
	}
}

// The bytes that are made again are those that were sent: of replies that are used up, of faults, of what
// is drawn from the seed, of equal answers that are kept under ids of their own, and of scenarios that are
// played no more.
func TestATimelineWithoutATraceIsMadeAgain(t *testing.T) {
	t.Parallel()
	const yaml = `
name: mixed
when: { user: { matches: 'my (?P<thing>\w+)' } }
replies:
- times: 1
  error: { status: 503 }
- chance: 50%
  message: { content: "{{ upper .match.thing }} {{ fake \"firstname\" }}" }
- message: Other.
`
	r := start(t, yaml, server.Config{})
	var bodies []string
	asked := func(path, body, fault string) {
		got := new(bytes.Buffer)
		_, _ = got.ReadFrom(r.do(http.MethodPost, path, body, fault).Body)
		bodies = append(bodies, got.String())
		r.ended()
	}
	for i := range 8 {
		fault := "X-A: b"
		if i == 5 {
			fault = "X-Fakeopenai-Fault: cut"
		}
		asked("/v1/chat/completions", strings.Replace(ask, `"hi"`, fmt.Sprintf(`"my dog%d"`, i/2), 1), fault)
	}
	for range 2 {
		asked("/v1/responses", `{"model": "gpt-4o", "input": "my bird", "stream": true}`, "X-A: b")
	}
	if bodies[8] == bodies[9] {
		t.Fatal("equal answers that are kept have the same id")
	}
	r.ask(http.MethodPut, "/_fake/scenarios", "name: mixed\nmessage: One reply.\n", http.StatusOK)
	for i, want := range bodies {
		got := r.timeline(int64(i + 1))
		if made := got.text(); !got.MadeAgain || len(got.Writes) != 0 || made != want {
			t.Errorf("request %d: the timeline is %+v, and what was sent is %q", i+1, got, want)
		}
	}
	r.ask(http.MethodPost, "/v1/chat/completions", "no JSON", http.StatusBadRequest)
	wantContains(t, r.get("/_fake/requests/11/timeline", http.StatusNotFound), "--transcripts")
}

// However long an answer is, its writes are kept.
func TestTheTimelineOfALongAnswerHasItsWrites(t *testing.T) {
	t.Parallel()
	r := start(t, "name: long\nmessage: { fake: { words: 6000 } }\n", server.Config{KeepTranscripts: true, TranscriptLimit: 1})
	body := text(t, r.chat(ask))
	r.ended()
	if got := r.timeline(1); len(body) < 1<<20 || got.text() != body || got.MadeAgain || len(got.Writes) == 0 {
		t.Errorf("the timeline of %d bytes is made again: %t, has %d writes and %d bytes", len(body), got.MadeAgain, len(got.Writes), len(got.text()))
	}
}

func TestWhyAScenarioAnswered(t *testing.T) {
	t.Parallel()
	r := start(t, "name: rain\nwhen: { user: hi, model: o* }\nmessage: a\n---\nname: sun\nwhen: { user: hi, model: gpt-* }\nmessage: b\n---\nname: far\nwhen: { user: x, model: y, api_key: sk-1 }\nmessage: c\n", server.Config{})
	text(t, r.chat(ask, "Authorization: Bearer sk-very-secret"))
	type trial struct {
		Scenario   string
		Reply      int
		Conditions []struct {
			Condition, Reason, Value string
			Holds                    bool
		}
	}
	answer := r.get("/_fake/requests/1/why", http.StatusOK)
	got := decode[struct {
		Picked *trial
		Others []trial
	}](t, answer)
	if p := got.Picked; p == nil || p.Scenario != "sun" || p.Reply != 0 || len(p.Conditions) != 2 || !p.Conditions[0].Holds || p.Conditions[0].Value != `"gpt-4o"` || p.Conditions[1].Value != `"hi"` {
		t.Errorf("picked is %+v", p)
	}
	if o := got.Others; len(o) != 2 || o[0].Scenario != "rain" || o[1].Scenario != "far" || o[0].Conditions[0].Reason != `model is "gpt-4o", which "o*" does not match` {
		t.Errorf("the others are %+v", o)
	}
	if strings.Contains(answer, "very-secret") {
		t.Errorf("the API key is shown: %s", answer)
	}
}

func TestScenariosAreTriedWithoutBeingPlayed(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{})
	type tried struct {
		Diagnostics []struct {
			Line          int
			Message, Rule string
		}
		Scenarios []struct {
			Name    string
			Replies []struct {
				Timeline   timeline
				Problem    string
				Conditions []struct{ Holds bool }
			}
		}
	}
	try := func(yaml string) tried {
		t.Helper()
		return decode[tried](t, r.ask(http.MethodPost, "/_fake/scenarios/try", yaml, http.StatusOK))
	}
	got := try(held)
	if len(got.Diagnostics) != 0 || len(got.Scenarios) != 1 || got.Scenarios[0].Name != "held" || len(got.Scenarios[0].Replies[0].Timeline.Frames) < 5 {
		t.Errorf("a healthy scenario comes to %+v", got)
	}
	got = try("name: torn\nstream:\n- role: assistant\n- content: a\n")
	if len(got.Diagnostics) != 1 || got.Diagnostics[0].Rule != "missing-finish" || len(got.Scenarios) != 1 {
		t.Errorf("a scenario that breaks a rule comes to %+v", got)
	}
	got = try("name: a\nmesage: b\n")
	if len(got.Diagnostics) == 0 || got.Diagnostics[0].Line != 2 || len(got.Scenarios) != 0 {
		t.Errorf("a scenario that cannot be read comes to %+v", got)
	}
	if n := len(r.Scenarios().Scenarios()); n != 1 || len(r.Journal()) != 0 {
		t.Errorf("after trying there are %d scenarios and the journal %v", n, r.Journal())
	}
	text(t, r.chat(ask))
	got = decode[tried](t, r.ask(http.MethodPost, "/_fake/scenarios/try?request=1", "name: b\nreplies:\n- when: { user: bye }\n  error: { status: 429 }\n- when: { user: { matches: '(?P<word>.+)' } }\n  message: 'said {{ .match.word }}'\n", http.StatusOK))
	if replies := got.Scenarios[0].Replies; len(replies) != 2 || replies[0].Timeline.Status != 429 || replies[0].Conditions[0].Holds || !replies[1].Conditions[0].Holds || !strings.Contains(replies[1].Timeline.text(), `" hi"`) {
		t.Errorf("for a request the replies come to %+v", got)
	}
}

// A text is found in bodies and answers, wherever these are cut, and answers are compared as diff does it.
func TestRequestsAreFoundAndCompared(t *testing.T) {
	t.Parallel()
	r := start(t, "name: a\nwhen: { user: hi }\nstream: [{ role: assistant }, { content: rain }, { content: ing }, { finish: stop }]\n---\nname: b\nmessage: sunny\n", server.Config{})
	text(t, r.chat(ask))
	text(t, r.chat(strings.Replace(ask, `"hi"`, `"in Oslo"`, 1), "Authorization: Bearer sk-very-secret-key"))
	for word, want := range map[string]string{"Raining": "[1]", "oslo": "[2]", "SUNNY": "[2]", "role": "[2,1]", "snow": "[]", "very-secret": "[]"} {
		wantContains(t, strings.Join(strings.Fields(r.get("/_fake/requests/find?text="+word, http.StatusOK)), ""), `"requests":`+want)
	}
	wantContains(t, r.get("/_fake/requests/2/body", http.StatusOK), `"in Oslo"`)
	wantContains(t, r.get("/_fake/requests/2/differences?with=1", http.StatusOK), `is \"sunny\", was \"raining\"`)
	if got := r.get("/_fake/requests/1/differences?with=1", http.StatusOK); strings.Contains(got, "where") {
		t.Errorf("an answer differs from itself in %s", got)
	}
}

// The timeline says where an answer was cut: in which of its events, and after how much of it.
func TestTheTimelineOfACutAnswerSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	const steps = "stream: [{ role: assistant }, { content: a }, { content: b }, { finish: stop }]\n"
	r := start(t, "name: a\n"+steps+"end: { cut: { after: 2, byte: 7 } }\n---\nname: b\nwhen: { user: hi }\n"+steps+"end: { cut: { after: 2, inside: false } }\n", server.Config{})
	for i, torn := range []bool{false, true} {
		_, _ = io.ReadAll(r.chat(strings.Replace(ask, `"hi"`, []string{`"hi"`, `"bye"`}[i], 1)).Body) // it breaks off
		r.ended()
		var got struct{ Whole, Torn int }
		if got = decode[struct{ Whole, Torn int }](t, r.get(fmt.Sprintf("/_fake/requests/%d/timeline", i+1), http.StatusOK)); got.Whole != 5 || got.Torn > 100 != torn {
			t.Errorf("torn inside an event %t: the timeline has %+v", torn, got)
		}
	}
}

// A page in a file says of which run it is, has each trial once, and is not too long.
func TestAPageInAFileIsNotTooLong(t *testing.T) {
	testflag.Heavy(t)
	t.Parallel()
	r := start(t, "name: far\nwhen: { user: x }\nmessage: a\n---\nname: near\nmessage: b\n", server.Config{MaxBody: 8 << 20, JournalBytes: 1 << 30})
	for range 4 {
		text(t, r.chat(strings.Replace(ask, `"hi"`, `"`+strings.Repeat("a", 6<<20)+`"`, 1)))
	}
	var page bytes.Buffer
	if err := r.WritePage(&page); err != nil {
		t.Fatal(err)
	}
	_, data, _ := strings.Cut(page.String(), `id="data">`)
	data, _, _ = strings.Cut(data, "</script>")
	inside := decode[struct {
		About struct {
			Written          time.Time
			Version, Command string
			LeftOut          int `json:"left_out"`
		}
		Trials []struct{ Scenario string }
	}](t, data)
	if a := inside.About; time.Since(a.Written) > time.Hour || a.Version == "" || !strings.Contains(a.Command, "-test") || a.LeftOut != 1 || strings.Contains(data, `"requests/1/body"`) || page.Len() > 24<<20 {
		t.Errorf("the file has %d bytes, and says of itself %+v", page.Len(), a)
	}
	if len(inside.Trials) != 2 {
		t.Errorf("the trials of equal requests are %+v", inside.Trials)
	}
}

const browser = "Accept: text/html,application/xhtml+xml"

func TestThePageRunsNothingButItsOwnScript(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{})
	resp := r.do(http.MethodGet, "/_fake/", "", browser)
	policy := resp.Header.Get("Content-Security-Policy")
	wantContains(t, policy, "default-src 'none'", "script-src 'sha256-", "style-src 'sha256-", "connect-src 'self'", "frame-ancestors 'none'")
	if strings.Contains(policy, "unsafe") || resp.Header.Get("X-Content-Type-Options") != "nosniff" || resp.Header.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("the header is %v", resp.Header)
	}
	if page := text(t, resp); strings.Contains(page, "innerHTML") || strings.Contains(page, "http-equiv=\"refresh\"") || strings.Count(page, "<script") != 2 {
		t.Error("the page writes HTML")
	}
}

func TestThePageAsksForTheToken(t *testing.T) {
	t.Parallel()
	r := start(t, "name: hidden-scenario\nmessage: a\n", server.Config{AdminToken: "secret"})
	text(t, r.chat(ask))
	page := r.ask(http.MethodGet, "/_fake/", "", http.StatusUnauthorized, browser)
	wantContains(t, page, `id="ask-token"`, `id="data">null<`)
	if strings.Contains(page, "hidden-scenario") || strings.Contains(page, "secret\"") {
		t.Error("the page tells something of the server without its token")
	}
	for _, path := range []string{"/_fake/requests/events", "/_fake/requests/1/timeline", "/_fake/requests/1/why"} {
		wantContains(t, r.ask(http.MethodGet, path, "", http.StatusUnauthorized, browser), `"fake_admin_token"`)
	}
	open := start(t, hello, server.Config{})
	for _, header := range []string{"Host: rebind.test", "Sec-Fetch-Site: cross-site"} { // the other guards hold, too
		wantContains(t, open.ask(http.MethodGet, "/_fake/", "", http.StatusForbidden, browser, header), "fake_admin_refused")
	}
}

func TestAPageInAFileHasTheRunInside(t *testing.T) {
	t.Parallel()
	const hostile = "</script><img src=x onerror=alert(1)>"
	r := start(t, held, server.Config{KeepTranscripts: true})
	r.Release("middle")
	text(t, r.chat(strings.Replace(ask, `"hi"`, `"`+hostile+`"`, 1), "Authorization: Bearer sk-very-secret-key-of-mine"))
	r.ended()
	var page bytes.Buffer
	if err := r.WritePage(&page); err != nil {
		t.Fatal(err)
	}
	got := page.String()
	if strings.Contains(got, hostile) || strings.Contains(got, "very-secret") || strings.Count(got, "</script>") != 2 {
		t.Error("the page has a text that is not escaped, or a secret")
	}
	_, data, _ := strings.Cut(got, `id="data">`)
	data, _, _ = strings.Cut(data, "</script>")
	inside := decode[map[string]any](t, data)
	for _, path := range []string{"requests/events", "requests/1", "requests/1/timeline", "requests/1/why", "scenarios", "scenarios/sends", "usage"} {
		if inside[path] == nil {
			t.Errorf("the page does not have %s", path)
		}
	}
}

// Why says what the 404 says, in its order; it tells the default, what the server answers by itself and faults
// as what they are, and which reply came before.
func TestWhyTellsTheTruth(t *testing.T) {
	t.Parallel()
	const set = `
name: file
when: { path: "/v1/files/{id}", method: GET }
wire: { body: { id: a } }
---
name: weather
when: { user: { contains: weather } }
message: a
---
name: retry
when: { user: retry }
replies: [{ times: 1, error: 429 }, { message: b }]
---
name: late
when: { model: gpt-4o, user: retry }
message: c
---
name: plain
message: d
---
name: other
message: e
`
	type why struct {
		Because string
		Picked  *scenarios.Trial
		Others  []scenarios.Trial
		More    int
	}
	r := start(t, set, server.Config{Default: "plain"})
	n := 0
	ask := func(path, user, fault string) (got why, answer string) {
		t.Helper()
		n++
		answer = text(t, r.do(http.MethodPost, path, fmt.Sprintf(`{"model": "gpt-4o", "input": "a", "messages": [{"role": "user", "content": %q}]}`, user), fault))
		return decode[why](t, r.get(fmt.Sprintf("/_fake/requests/%d/why", n), http.StatusOK)), answer
	}
	is := func(what string, ok bool, got why) {
		t.Helper()
		if !ok {
			t.Errorf("%s: %+v, picked %+v", what, got, got.Picked)
		}
	}
	const chat, plain = "/v1/chat/completions", "X-A: b"
	got, _ := ask(chat, "hi", plain)
	is("the default", got.Picked != nil && got.Picked.Scenario == "plain" && strings.HasPrefix(got.Because, "It is the default") && got.More == 1, got)
	got, _ = ask(chat, "retry", plain)
	is("the first reply", got.Picked != nil && got.Picked.Reply == 0 && got.Others[0].Reason == `"retry" comes before it` && got.Others[1].Reason == "reply 1 comes before it", got)
	got, _ = ask(chat, "retry", plain)
	is("the second reply", got.Picked != nil && got.Picked.Reply == 1 && got.Others[1].Reason == "reply 1: it was given 1 of 1 times", got)
	got, _ = ask("/v1/embeddings", "hi", plain)
	is("the server itself", got.Picked == nil && got.Because == "the server answers this by itself; no scenario does", got)
	got, _ = ask(chat, "weather", "X-Fakeopenai-Fault: 500")
	is("a fault", got.Picked != nil && strings.HasPrefix(got.Because, "The fault 500"), got)
	r = start(t, strings.TrimSuffix(set, "---\nname: plain\nmessage: d\n---\nname: other\nmessage: e\n"), server.Config{})
	n = 0
	got, answer := ask(chat, "hi", plain)
	is("the 404", got.Picked == nil && got.Others[0].Scenario == "late" && strings.Contains(answer, `the nearest is \"late\": `+strings.ReplaceAll(got.Others[0].Reason, `"`, `\"`)), got)
	far := got.Others[len(got.Others)-1]
	is("a method", far.Scenario == "file" && !far.Conditions[1].Holds, got)
}
