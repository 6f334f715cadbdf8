package server_test

import (
	"cmp"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/server"
)

// All APIs have the same prefixes of paths. On Azure the deployment names the model.
func TestEveryPathOfTheAPIAnswers(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{})
	for _, c := range []struct{ name, body, model string }{
		{"chat/completions", `{"messages":[]}`, "gpt-4o-2024-08-06"},
		{"completions", `{"prompt":"Hi"}`, "gpt-3.5-turbo-instruct:20230824-v2"},
		{"responses", `{"model":"gpt-4o","input":"hi"}`, "gpt-4o-2024-08-06"},
	} {
		paths := []string{"/v1/" + c.name, "/" + c.name, "/openai/v1/" + c.name, "/openai/deployments/mine/" + c.name + "?api-version=2024-10-21"}
		if c.name == "responses" {
			paths[3] = "/openai/responses?api-version=2025-04-01-preview"
		}
		for _, path := range paths {
			model := c.model
			if strings.Contains(path, "mine") {
				model = "mine"
			}
			wantContains(t, r.ask(http.MethodPost, path, c.body, http.StatusOK), `"Hello."`, `"model": "`+model+`"`)
		}
	}
	r.get("/v1/completions", http.StatusMethodNotAllowed)
	r.get("/v1/responses", http.StatusUpgradeRequired)
	wantContains(t, r.get("/_fake/", http.StatusOK), "/v1/responses")
}

func TestStreamingIsDecidedByTheBodyAlone(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{})

	streamed := r.chat(ask, "Accept: application/json")
	if got := streamed.Header.Get("Content-Type"); got != "text/event-stream; charset=utf-8" {
		t.Errorf("with stream: true the content type is %q", got)
	}
	whole := r.chat(`{"model":"gpt-4o","messages":[]}`, "Accept: text/event-stream")
	if got := whole.Header.Get("Content-Type"); got != "application/json" {
		t.Errorf("without stream the content type is %q", got)
	}
	wantContains(t, text(t, whole), `"object": "chat.completion"`, `"content": "Hello."`)
}

func TestAnAzureDeploymentNamesTheModelAndTheLayout(t *testing.T) {
	t.Parallel()
	r := start(t, "name: azure\nwhen: { model: my gpt }\nmessage: { content: Hello. }\n", server.Config{})

	resp := r.do(http.MethodPost, "/openai/deployments/my%20gpt/chat/completions", `{"stream":true,"messages":[]}`)

	wantStatus(t, resp, http.StatusOK)
	wantContains(t, text(t, resp), `data: {"choices":[`, `"content_filter_results"`)
	if id := resp.Header.Get("X-Request-Id"); !uuidPattern.MatchString(id) {
		t.Errorf("x-request-id is %q, want a UUID", id)
	}
	for _, name := range []string{"Apim-Request-Id", "X-Ms-Region"} {
		if resp.Header.Get(name) == "" {
			t.Errorf("there is no header %s", name)
		}
	}
	if got := resp.Header.Get("Openai-Version"); got != "" {
		t.Errorf("Azure sends openai-version %q", got)
	}
}

var uuidPattern = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$`)

func TestAnswersBearTheHeadersOfTheRealService(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{})
	patterns := map[string]string{
		"Openai-Organization":            `^fakeopenai$`,
		"Openai-Processing-Ms":           `^\d+$`,
		"Openai-Version":                 `^2020-10-01$`,
		"X-Request-Id":                   `^req_[0-9a-f]{32}$`,
		"X-Content-Type-Options":         `^nosniff$`,
		"X-Ratelimit-Limit-Requests":     `^\d+$`,
		"X-Ratelimit-Limit-Tokens":       `^\d+$`,
		"X-Ratelimit-Remaining-Requests": `^\d+$`,
		"X-Ratelimit-Remaining-Tokens":   `^\d+$`,
		"X-Ratelimit-Reset-Requests":     `^\d+(\.\d+)?m?s$`,
		"X-Ratelimit-Reset-Tokens":       `^\d+(\.\d+)?m?s$`,
		"Access-Control-Allow-Origin":    `^\*$`,
		"Cache-Control":                  `^$`,
		"X-Accel-Buffering":              `^$`,
	}
	for _, body := range []string{ask, `{"model":"gpt-4o"}`} {
		resp := r.chat(body)
		for name, pattern := range patterns {
			if got := resp.Header.Get(name); !regexp.MustCompile(pattern).MatchString(got) {
				t.Errorf("to %s the header %s is %q, want it to match %s", body, name, got, pattern)
			}
		}
	}
}

// Without limits the fields are constants; TestAScenarioIsLimitedInASlidingWindow counts down.
func TestRateLimitHeadersWithoutLimits(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{})
	for range 2 {
		h := r.chat(ask, keyA).Header
		got := []string{h.Get("X-Ratelimit-Remaining-Requests"), h.Get("X-Ratelimit-Remaining-Tokens"), h.Get("X-Ratelimit-Reset-Requests")}
		if want := []string{"9999", "1999992", "6ms"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestAScenarioCanBeAskedForByName(t *testing.T) {
	t.Parallel()
	r := start(t, hello+"---\nname: bye\nmessage: Bye.\n", server.Config{})
	const chat = "/v1/chat/completions"
	for _, c := range []struct {
		path, body, header string
		status             int
		want               string
	}{
		{chat, `{"model":"fake:bye"}`, "", 200, "Bye."},
		{chat, `{"model":"gpt-4o"}`, "X-Fakeopenai-Scenario: bye", 200, "Bye."},
		{chat, `{"model":"fake:"}`, "", 404, `such as \"fake:hello\"`},
		{chat, `{"model":"fake:by"}`, "", 404, `did you mean \"bye\"`},
		{"/openai/deployments/fake:bye/chat/completions", `{}`, "", 200, "Bye."},
		{"/openai/deployments/fake%3Abye/chat/completions", `{}`, "", 200, "Bye."},
		{"/openai/deployments/fake:by/chat/completions", `{}`, "", 404, `did you mean \"bye\"`},
	} {
		name, value, _ := strings.Cut(c.header, ": ")
		wantContains(t, r.ask("POST", c.path, c.body, c.status, cmp.Or(name, "X-None")+": "+value), c.want)
	}
}

func TestARequestThatNothingMatchesIsToldWhy(t *testing.T) {
	t.Parallel()
	r := start(t, "name: weather\nwhen: { model: gpt-4o* }\nmessage: { content: Sunny. }\n", server.Config{})

	resp := r.chat(`{"model":"o3"}`)

	wantStatus(t, resp, http.StatusNotFound)
	wantContains(t, text(t, resp), `"code": "fake_unmatched"`, `\"weather\"`, `\"o3\"`, `"type": "invalid_request_error"`)
	rec := r.ended()
	if !rec.Unmatched || rec.Scenario != "" || rec.Reply != -1 {
		t.Errorf("the record says unmatched %t, scenario %q, reply %d", rec.Unmatched, rec.Scenario, rec.Reply)
	}
	wantContains(t, rec.Problem, `"weather"`, `"o3"`)

	strict := start(t, "name: weather\nwhen: { model: gpt-4o* }\nmessage: { content: Sunny. }\n", server.Config{Strict: true})
	strict.ask(http.MethodPost, "/v1/chat/completions", `{"model":"o3","messages":[]}`, http.StatusBadRequest, keyA) // mistakes come first
}

func TestAServerWithoutScenariosSaysSo(t *testing.T) {
	t.Parallel()
	r := start(t, "", server.Config{})
	wantContains(t, r.ask(http.MethodPost, "/v1/chat/completions", ask, http.StatusNotFound), "there are no scenarios")
}

func TestTheDefaultAnswersRequestsThatNoConditionFits(t *testing.T) {
	t.Parallel()
	r := start(t, hello+"---\nname: other\nmessage: { content: Other. }\n", server.Config{Default: "other"})
	wantContains(t, text(t, r.chat(`{"model":"o3"}`)), `"Other.`)
}

const flaky = `
name: flaky
replies:
  - times: 1
    error: { status: 429, code: rate_limit_exceeded, message: Slow down. }
  - message: { content: Fine. }
`

func TestAttemptsCountTheSameRequestOfOneAPIKey(t *testing.T) {
	t.Parallel()
	r := start(t, `
name: retried
replies:
  - when: { attempt: 1 }
    error: { status: 500, message: Try again. }
  - when: { attempt: 2 }
    message: { content: Second. }
`, server.Config{})
	wantStatus(t, r.chat(ask, "Api-Key: a"), http.StatusInternalServerError)
	wantStatus(t, r.chat(ask, "Api-Key: b"), http.StatusInternalServerError)
	wantStatus(t, r.chat(`{"model":"o3"}`, "Api-Key: a"), http.StatusInternalServerError)
	wantStatus(t, r.chat(ask, "Api-Key: a"), http.StatusOK)
}

func TestAStrictServerWantsAKeyAndAModelThatIsThere(t *testing.T) {
	t.Parallel()
	const scenario = hello + "---\nname: own\nwhen: { model: house-* }\nmessage: Own.\n---\nname: other\nreplies:\n  - when: { model: mine }\n    message: Mine.\n"
	lenient, strict := start(t, scenario, server.Config{}), start(t, scenario, server.Config{Strict: true})
	for _, c := range []struct {
		path, model, header string
		status              int
		want                string
	}{
		{"/v1/chat/completions", "gpt-4o", "Accept: */*", 401, "Missing bearer or basic authentication in header"},
		{"/openai/deployments/d/chat/completions", "gpt-4o", "Accept: */*", 401, "Access denied due to invalid subscription key"},
		{"/v1/chat/completions", "gpt-4o", "Api-Key: k", 200, "Hello."},
		{"/v1/chat/completions", "gpt-9000", keyA, 404, "The model `gpt-9000` does not exist or you do not have access to it."},
		{"/openai/deployments/gpt-9000/chat/completions", "gpt-9000", keyA, 200, "Hello."},
		{"/v1/chat/completions", "text-embedding-3-small", keyA, 404, "This is not a chat model"},
		{"/v1/chat/completions", "gpt-3.5-turbo-instruct", keyA, 404, "This is not a chat model"},
		{"/v1/chat/completions", "whisper-1", keyA, 404, "This is not a chat model"},
		{"/v1/chat/completions", "ft:gpt-4o-mini-2024-07-18:org::id", keyA, 200, "Hello."},
		{"/v1/chat/completions", "ft:gpt-9000:org::id", keyA, 404, "does not exist"},
		{"/v1/chat/completions", "house-1", keyA, 200, "Own."},
		{"/v1/chat/completions", "mine", keyA, 200, "Hello."},
		{"/v1/chat/completions", "fake:hello", keyA, 200, "Hello."},
	} {
		body := `{"model":"` + c.model + `","messages":[{"role":"user","content":"hi"}]}`
		wantStatus(t, lenient.do(http.MethodPost, c.path, body, c.header), http.StatusOK)
		wantContains(t, strict.ask(http.MethodPost, c.path, body, c.status, c.header), c.want)
	}
}

// The metadata of a request with store come back in its answer.
func TestMetadataComeBack(t *testing.T) {
	t.Parallel()
	const question = `{"model":"gpt-4o","messages":[{"role":"user","content":"Hi"}],`
	for name, tt := range map[string]struct{ yaml, ask, want string }{
		"stored":          {"message: Hi", `"store":true,"metadata":{"run":"7","a":"b"}}`, "\"metadata\": {\n    \"run\": \"7\",\n    \"a\": \"b\"\n  }"},
		"not stored":      {"message: Hi", `"metadata":{"run":"7"}}`, ""},
		"null":            {"message: Hi", `"store":true,"metadata":null}`, ""},
		"a stream":        {"message: Hi", `"stream":true,"store":true,"metadata":{"run":"7"}}`, ""},
		"of a template":   {`message: "Hi {{ .last_user }}"`, `"store":true,"metadata":{"run":"8"}}`, `"run": "8"`},
		"authored":        {"envelope: { extra: { metadata: null } }\nmessage: Hi", `"store":true,"metadata":{"run":"7"}}`, `"metadata": null`},
		"with damage":     {"damage: { rename: { from: metadata, to: meta } }\nenvelope: { extra: { metadata: {} } }\nmessage: Hi", `"store":true,"metadata":{"run":"7"}}`, `"meta": {}`},
		"in another form": {"wire: { json_style: compact }\nmessage: Hi", `"store":true,"metadata":{"run":"7"}}`, `"metadata":{"run":"7"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, "name: a\n"+tt.yaml, server.Config{})
			first := text(t, r.chat(question+`"store":true,"metadata":{"run":"first"}}`))
			got := text(t, r.chat(question+tt.ask))
			wantContains(t, got, tt.want)
			if tt.want == "" && strings.Contains(got, "metadata") || strings.Contains(got, "first") {
				t.Errorf("got %s after %s", got, first)
			}
		})
	}
}

func TestModerationThatIsAskedForFlagsNothing(t *testing.T) {
	t.Parallel()
	r := start(t, "name: a\nmessage: Hi", server.Config{})
	const question = `{"model":"gpt-4o","messages":[{"role":"user","content":"Hi"}],`
	const results = `"moderation":{"input":{"type":"moderation_results","model":"omni-moderation-latest","results":[{"type":"moderation_result",`
	for name, tt := range map[string]struct{ ask, want string }{
		"streamed":    {`"stream":true,"moderation":{"model":"omni-moderation-latest"}}`, `"choices":[],` + results},
		"after usage": {`"stream":true,"stream_options":{"include_usage":true},"moderation":{"model":"omni-moderation-latest"}}`, `"choices":[],"usage":null,` + results},
		"whole":       {`"moderation":{"model":"omni-moderation-latest"}}`, results},
		"null":        {`"moderation":null}`, ""},
		"of no model": {`"moderation":{}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := strings.NewReplacer("\n", "", "  ", "", `": `, `":`).Replace(text(t, r.chat(question+tt.ask)))
			wantContains(t, got, tt.want)
			if tt.want == "" && strings.Contains(got, "moderation") || strings.Contains(got, `"flagged":true`) {
				t.Errorf("got %s", got)
			}
		})
	}
}

// fake:NAME asks for a scenario. Errors must not report it as the name of a model.
func TestErrorsDoNotTakeAScenarioForAModel(t *testing.T) {
	t.Parallel()
	for _, yaml := range []string{"error: { code: model_not_found }", "error: 429", "stream: [{ role: assistant }, { error: 429 }]"} {
		r := start(t, "name: a\n"+yaml, server.Config{})
		got := text(t, r.chat(`{"model":"fake:a","stream":true,"messages":[]}`))
		if strings.Contains(got, "fake:") || !strings.Contains(got, "gpt-4o") {
			t.Errorf("%s: %s", yaml, got)
		}
		wantContains(t, text(t, r.chat(`{"model":"gpt-4.1","stream":true,"messages":[]}`)), "gpt-4.1")
	}
}

// A function whose parameters are not told, or are a schema of anything, is called with an object.
func TestInventedArgumentsAreAnObject(t *testing.T) {
	t.Parallel()
	r := start(t, "name: x\nmessage: { tool_calls: [{ id: call_1, name: f, arguments: fake }] }\n", server.Config{})
	for _, parameters := range []string{"", `, "parameters": {}`, `, "parameters": {"type": "object"}`} {
		body := `{"model": "m", "messages": [{"role": "user", "content": "hi"}], "tools": [{"type": "function", "function": {"name": "f"` + parameters + `}}]}`
		wantContains(t, text(t, r.chat(body)), `"arguments": "{`)
	}
}

// A message with choices answers with as many choices as the request asks for.
func TestChoicesAreAsManyAsAreAskedFor(t *testing.T) {
	t.Parallel()
	r := start(t, "name: a\nreplies: [{ times: 4, message: { choices: [Heads., Tails.] } }]", server.Config{})
	ask := func(stream bool, n int) *http.Response {
		return r.chat(fmt.Sprintf(`{"model":"gpt-4o","stream":%t,"n":%d,"messages":[{"role":"user","content":"Hi"}]}`, stream, n))
	}
	// The refused requests take none of the four times.
	for _, stream := range []bool{true, false} {
		resp := ask(stream, 3)
		wantStatus(t, resp, http.StatusBadRequest)
		wantContains(t, text(t, resp), `"code": "fake_choices"`, `"param": "n"`,
			`scenario \"a\", reply 1: the message has 2 choices, and the request asks for 3: ask for n: 2 at most, or write 1 more under choices`)
	}
	for _, stream := range []bool{true, false} {
		for n := 1; n <= 2; n++ {
			resp := ask(stream, n)
			wantStatus(t, resp, http.StatusOK)
			got := text(t, resp)
			finishes := strings.Count(got, `"finish_reason":"stop"`) + strings.Count(got, `"finish_reason": "stop"`)
			if heads, tails := strings.Contains(got, "Heads"), strings.Contains(got, "Tails"); !heads || tails != (n == 2) || finishes != n {
				t.Errorf("stream %t, n = %d: %s", stream, n, got)
			}
		}
	}
}

// complete is the body of a request for a legacy completion.
const complete = `{"model":"gpt-3.5-turbo-instruct","prompt":"Say hello to Ada."}`

// complete sends a request for a legacy completion.
func (r *running) complete(body string, header ...string) *http.Response {
	r.t.Helper()
	return r.do(http.MethodPost, "/v1/completions", body, header...)
}

// A server that does not check requests answers any model on any API. A strict one returns
// the real service's error.
func TestAStrictServerRefusesModelsOfAnotherAPI(t *testing.T) {
	t.Parallel()
	tests := []struct{ path, body, message string }{
		{"/v1/completions", `{"model":"gpt-4o","prompt":"Hi"}`,
			"This is a chat model and not supported in the v1/completions endpoint. Did you mean to use v1/chat/completions?"},
		{"/v1/chat/completions", `{"model":"gpt-3.5-turbo-instruct","messages":[{"role":"user","content":"Hi"}]}`,
			"This is not a chat model and thus not supported in the v1/chat/completions endpoint. Did you mean to use v1/completions?"},
	}
	lenient, strict := start(t, hello, server.Config{}), start(t, hello, server.Config{Strict: true})
	for _, tt := range tests {
		wantStatus(t, lenient.do(http.MethodPost, tt.path, tt.body), http.StatusOK)
		resp := strict.do(http.MethodPost, tt.path, tt.body, keyA)
		wantStatus(t, resp, http.StatusNotFound)
		want := "{\n  \"error\": {\n    \"message\": \"" + tt.message + "\",\n    \"type\": \"invalid_request_error\",\n    \"param\": \"model\",\n    \"code\": null\n  }\n}"
		if got := text(t, resp); got != want {
			t.Errorf("%s: got %s\nwant %s", tt.path, got, want)
		}
	}
	wantStatus(t, strict.do(http.MethodPost, "/v1/completions", complete, keyA), http.StatusOK)
}

// A scenario that is requested by name is played on every API that can express it.
func TestAChunkOfCompletionsIsNotSaidInChat(t *testing.T) {
	t.Parallel()
	r := start(t, `
name: whole
quirks: [choice-incomplete, chunk-without-envelope]
when: { surface: completions }
stream:
  - content: Hi
  - chunk: { choices: [{ text: " there" }] }
  - { content: "!", finish: stop }
`, server.Config{})
	wantContains(t, r.ask(http.MethodPost, "/v1/chat/completions", ask, http.StatusBadRequest, "X-Fakeopenai-Scenario: whole"), "step 2 is a literal chunk of completions, which chat completions cannot express", `"fake_unsayable"`)
	wantStatus(t, r.complete(complete), http.StatusOK)
}

// A reply that a surface cannot say is refused before anything is used up.
func TestAnUnsayableReplyIsNotUsedUp(t *testing.T) {
	t.Parallel()
	r := start(t, `
name: calls
replies:
  - times: 1
    message: { tool_calls: [{ id: call_1, name: f }] }
  - message: That was all.
`, server.Config{})
	// Programs that are built for each request are checked as well.
	for _, body := range []string{complete, complete, `{"model":"m","prompt":"Hi","echo":true}`, `{"model":"m","prompt":"Hi","logprobs":1,"stream":true}`} {
		resp := r.complete(body)
		wantStatus(t, resp, http.StatusBadRequest)
		wantContains(t, text(t, resp), `scenario \"calls\", reply 1: the message holds a tool call, which completions cannot express`,
			`"code": "fake_unsayable"`, `"type": "invalid_request_error"`, `"param": null`)
		if got := resp.Header.Get("X-Should-Retry"); got != "false" {
			t.Errorf("X-Should-Retry is %q, want false", got)
		}
		if rec := r.ended(); !rec.Unmatched || !strings.Contains(rec.Problem, "a tool call") || rec.Status != http.StatusBadRequest {
			t.Errorf("the journal has unmatched %v, %q and %d", rec.Unmatched, rec.Problem, rec.Status)
		}
	}
	wantContains(t, text(t, r.chat(ask)), `"call_1"`)
	wantContains(t, text(t, r.complete(complete)), "That was all.")
}
