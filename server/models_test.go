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

// A chat model whose name begins as that of reasoning models has logprobs, in
// the check as in the answer.
func TestChatModelsOfReasoningFamiliesHaveLogprobs(t *testing.T) {
	t.Parallel()
	r := start(t, "name: a\nmessage: { content: x, logprobs: true }\n", server.Config{Strict: true})
	answer := text(t, r.chat(`{"model":"gpt-5-chat-latest","messages":[{"role":"user","content":"hi"}],"logprobs":true,"stream":true}`, keyA))
	wantContains(t, answer, `"logprobs":{"content":[`, "[DONE]")
}
