package server_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// askAs sends a request for a model with an API key, and returns its answer, which must have the status.
func (r *running) askAs(key, model string, status int) *http.Response {
	r.t.Helper()
	resp := r.chat(fmt.Sprintf(`{"model":%q,"messages":[{"role":"user","content":"hi"}]}`, model), "Authorization: Bearer "+key)
	if resp.StatusCode != status {
		r.t.Errorf("status %d for %s of %s, want %d: %s", resp.StatusCode, model, key, status, text(r.t, resp))
	}
	return resp
}

// wantFields compares header fields; "" stands for a field that must be absent.
func wantFields(t *testing.T, h http.Header, want map[string]string) {
	t.Helper()
	for name, value := range want {
		if got := h.Get(name); got != value {
			t.Errorf("%s is %q, want %q", name, got, value)
		}
	}
}

const three = `
name: three
limits: { rpm: 3 }
message: { content: Hello., usage: { prompt_tokens: 7, completion_tokens: 5 } }
`

func TestAScenarioIsLimitedInASlidingWindow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := local(t, three, server.Config{})
		for _, remaining := range []string{"2", "1", "0"} {
			w := r.askAs("a", "gpt-4o", 200)
			wantFields(t, w.Header, map[string]string{
				"X-Ratelimit-Limit-Requests": "3", "X-Ratelimit-Remaining-Requests": remaining, "X-Ratelimit-Reset-Requests": "1m0s",
				"X-Ratelimit-Limit-Tokens": "2000000", "X-Ratelimit-Remaining-Tokens": "1999992", "Retry-After": "",
			})
			time.Sleep(10 * time.Second)
		}
		time.Sleep(10 * time.Second) // the requests came 40, 30 and 20 seconds ago
		w := r.askAs("a", "gpt-4o", 429)
		wantFields(t, w.Header, map[string]string{
			"Retry-After": "20", "Retry-After-Ms": "20000", "Content-Type": "application/json",
			"X-Ratelimit-Limit-Requests": "3", "X-Ratelimit-Remaining-Requests": "0", "X-Ratelimit-Reset-Requests": "40s",
		})
		const body = `{
  "error": {
    "message": "Rate limit reached for gpt-4o in organization org-fakeopenai on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s. Visit https://platform.openai.com/account/rate-limits to learn more.",
    "type": "requests",
    "param": null,
    "code": "rate_limit_exceeded"
  }
}`
		if got := text(t, w); got != body {
			t.Errorf("the body is %s", got)
		}
		r.askAs("b", "gpt-4o", 200)
		time.Sleep(12500 * time.Millisecond)
		wantFields(t, r.askAs("a", "gpt-4o", 429).Header, map[string]string{
			"Retry-After": "8", "Retry-After-Ms": "7500", "X-Ratelimit-Reset-Requests": "27.5s",
		})
		time.Sleep(7500 * time.Millisecond)
		r.askAs("a", "gpt-4o", 200)
		r.askAs("a", "gpt-4o", 429)
	})
}

func TestTheJournalSaysWhatRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := local(t, "name: once\nlimits: { rpm: 1 }\nreplies:\n- { times: 1, message: one }\n- { message: two }\n", server.Config{})
		r.askAs("a", "gpt-4o", 200)
		r.askAs("a", "gpt-4o", 429)
		e := r.Journal()[1]
		if e.Limit != "rpm: 1 of scenario once" || e.Problem != "beyond the limit rpm: 1 of scenario once: 1 used, 1 requested; try again in 1m0s" {
			t.Errorf("limit %q, problem %q", e.Limit, e.Problem)
		}
		if e.Scenario != "" || e.Reply != -1 || e.Unmatched || e.Fault || !e.Failed || *e.Advice.RetryAfter != time.Minute {
			t.Errorf("the entry is %+v", e)
		}
	})
}

func TestARequestThatIsRefusedForAnotherReasonCountsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := local(t, "name: strict\nstrict: true\nlimits: { rpm: 1, concurrent: 1 }\nmessage: Hello.\n", server.Config{})
		for range 3 {
			if w := r.chat(`{"model":"gpt-4o","messages":[]}`, keyA); w.StatusCode != 400 {
				t.Fatalf("status %d", w.StatusCode)
			}
		}
		r.askAs("a", "gpt-4o", 200)
	})
}

func TestTokensAreLimited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := local(t, "name: x\nlimits: { tpm: 40 }\nmessage: { content: Hello., usage: { prompt_tokens: 20, completion_tokens: 15 } }\n", server.Config{})
		for _, stream := range []string{`"stream":true,`, ""} { // with and without usage in the answer
			if w := r.chat(`{`+stream+`"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]}`, keyA); w.StatusCode != 200 || w.Header.Get("X-Ratelimit-Remaining-Tokens") != "5" {
				t.Errorf("status %d, remaining %s", w.StatusCode, w.Header.Get("X-Ratelimit-Remaining-Tokens"))
			}
			w := r.askAs("a", "gpt-4o", 429)
			wantContains(t, text(t, w), "on tokens per min (TPM): Limit 40, Used 35, Requested 7. Please try again in 1m0s.", `"type": "tokens"`, `"code": "rate_limit_exceeded"`)
			time.Sleep(time.Minute)
		}
		w := r.chat(`{"model":"gpt-4o","messages":[{"role":"user","content":"`+strings.Repeat("word ", 50)+`"}]}`, keyA)
		wantFields(t, w.Header, map[string]string{"Retry-After": "", "Retry-After-Ms": "", "X-Ratelimit-Remaining-Tokens": "40", "X-Ratelimit-Reset-Tokens": "0s"})
		wantContains(t, text(t, w), "Request too large for gpt-4o in organization org-fakeopenai on tokens per min (TPM): Limit 40, Requested 69.")
	})
}

// An answer costs as many tokens as its usage says, also if only the request determines the
// usage.
func TestWhatIsSpentIsWhatTheUsageSays(t *testing.T) {
	t.Parallel()
	for name, yaml := range map[string]string{
		"counted":    "name: x\nmessage: one two three\n",
		"a template": "name: x\nmessage: 'one {{ .last_user }} three'\n",
		"authored":   "name: x\nmessage: { content: one, usage: { prompt_tokens: 5, completion_tokens: 6 } }\n",
		"in steps":   "name: x\nstream:\n- role: assistant\n- content: one two\n- finish: stop\n- { usage: { completion_tokens: 9 }, when_asked: true }\n",
		"a total":    "name: x\nmessage: { content: one, usage: { total_tokens: 500 } }\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := local(t, yaml, server.Config{Limits: []server.Limit{{Limits: scenarios.Limits{TPM: 2_000_000}}}})
				spent, total := 0, 0
				for _, more := range []string{"", `"stream":true,`, `"stream":true,"stream_options":{"include_usage":true},`} {
					w := r.chat(`{`+more+`"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]}`, keyA)
					if m := regexp.MustCompile(`"total_tokens": ?(\d+)`).FindStringSubmatch(text(t, w)); m != nil {
						total, _ = strconv.Atoi(m[1])
					}
					spent += total
					wantFields(t, w.Header, map[string]string{"X-Ratelimit-Remaining-Tokens": strconv.Itoa(2_000_000 - spent)})
				}
				if total == 0 {
					t.Error("no answer says what it cost")
				}
			})
		})
	}
}

func TestTheServerAndModelsAreLimited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := local(t, "name: mini\nwhen: { model: '*mini*' }\nmessage: Mini.\n---\nname: rest\nmessage: Rest.\n", server.Config{Limits: []server.Limit{
			{Model: "gpt-4o*", Limits: scenarios.Limits{RPM: 2, Window: time.Second}},
			{Limits: scenarios.Limits{RPM: 4}},
		}})
		r.askAs("a", "gpt-4o-mini", 200)
		wantFields(t, r.askAs("a", "gpt-4o", 200).Header, map[string]string{"X-Ratelimit-Limit-Requests": "2", "X-Ratelimit-Remaining-Requests": "0"})
		wantFields(t, r.askAs("a", "gpt-4o", 429).Header, map[string]string{"Retry-After": "1", "X-Ratelimit-Reset-Requests": "1s"})
		wantFields(t, r.askAs("a", "o3", 200).Header, map[string]string{"X-Ratelimit-Limit-Requests": "4", "X-Ratelimit-Remaining-Requests": "1"})
		r.askAs("a", "o3", 200)
		// If two limits refuse a request, the longer wait counts.
		wantContains(t, text(t, r.askAs("a", "gpt-4o", 429)), "Limit 4, Used 4, Requested 1. Please try again in 1m0s.")
		r.askAs("b", "gpt-4o", 200)
		entries := r.Journal()
		if got := entries[2].Limit + "; " + entries[5].Limit; got != "rpm: 2 of model gpt-4o*; rpm: 4 of the server" {
			t.Error(got)
		}
	})
}

func TestAzureRefusesInItsOwnWords(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := local(t, "name: x\nlimits: { rpm: 1, window: 1500ms }\nmessage: Hello.\n", server.Config{})
		const path = "/openai/deployments/d/chat/completions?api-version=2024-02-01"
		r.do("POST", path, `{"messages":[]}`, keyA)
		w := r.do("POST", path, `{"messages":[]}`, keyA)
		if want := `{"error":{"code":"429","message":"Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2024-02-01 have exceeded call rate limit of your current OpenAI S0 pricing tier. Please retry after 2 seconds. Please go here: https://aka.ms/oai/quotaincrease if you would like to further increase the default rate limit."}}`; w.StatusCode != 429 || text(t, w) != want {
			t.Errorf("status %d, %s", w.StatusCode, w.Body)
		}
		const responses = "/openai/v1/responses"
		r.do("POST", responses, `{"model":"m","input":"Hi"}`, "sk-other")
		if w := r.do("POST", responses, `{"model":"m","input":"Hi"}`, "sk-other"); !strings.Contains(text(t, w), "Requests to the Responses_Create Operation") {
			t.Errorf("on responses it says %s", w.Body)
		}
		wantFields(t, w.Header, map[string]string{"Retry-After": "2", "Retry-After-Ms": "1500", "X-Ratelimit-Remaining-Requests": "0", "X-Ratelimit-Reset-Requests": ""})
	})
}

func TestAResetEmptiesTheWindows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := local(t, "name: x\nlimits: { rpm: 1 }\nmessage: Hello.\n", server.Config{})
		both := func(a, b int) {
			t.Helper()
			r.askAs("a", "gpt-4o", a)
			r.askAs("b", "gpt-4o", b)
		}
		both(200, 200)
		both(429, 429)
		r.do("POST", "/_fake/reset?api_key=a", "")
		both(200, 429)
		r.do("POST", "/_fake/reset", "")
		both(200, 200)
		both(429, 429)
		if err := r.PutScenarios("a", yamlfile.Source{Name: "x.yaml", Data: []byte("name: x\nlimits: { rpm: 2 }\nmessage: Other.\n")}); err != nil {
			t.Fatal(err)
		}
		both(200, 429)
		both(200, 429)
		both(429, 429)
	})
}

func TestOpenAnswersAreLimited(t *testing.T) {
	t.Parallel()
	r := start(t, held+"limits: { concurrent: 1 }\n", server.Config{})
	for range 20 { // a client that has read its answer may send the next request at once
		open := r.chat(ask, keyA)
		wantStatus(t, open, 200)
		second := r.chat(ask, keyA)
		wantStatus(t, second, 429)
		wantFields(t, second.Header, map[string]string{"Retry-After": "1", "Retry-After-Ms": "1000"})
		wantContains(t, text(t, second), "on concurrent requests: Limit 1, Used 1, Requested 1. Please try again in 1s.", `"type": "requests"`)
		if err := r.Await(t.Context(), "middle"); err != nil {
			t.Fatal(err)
		}
		r.Release("middle")
		wantContains(t, text(t, open), "[DONE]")
	}
	wantStatus(t, r.chat(ask, keyA), 200)
	wantStatus(t, r.chat(ask, keyB), 200)
}

func TestAnAnswerWhoseClientHasGoneIsOpenNoMore(t *testing.T) {
	t.Parallel()
	r := start(t, held+"limits: { concurrent: 1 }\n", server.Config{})
	for range 3 {
		open := r.chat(ask, keyA)
		wantStatus(t, open, 200)
		open.Body.Close()
		if rec := r.ended(); rec.Delivery.Ended != journal.EndedByClient {
			t.Errorf("it ended as %s", rec.Delivery.Ended)
		}
	}
}

func TestALimitCountsOnWhenScenariosAreLoadedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := local(t, "name: x\nlimits: { rpm: 2 }\nmessage: Hello.\n", server.Config{})
		r.askAs("a", "gpt-4o", 200)
		r.askAs("a", "gpt-4o", 200)
		if err := r.SetScenarios(parse(t, "name: x\nlimits: { rpm: 3 }\nmessage: Hello.\n---\nname: y\nextends: x\n")); err != nil {
			t.Fatal(err)
		}
		r.askAs("a", "gpt-4o", 200)
		wantContains(t, text(t, r.askAs("a", "gpt-4o", 429)), "Limit 3, Used 3")
		for _, status := range []int{200, 200, 200, 429} { // a scenario that extends it has the same limits, but its own counts
			r.askAs("a", "fake:y", status)
		}
	})
}

func TestUsageIsShownByKey(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := local(t, three, server.Config{})
		r.askAs("a", "gpt-4o", 200)
		r.askAs("sk-1234567890abcdef", "gpt-4o", 200)
		time.Sleep(20 * time.Second)
		r.askAs("a", "gpt-4o", 200)
		get := func(query string) string {
			return strings.Join(strings.Fields(r.get("/_fake/usage"+query, http.StatusOK)), " ")
		}
		wantContains(t, get("?api_key=a"), `{ "usage": [ { "api_key": "… (sha256:ca978112)", "limits": [ `+
			`{ "of": "scenario three", "window": "1m0s", "requests": { "used": 2, "limit": 3, "remaining": 1, "reset": "1m0s" }, "tokens": { "used": 24 }, "open": 0 } ] } ], "forgotten": 0 }`)
		wantContains(t, get(""), `"api_key": "sk-… (sha256:`, `"api_key": "… (sha256:ca978112)"`)
		if got := get("?api_key=nobody"); got != `{ "usage": [], "forgotten": 0 }` {
			t.Error(got)
		}
	})
}

func TestTemplatesSeeWhatIsSpent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := local(t, "name: x\nlimits: { rpm: 5, tpm: 100 }\nmessage: { usage: { prompt_tokens: 8, completion_tokens: 12 }, content: '"+
			"{{ .usage.requests }} {{ .usage.remaining_requests }} {{ .usage.tokens }} {{ .usage.remaining_tokens }}' }\n", server.Config{})
		for _, want := range []string{`"1 4 7 93"`, `"2 3 27 73"`} {
			wantContains(t, text(t, r.askAs("a", "gpt-4o", 200)), want)
		}
	})
}

func TestLimitsThatMakeNoSenseAreRefused(t *testing.T) {
	t.Parallel()
	rpm := scenarios.Limits{RPM: 1}
	for want, list := range map[string][]server.Limit{
		"limits of the server: they limit nothing":           {{}},
		"limits of the server: rpm is negative":              {{Limits: scenarios.Limits{RPM: -1}}},
		"limits of model o3: window is negative":             {{Model: "o3", Limits: scenarios.Limits{RPM: 1, Window: -1}}},
		"limits of model o3: a window needs an rpm or a tpm": {{Model: "o3", Limits: scenarios.Limits{Concurrent: 1, Window: 1}}},
		"limits of model o3: they are given twice":           {{Model: "o3", Limits: rpm}, {Limits: rpm}, {Model: "o3", Limits: rpm}},
	} {
		if _, err := server.New(server.Config{Limits: list}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, err := scenarios.NewSet(&scenarios.Scenario{Name: "x", Replies: []scenarios.Reply{{Message: &scenarios.Message{}}}, Limits: scenarios.Limits{TPM: -1}}); err == nil || !strings.Contains(err.Error(), `the limits of scenario "x": tpm is negative`) {
		t.Errorf("got %v", err)
	}
}

// A request that loses the reply which was selected for it to another one, when both have been
// let in, counts once for the reply that it gets, or not at all if there is none.
func TestARequestThatLosesItsReplyCountsOnce(t *testing.T) {
	t.Parallel()
	const requests = 20
	for rest, used := range map[string]int{"": 1, "- message: rest\n": requests} {
		// All wait together for the program of the first reply, which is not built at load.
		r := local(t, "name: x\nlimits: { rpm: 1000, concurrent: 1000 }\nreplies:\n- { times: 1, message: { content: { repeat: 'word ', bytes: 20000 } } }\n"+rest, server.Config{})
		var all sync.WaitGroup
		for range requests {
			all.Go(func() { r.chat(`{"model":"gpt-4o","n":2,"messages":[]}`, keyA).Body.Close() })
		}
		all.Wait()
		limits := value(t, r.get("/_fake/usage", http.StatusOK), "usage[0].limits[0]")
		if got, _ := limits.Get("requests").Get("used").Int(); got != int64(used) || limits.Get("open").String() != "0" {
			t.Errorf("%d requests are counted, want %d: %s", got, used, limits)
		}
	}
}
