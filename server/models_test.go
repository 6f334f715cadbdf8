package server_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"github.com/fakeopenai/fakeopenai/server"
)

func TestAModelIsListedOnce(t *testing.T) {
	t.Parallel()
	r := start(t, "name: a\nwhen: { model: gpt-4o }\nmessage: { content: x }\n---\n"+
		"name: b\nwhen: { model: my-model }\nmessage: { content: x }\n---\n"+
		"name: c\nwhen: { model: 'fake:a' }\nmessage: { content: x }\n", server.Config{})
	var list struct {
		Data []struct {
			ID    string `json:"id"`
			Owner string `json:"owned_by"`
		} `json:"data"`
	}
	if err := json.Unmarshal([]byte(r.get("/v1/models", http.StatusOK)), &list); err != nil {
		t.Fatal(err)
	}
	var real, own []string
	for _, m := range list.Data {
		if m.Owner == "fakeopenai" {
			own = append(own, m.ID)
		} else {
			real = append(real, m.ID)
		}
	}
	if want := []string{"gpt-3.5-turbo", "gpt-4", "gpt-4-turbo", "gpt-4o", "gpt-4o-mini", "gpt-4.1", "gpt-4.1-mini", "gpt-5", "gpt-5-mini", "o3", "o4-mini"}; !slices.Equal(real, want) {
		t.Errorf("of the real service are listed %q, want %q", real, want)
	}
	if want := []string{"my-model", "fake:a", "fake:b", "fake:c"}; !slices.Equal(own, want) {
		t.Errorf("of the fake are listed %q, want %q", own, want)
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
		{"named models only", named, server.Config{}, map[string]bool{"llama": false, "org/x": true, "own": true}},
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

func TestASnapshotIsAsOldAsItsAlias(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{})
	wantContains(t, r.get("/v1/models/gpt-4o-2024-08-06", http.StatusOK), `"id": "gpt-4o-2024-08-06"`, `"created": 1715367049`, `"owned_by": "system"`)
}
