package server_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/server"
)

// Patterns are not listed, a model that scenarios name is listed once, and one that no scenario
// answers is not.
func TestModelsAreListed(t *testing.T) {
	t.Parallel()
	r := start(t, "name: a\nwhen: { model: gpt-4o }\nmessage: { content: x }\n---\n"+
		"name: b\nwhen: { model: 'org/my-model' }\nmessage: { content: x }\n---\n"+
		"name: c\nwhen: { model: 'fake:a' }\nmessage: { content: x }\n---\n"+
		"name: d\nwhen: { model: 'gpt-*' }\nmessage: { content: x }\n---\n"+
		"name: e\nreplies: [{ when: { model: [first, 'first-*', second] }, message: x }]\n", server.Config{})
	text := r.get("/v1/models", http.StatusOK)
	list := decode[struct {
		Data []struct {
			ID    string `json:"id"`
			Owner string `json:"owned_by"`
		}
	}](t, text)
	lists := map[bool][]string{}
	for _, m := range list.Data {
		lists[m.Owner == "fakeopenai"] = append(lists[m.Owner == "fakeopenai"], m.ID)
	}
	for own, want := range map[bool][]string{
		false: {"gpt-3.5-turbo", "gpt-4", "gpt-4-turbo", "gpt-4o", "gpt-4o-mini", "gpt-4.1", "gpt-4.1-mini", "gpt-5", "gpt-5-mini"},
		true:  {"org/my-model", "fake:a", "first", "second", "fake:b", "fake:c", "fake:d", "fake:e"},
	} {
		if !slices.Equal(lists[own], want) {
			t.Errorf("of the fake: %t; listed are %q, want %q", own, lists[own], want)
		}
	}
	wantContains(t, text, "{\n  \"object\": \"list\",\n  \"data\": [\n    {\n      \"id\": ")
	if bare := r.get("/models", http.StatusOK); bare != text {
		t.Error("without /v1 the list is another")
	}
	const one = "{\n  \"id\": \"org/my-model\",\n  \"object\": \"model\",\n  \"created\": 1735689600,\n  \"owned_by\": \"fakeopenai\"\n}"
	for _, path := range []string{"/v1/models/org/my-model", "/v1/models/org%2Fmy-model"} {
		if got := r.get(path, http.StatusOK); got != one {
			t.Errorf("GET %s is %q, want %q", path, got, one)
		}
	}
}

// A chat model whose name begins like the name of a reasoning model has logprobs, both in
// the check of the request and in the answer.
func TestChatModelsOfReasoningFamiliesHaveLogprobs(t *testing.T) {
	t.Parallel()
	r := start(t, "name: a\nmessage: { content: x, logprobs: true }\n", server.Config{Strict: true})
	answer := text(t, r.chat(`{"model":"gpt-5-chat-latest","messages":[{"role":"user","content":"hi"}],"logprobs":true,"stream":true}`, keyA))
	wantContains(t, answer, `"logprobs":{"content":[`, "[DONE]")
}

// GET /v1/models/{id} finds exactly the models for which a chat is answered.
func TestModelsThatChatsCanUseAreFound(t *testing.T) {
	t.Parallel()
	const named = "name: named\nwhen: { model: 'org/*' }\nmessage: hi\n---\nname: exact\nreplies:\n- when: { model: own }\n  message: hi\n---\n"
	for _, server := range []struct {
		name   string
		yaml   string
		config server.Config
		there  map[string]bool
	}{
		{"any model", named + "name: any\nmessage: hi\n", server.Config{}, map[string]bool{
			"gpt-4o": true, "gpt-4o-2024-08-06": true, "gpt-9000": true, "org/x": true, "own": true, "fake:any": true, "fake:none": false,
		}},
		{"strict", named + "name: any\nmessage: hi\n", server.Config{Strict: true}, map[string]bool{
			"gpt-4o": true, "gpt-4o-2024-08-06": true, "gpt-9000": false, "llama": false, "org/x": true, "own": true, "fake:any": true, "fake:none": false,
		}},
		{"a strict scenario", "name: any\nstrict: true\nmessage: hi\n", server.Config{}, map[string]bool{"gpt-4o": true, "llama": false}},
		{"one that is not strict", "name: any\nstrict: false\nmessage: hi\n", server.Config{Strict: true}, map[string]bool{"gpt-4o": true, "llama": true}},
		{"named models only", named, server.Config{}, map[string]bool{"llama": false, "gpt-4o": false, "org/x": true, "own": true}},
		{"no default", named + "name: any\nmessage: hi\n", server.Config{Default: server.NoDefault}, map[string]bool{"gpt-4o": false, "org/x": true}},
		{"a default", named + "name: any\nmessage: hi\n", server.Config{Default: "named"}, map[string]bool{"gpt-4o": true, "org/x": true, "own": true}},
	} {
		t.Run(server.name, func(t *testing.T) {
			t.Parallel()
			r := start(t, server.yaml, server.config)
			for id, there := range server.there {
				want := map[bool]int{true: http.StatusOK, false: http.StatusNotFound}[there]
				if got := r.do(http.MethodGet, "/v1/models/"+id, ""); got.StatusCode != want {
					t.Errorf("GET /v1/models/%s answers %d, want %d", id, got.StatusCode, want)
				}
				body := `{"model":"` + id + `","messages":[{"role":"user","content":"hi"}]}`
				if got := r.chat(body, keyA); got.StatusCode != want {
					t.Errorf("a chat with %s answers %d, want %d: %s", id, got.StatusCode, want, text(t, got))
				}
			}
		})
	}
}

// A deleted model is gone for its API key, until that is reset. One of OpenAI's cannot be deleted.
func TestModelsAreDeleted(t *testing.T) {
	t.Parallel()
	r := start(t, "name: a\nwhen: { model: ['ft:gpt-4o:me::1', gpt-4o] }\nmessage: x\n", server.Config{})
	const own, chat = "/v1/models/ft:gpt-4o:me::1", `{"model":"ft:gpt-4o:me::1","messages":[{"role":"user","content":"hi"}]}`
	find := func(key string, want int) {
		t.Helper()
		r.ask("GET", own, "", want, key)
		r.ask("POST", "/v1/chat/completions", chat, want, key)
		if got := strings.Contains(r.ask("GET", "/v1/models", "", 200, key), "ft:gpt-4o"); got != (want == 200) {
			t.Errorf("it is listed: %t", got)
		}
	}
	find(keyA, 200)
	wantContains(t, r.ask("DELETE", own, "", 200, keyA), "{\n  \"id\": \"ft:gpt-4o:me::1\",\n  \"object\": \"model\",\n  \"deleted\": true\n}")
	find(keyA, 404)
	find(keyB, 200)
	wantContains(t, r.ask("DELETE", own, "", 404, keyA), "model_not_found")
	wantContains(t, r.ask("DELETE", "/v1/models/gpt-4o", "", 403, keyA), "Only fine-tuned models")
	r.Server.Reset()
	find(keyA, 200)
}

// A model is shown as in the list that a scenario has, even when its replies are used up; others do not exist.
func TestModelsFollowAnAuthoredList(t *testing.T) {
	t.Parallel()
	r := start(t, "name: list\nwhen: { path: /v1/models, method: GET }\nreplies: [{ times: 1, wire: { body: { object: list, data: [{ id: mine, owned_by: me }] } } }]\n---\nname: a\nmessage: x\n", server.Config{})
	wantContains(t, r.get("/v1/models", http.StatusOK), "mine")
	if got := r.get("/v1/models/mine", http.StatusOK); got != "{\n  \"id\": \"mine\",\n  \"owned_by\": \"me\"\n}" {
		t.Error(got)
	}
	wantContains(t, r.get("/v1/models/gpt-4o", http.StatusNotFound), "model_not_found")
}
