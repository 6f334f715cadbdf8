package server_test

import (
	"net/http"
	"testing"

	"github.com/fakeopenai/fakeopenai/server"
)

// pages returns the ids of the items of a list, fetched one by one as the SDKs do.
func pages(t *testing.T, r *running, path string) (ids []string) {
	t.Helper()
	const most = 50
	for query := "?limit=1"; len(ids) < most; query = "?limit=1&after=" + ids[len(ids)-1] {
		page := r.ask("GET", path+query, "", http.StatusOK)
		if first, ok := member(t, page, "first_id").(string); ok {
			ids = append(ids, first)
		}
		if more, _ := member(t, page, "has_more").(bool); !more {
			return ids
		}
	}
	t.Fatalf("%s has no end: %v", path, ids)
	return nil
}

// If the same request is sent twice to a conversation, even within one second, its items have different ids.
func TestItemsOfARepeatedRequestHaveIDsOfTheirOwn(t *testing.T) {
	t.Parallel()
	r := start(t, "name: calls\nwhen: { user: call }\nmessage: { tool_calls: [{ name: look }] }\n---\n"+hello, server.Config{Created: 1_790_000_000})
	conversation := id(t, r.ask("POST", "/v1/conversations", "{}", http.StatusOK))
	seen := map[string]bool{}
	for _, input := range []string{"hi", "hi", "call", "call"} {
		got := r.create(`{"input":"` + input + `","conversation":"` + conversation + `"}`)
		names := []any{member(t, got, "id"), member(t, got, "output", 0, "id")}
		if input == "call" {
			names = append(names, member(t, got, "output", 0, "call_id"))
		}
		for _, name := range names {
			if seen[name.(string)] {
				t.Errorf("%v is there twice", name)
			}
			seen[name.(string)] = true
		}
	}
	if got := pages(t, r, "/v1/conversations/"+conversation+"/items"); len(got) != 8 {
		t.Errorf("there are %d items: %v", len(got), got)
	}
}

// A client can page through items to the end even if two items have the same id.
func TestPagesEndThoughItemsHaveOneID(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{})
	response := id(t, r.create(`{"input":[{"role":"user","id":"msg_0","content":"z"},{"role":"user","id":"msg_1","content":"a"},{"role":"user","id":"msg_2","content":"b"},{"role":"user","id":"msg_1","content":"c"}]}`))
	if got := pages(t, r, "/v1/responses/"+response+"/input_items"); len(got) == 0 {
		t.Error("there are no items")
	}
}

// A strict server refuses input items that the named conversation or previous response
// already has, as the real service does.
func TestStrictRefusesItemsThatCameBefore(t *testing.T) {
	t.Parallel()
	for strict, status := range map[bool]int{true: http.StatusBadRequest, false: http.StatusOK} {
		r := start(t, hello, server.Config{Strict: strict})
		const key = "Authorization: Bearer k"
		ask := func(path, body string, status int) string { return r.ask("POST", path, body, status, key) }
		conversation := id(t, ask("/v1/conversations", "{}", http.StatusOK))
		for _, past := range []string{`"conversation":"` + conversation + `"`, `"previous_response_id":"` + id(t, ask("/v1/responses", `{"model":"gpt-4o","input":"hi"}`, http.StatusOK)) + `"`} {
			first := ask("/v1/responses", `{"model":"gpt-4o","input":"hi",`+past+`}`, http.StatusOK)
			if past[1] == 'p' {
				past = `"previous_response_id":"` + id(t, first) + `"`
			}
			item, _ := member(t, first, "output", 0, "id").(string)
			got := ask("/v1/responses", `{"model":"gpt-4o",`+past+`,"input":[{"type":"message","role":"assistant","id":"`+item+`","content":[{"type":"output_text","text":"Hello.","annotations":[]}]},{"role":"user","content":"and?"}]}`, status)
			if strict {
				wantContains(t, got, "Duplicate item found with id "+item+". Remove duplicate items from your input and try again.", `"param": "input"`)
			}
			ask("/v1/responses", `{"model":"gpt-4o",`+past+`,"input":[{"type":"item_reference","id":"`+item+`"},{"role":"user","content":"and?"}]}`, http.StatusOK)
		}
	}
}
