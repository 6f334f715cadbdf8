package server_test

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/server"
)

// vectors are the members of an answer with embeddings that the tests look at.
type vectors struct {
	Data []struct {
		Index     int
		Embedding json.RawMessage
	}
	Model string
	Usage struct{ PromptTokens, TotalTokens int }
}

func embed(t *testing.T, r *running, body string) vectors {
	t.Helper()
	var v vectors
	if err := json.Unmarshal([]byte(r.ask(http.MethodPost, "/v1/embeddings", body, http.StatusOK)), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// Texts, tokens and lists of them are inputs, and both forms have the same numbers.
func TestEmbeddingsOfAllInputs(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{})
	for input, want := range map[string]int{`"Hi there"`: 1, `["a","b","a"]`: 3, `[1,2,3]`: 1, `[[1],[2,3]]`: 2} {
		v := embed(t, r, `{"model":"text-embedding-3-small","input":`+input+`}`)
		if len(v.Data) != want || v.Data[want-1].Index != want-1 || v.Model != "text-embedding-3-small" {
			t.Errorf("%s: %d vectors of %q, want %d", input, len(v.Data), v.Model, want)
		}
	}
	numbers, text := []float64{}, ""
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(json.Unmarshal(embed(t, r, `{"model":"text-embedding-3-large","input":"Hi"}`).Data[0].Embedding, &numbers))
	must(json.Unmarshal(embed(t, r, `{"model":"text-embedding-3-large","input":"Hi","encoding_format":"base64"}`).Data[0].Embedding, &text))
	packed, err := base64.StdEncoding.DecodeString(text)
	must(err)
	if len(numbers) != 3072 || len(packed) != 4*3072 {
		t.Fatalf("%d numbers and %d bytes, want 3072 and 4 for each", len(numbers), len(packed))
	}
	for i, n := range numbers {
		if got := math.Float32frombits(binary.LittleEndian.Uint32(packed[4*i:])); float64(got) != n {
			t.Fatalf("number %d is %v as a number and %v in base64", i, n, got)
		}
	}
}

// The real service's limits hold without strict, too, because they are about what can be answered.
func TestEmbeddingsHaveTheLimitsOfTheService(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{})
	many := strings.Repeat(`"a",`, 2048) + `"a"`
	for body, want := range map[string]string{
		`{"model":"text-embedding-3-small"}`:                                   "Missing required parameter: 'input'.",
		`{"model":"text-embedding-3-small","input":""}`:                        "'$.input' is invalid.",
		`{"model":"text-embedding-3-small","input":[]}`:                        "'$.input' is invalid.",
		`{"model":"text-embedding-3-small","input":["a",""]}`:                  "'$.input' is invalid.",
		`{"model":"text-embedding-3-small","input":["a",1]}`:                   "'$.input' is invalid.",
		`{"model":"text-embedding-3-small","input":[` + many + `]}`:            "Expected an array with maximum length 2048, but got an array with length 2049 instead.",
		`{"model":"text-embedding-3-small","input":"a","dimensions":1537}`:     "Invalid value for 'dimensions' = 1537. Must be less than or equal to 1536.",
		`{"model":"text-embedding-3-small","input":"a","dimensions":0}`:        "integer below minimum value",
		`{"model":"text-embedding-ada-002","input":"a","dimensions":8}`:        "This model does not support specifying dimensions.",
		`{"model":"text-embedding-3-small","input":"a","encoding_format":"x"}`: "Supported values: ['float', 'base64'].",
		`{"model":"my-model","input":"a","dimensions":100000}`:                 "Must be less than or equal to 8192.",
	} {
		wantContains(t, r.ask(http.MethodPost, "/v1/embeddings", body, http.StatusBadRequest), want)
	}
}

// Answers in one piece and streams do not answer for each other, but errors answer for all.
func TestARepliesFormDecidesOnItsAPI(t *testing.T) {
	t.Parallel()
	const both = `
name: both
replies:
  - embeddings: [{ vector: [1, 0] }]
  - moderations: [{ categories: { violence: 0.7 } }]
  - when: { user: boom }
    error: 503
  - message: Hello
`
	r := start(t, both, server.Config{})
	wantContains(t, r.ask(http.MethodPost, "/v1/embeddings", `{"model":"x","input":"boom"}`, http.StatusOK), "1,\n        0\n")
	wantContains(t, r.ask(http.MethodPost, "/v1/moderations", `{"input":"boom"}`, http.StatusOK), `"flagged": true`, `"violence": 0.7`)
	wantContains(t, r.ask(http.MethodPost, "/v1/chat/completions", `{"model":"gpt-4o","messages":[{"role":"user","content":"Hi"}]}`, http.StatusOK), "Hello")
	fails := start(t, "name: fails\nerror: 503\n", server.Config{})
	fails.ask(http.MethodPost, "/v1/embeddings", `{"model":"x","input":"a"}`, http.StatusServiceUnavailable)
	// One that is not the first, and asks for nothing, is meant for chat, and so are its times.
	retried := start(t, hello+"---\nname: retried\nreplies: [{ times: 1, error: 503 }, { when: { attempt: 2 }, error: 500 }, { message: Done }]\n", server.Config{})
	for range 2 {
		wantContains(t, retried.ask(http.MethodPost, "/v1/embeddings", `{"model":"x","input":"a"}`, http.StatusOK), `"embedding"`)
		wantContains(t, retried.ask(http.MethodPost, "/v1/moderations", `{"input":"a"}`, http.StatusOK), `"flagged": false`)
	}
	retried.ask(http.MethodPost, "/v1/chat/completions", `{"model":"fake:retried","messages":[]}`, http.StatusServiceUnavailable)
	for _, asked := range []string{"error: 503\nwhen: { surface: embeddings }", "replies: [{ when: { model: x }, error: 503 }]", "replies: [{ times: 1, error: 503 }, { embeddings: [] }]"} {
		asks := start(t, hello+"---\nname: asks\n"+asked+"\n", server.Config{})
		asks.ask(http.MethodPost, "/v1/embeddings", `{"model":"x","input":"a"}`, http.StatusServiceUnavailable)
	}
	chatOnly := start(t, hello, server.Config{Default: server.NoDefault})
	wantContains(t, chatOnly.ask(http.MethodPost, "/v1/embeddings", `{"model":"x","input":"a"}`, http.StatusNotFound), "fake_unmatched")
}

// A client names its scenario with each of its requests. If the scenario says nothing for the API, the
// answer is that to requests which name none; if it does, its conditions count.
func TestANamedScenarioLeavesOtherAPIsAlone(t *testing.T) {
	t.Parallel()
	const named, body = "X-Fakeopenai-Scenario: ", `{"model":"text-embedding-3-small","input":"a"}`
	const file = "name: talks\nmessage: Hello\n---\nname: embeds\nreplies: [{ when: { user: b }, embeddings: [] }]\n"
	r := start(t, file, server.Config{})
	wantContains(t, r.ask(http.MethodPost, "/v1/embeddings", body, http.StatusOK, named+"talks"), `"embedding"`)
	wantContains(t, r.ask(http.MethodPost, "/v1/moderations", `{"model":"fake:talks","input":"a"}`, http.StatusOK), `"flagged": false`)
	wantContains(t, r.ask(http.MethodPost, "/v1/embeddings", body, http.StatusNotFound, named+"embeds"), "fake_unmatched")
	wantContains(t, r.ask(http.MethodPost, "/v1/embeddings", body, http.StatusNotFound, named+"talk"), `did you mean \"talks\"?`)
	none := start(t, file, server.Config{Default: server.NoDefault})
	none.ask(http.MethodPost, "/v1/embeddings", body, http.StatusNotFound, named+"talks")
}

// A request for moderation needs no model.
func TestStrictModerationNeedsNoModel(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{Strict: true})
	r.ask(http.MethodPost, "/v1/moderations", `{"input":"a"}`, http.StatusOK, keyA)
	wantContains(t, r.ask(http.MethodPost, "/v1/moderations", `{"model":"nope","input":"a"}`, http.StatusNotFound, keyA), "model_not_found")
}

// The list of scenarios names the form of a reply, and the list of models those of both APIs.
func TestListsKnowEmbeddings(t *testing.T) {
	t.Parallel()
	r := start(t, "name: both\nreplies: [{ embeddings: [] }, { moderations: [] }]\n", server.Config{})
	wantContains(t, r.get("/_fake/scenarios", http.StatusOK), `"kind": "embeddings"`, `"kind": "moderations"`)
	wantContains(t, r.get("/v1/models", http.StatusOK), `"text-embedding-3-small"`, `"omni-moderation-latest"`)
}

// Each text of a list has a result; parts have one together, and images only some categories.
func TestModerationsOfAllInputs(t *testing.T) {
	t.Parallel()
	r := start(t, "name: m\nmoderations: [{ input: { contains: kill }, categories: { violence: true } }]\n", server.Config{})
	var v struct {
		Model   string
		Results []struct {
			Flagged bool
			Types   map[string][]string `json:"category_applied_input_types"`
			Scores  map[string]float64  `json:"category_scores"`
		}
	}
	moderate := func(body string) {
		t.Helper()
		v.Results = nil
		if err := json.Unmarshal([]byte(r.ask(http.MethodPost, "/v1/moderations", body, http.StatusOK)), &v); err != nil {
			t.Fatal(err)
		}
	}
	moderate(`{"input":["kill","hug"]}`)
	if len(v.Results) != 2 || !v.Results[0].Flagged || v.Results[1].Flagged || v.Model != "omni-moderation-2024-09-26" || len(v.Results[0].Scores) != 13 {
		t.Errorf("the results are %+v", v)
	}
	moderate(`{"input":[{"type":"text","text":"hug"},{"type":"image_url","image_url":{"url":"https://example.com/kill.png"}}]}`)
	if len(v.Results) != 1 || !v.Results[0].Flagged || fmt.Sprint(v.Results[0].Types["violence"], v.Results[0].Types["hate"]) != "[text image] [text]" {
		t.Errorf("the results are %+v", v)
	}
	moderate(`{"model":"text-moderation-latest","input":"hug"}`)
	if len(v.Results) != 1 || v.Results[0].Types != nil || len(v.Results[0].Scores) != 11 || v.Model != "text-moderation-007" {
		t.Errorf("the results are %+v", v)
	}
}

// Broken requests are answered, and never with a 500.
func TestBrokenRequestsForEmbeddings(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	r := start(t, hello, server.Config{})
	rnd := rand.New(rand.NewPCG(1, 2))
	seeds := map[string][]string{
		"/v1/embeddings":  {`{"model":"text-embedding-3-small","input":["a","b"],"encoding_format":"base64","dimensions":8,"user":"u"}`, `{"input":[[1,2],[3]]}`},
		"/v1/moderations": {`{"model":"omni-moderation-latest","input":["a",{"type":"image_url","image_url":{"url":"x"}}]}`, `{"input":"a"}`},
	}
	for path, bodies := range seeds {
		for i := range 500 {
			body := []byte(bodies[i%len(bodies)])
			for range 1 + rnd.IntN(3) {
				at := rnd.IntN(len(body))
				switch rnd.IntN(3) {
				case 0:
					body[at] = `{}[]",:0-e9nt`[rnd.IntN(13)]
				case 1:
					body = append(body[:at], body[at+1:]...)
				default:
					body = append(body[:at], append([]byte(`null`), body[at:]...)...)
				}
			}
			resp, err := http.Post(r.url+path, "application/json", strings.NewReader(string(body)))
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			if resp.StatusCode >= http.StatusInternalServerError {
				t.Errorf("%s is answered with %d", body, resp.StatusCode)
			}
		}
	}
}

// BenchmarkEmbeddings makes a batch of 2,048 texts, in base64.
func BenchmarkEmbeddings(b *testing.B) {
	srv, err := server.New(server.Config{Scenarios: parse(b, hello)})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(srv.Close)
	var texts []string
	for i := range 2048 {
		texts = append(texts, fmt.Sprintf("Document %d says how to reset the password of an account and where the invoice is.", i))
	}
	list, _ := json.Marshal(texts)
	body := `{"model":"text-embedding-3-small","encoding_format":"base64","input":` + string(list) + `}`
	for b.Loop() {
		req := httptest.NewRequest(http.MethodPost, "/v1/embeddings", strings.NewReader(body))
		srv.ServeHTTP(&unwritten{http.Header{}}, req)
	}
}

// The text is that of the real service: https://github.com/infiniflow/ragflow/issues/1835.
func TestStrictEmbeddingsNeedAModelOfEmbeddings(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{Strict: true})
	wantContains(t, r.ask(http.MethodPost, "/v1/embeddings", `{"model":"gpt-4o","input":"a"}`, http.StatusForbidden, "Authorization: Bearer k"), "not allowed to generate embeddings from this model")
	r.ask(http.MethodPost, "/v1/embeddings", `{"model":"text-embedding-3-small","input":"a"}`, http.StatusOK, "Authorization: Bearer k")
}
