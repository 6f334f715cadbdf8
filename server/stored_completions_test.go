package server_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/server"
)

const storedCompletions = "/v1/chat/completions"

// completionToStore is a request for a completion that is stored, with more members.
func completionToStore(more string) string {
	return `{"model":"gpt-4o-mini","store":true,"messages":[{"role":"user","content":"hi"}]` + more + `}`
}

// The bytes follow the recording StoredChatCompletionsWork of openai-dotnet.
func TestACompletionIsStored(t *testing.T) {
	t.Parallel()
	r := start(t, "name: a\nenvelope: { id: chatcmpl-1, system_fingerprint: fp_1 }\nmessage: This is a test.\n", server.Config{Created: 1758039464})
	made := r.do("POST", storedCompletions, completionToStore(`,"seed":7,"metadata":{"k":"v"}`))
	want := `{"object":"chat.completion","id":"chatcmpl-1","model":"gpt-4o-mini-2024-07-18","created":1758039464,"request_id":"` + made.Header.Get("X-Request-Id") +
		`","tool_choice":null,"usage":{"total_tokens":12,"completion_tokens":5,"prompt_tokens":7},"seed":7,"top_p":1.0,"temperature":1.0,"presence_penalty":0.0,` +
		`"frequency_penalty":0.0,"system_fingerprint":"fp_1","input_user":null,"service_tier":"default","tools":null,"metadata":{"k":"v"},"choices":[{"index":0,"message":` +
		`{"content":"This is a test.","role":"assistant","tool_calls":null,"function_call":null},"finish_reason":"stop","logprobs":null}],"response_format":null}`
	const path = storedCompletions + "/chatcmpl-1"
	if got := r.get(path, 200); got != want {
		t.Errorf("it is shown as\n%s\nwant\n%s", got, want)
	}
	list := `{"object":"list","data":[` + want + `],"first_id":"chatcmpl-1","last_id":"chatcmpl-1","has_more":false}`
	if got := r.get(storedCompletions, 200); got != list {
		t.Errorf("it is listed as\n%s", got)
	}
	wantContains(t, r.get(path+"/messages", 200), `{"id":"chatcmpl-1-0","role":"user","content":"hi","content_parts":null,"name":null}`)
	wantContains(t, r.ask("POST", path, `{"metadata":{"k":"w"}}`, 200), strings.Replace(want, `{"k":"v"}`, `{"k":"w"}`, 1))
	for body, wrong := range map[string]string{`{}`: "missing_required_parameter", `{"metadata":"x"}`: "invalid_type", `{"metadata":{"k":1}}`: "metadata.k"} {
		wantContains(t, r.ask("POST", path, body, 400), wrong)
	}
	wantContains(t, r.get(path, 200), `"metadata":{"k":"w"}`)
	r.ask("GET", path, "", 404, "Authorization: Bearer another")
	r.get("/v1/responses/chatcmpl-1", 404)
	wantContains(t, r.ask("PUT", path, "", 405), "Only GET, POST and DELETE requests are accepted.")
	if got := r.ask("DELETE", path, "", 200); got != `{"object":"chat.completion.deleted","id":"chatcmpl-1","deleted":true}` {
		t.Errorf("it is deleted as %s", got)
	}
	const gone = "{\n  \"error\": {\n    \"message\": \"Completion chatcmpl-1 not found\",\n    \"type\": \"invalid_request_error\",\n    \"param\": \"completion_id\",\n    \"code\": \"not_found\"\n  }\n}"
	for _, method := range []string{"GET", "POST", "DELETE"} {
		if got := r.ask(method, path, `{"metadata":{}}`, 404); got != gone {
			t.Errorf("%s of a deleted one: %s", method, got)
		}
	}
	wantContains(t, r.get(path+"/messages", 404), "Completion chatcmpl-1 not found")
	wantContains(t, r.get(storedCompletions, 200), `"data":[],"first_id":null`)
}

func TestStoredCompletionsAreListedInPages(t *testing.T) {
	t.Parallel()
	r := start(t, "name: a\nenvelope: { id: '{{ .request.user }}' }\nmessage: Hello.\n", server.Config{})
	for i := range 5 {
		r.ask("POST", storedCompletions, completionToStore(fmt.Sprintf(`,"user":"c%d","metadata":{"even":"%t","n":"%d"}`, i, i%2 == 0, i)), 200)
	}
	r.ask("POST", storedCompletions, strings.Replace(completionToStore(`,"user":"c5"`), "gpt-4o-mini", "gpt-4.1", 1), 200)
	list := func(query string) (ids string) {
		data, _ := member(t, r.get(storedCompletions+query, 200), "data").([]any)
		for _, v := range data {
			ids += v.(map[string]any)["id"].(string)
		}
		return ids
	}
	for query, want := range map[string]string{
		"": "c5c4c3c2c1c0", "?order=asc": "c0c1c2c3c4c5", "?limit=2": "c5c4", "?limit=2&after=c4": "c3c2", "?limit=2&after=c1&order=asc": "c2c3", "?after=c0": "",
		"?model=gpt-4o-mini&limit=1": "c4", "?model=gpt-4.1": "c5", "?model=gpt-4.1-2025-04-14": "c5", "?model=o3": "",
		"?metadata[even]=true": "c4c2c0", "?metadata%5Beven%5D=true&metadata%5Bn%5D=2": "c2", "?metadata[even]=true&after=c4": "c2c0", "?metadata[odd]=true": "",
	} {
		if got := list(query); got != want {
			t.Errorf("%q lists %s, want %s", query, got, want)
		}
	}
	for query, wrong := range map[string]string{"?limit=0": "limit", "?limit=101": "limit", "?limit=x": "limit", "?order=up": "order", "?after=c9": "'c9'"} {
		wantContains(t, r.get(storedCompletions+query, 400), wrong)
	}
	for _, id := range []string{"c5", "c4"} { // as a client does that deletes each that it lists
		r.ask("DELETE", storedCompletions+"/"+id, "", 200)
	}
	if got := list("?limit=2&after=c4"); got != "c3c2" {
		t.Errorf("behind one that is deleted are %s", got)
	}
	r.ask("DELETE", storedCompletions+"/c2", "", 200)
	if got := list("?after=c2") + " " + list("?after=c2&order=asc"); got != "c1c0 c3" {
		t.Errorf("behind one that is deleted in the middle are %s", got)
	}
	r.ask("POST", "/_fake/reset", "", 204)
	r.get(storedCompletions+"/c0", 404)
}

// What is kept of an answer is what the model said, however it came; and nothing is kept of what no model has said.
func TestWhatIsKeptOfACompletion(t *testing.T) {
	t.Parallel()
	r := start(t, `
name: cut
when: { user: cut }
message: All of it.
end: cut
---
name: failing
when: { user: failing }
stream: [{ content: Half }, { error: { message: Sorry } }]
---
name: refused
when: { user: refused }
wire: { status: 500 }
message: No.
---
name: written
when: { user: written }
wire: { body: '{"id":"chatcmpl-written","object":"chat.completion","choices":[{"index":0,"message":{"content":"As written."}}]}' }
---
name: page
when: { user: page }
wire: { body: '<html>chatcmpl</html>' }
---
name: chunks
when: { user: chunks }
envelope: { set: { id: chatcmpl-chunk } }
stream: [{ role: assistant }, { content: Of chunks. }, { finish: stop }]
---
name: hello
message: Hello.
`, server.Config{})
	for _, stream := range []string{"", `,"stream":true`} {
		for user, want := range map[string]string{"cut": "All of it.", "written": "As written.", "chunks": "Of chunks.", "n": "Hello.", "failing": "", "refused": "", "page": ""} {
			resp := r.do("POST", storedCompletions, strings.Replace(completionToStore(stream), `"hi"`, `"`+user+`"`, 1))
			_, _ = io.Copy(io.Discard, resp.Body) // which can break off
			list := r.get(storedCompletions, 200)
			if got := strings.Contains(list, `"content":"`+want+`"`); want != "" && !got || want == "" && !strings.Contains(list, `"data":[]`) {
				t.Errorf("of %s%s is kept %s", user, stream, list)
			}
			r.ask("POST", "/_fake/reset", "", 204)
		}
	}
	r.ask("POST", storedCompletions, ask, 200)
	wantContains(t, r.get(storedCompletions, 200), `"data":[]`)
}

func TestACompletionIsStoredOnceItIsComplete(t *testing.T) {
	t.Parallel()
	r := start(t, held, server.Config{})
	for range 2 {
		resp := r.chat(completionToStore(`,"stream":true`))
		await(t, r, "middle")
		wantContains(t, r.get(storedCompletions, 200), `"data":[]`)
		resp.Body.Close() // its client leaves
	}
	for e := r.ended(); e.Delivery.Ended != "client_left"; {
		e = r.ended()
	}
	wantContains(t, r.get(storedCompletions, 200), `"data":[]`)
}
