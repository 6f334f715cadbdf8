package server_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/server"
)

// member returns the value at a path of a JSON body.
func member(t *testing.T, body string, path ...any) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	for _, p := range path {
		switch p := p.(type) {
		case string:
			object, _ := v.(map[string]any)
			v = object[p]
		case int:
			list, _ := v.([]any)
			if p >= len(list) {
				t.Fatalf("no item %d in %s", p, body)
			}
			v = list[p]
		}
	}
	return v
}

// create returns the body of the answer to a request for a response.
func (r *running) create(body string) string {
	r.t.Helper()
	return r.ask(http.MethodPost, "/v1/responses", body, http.StatusOK)
}

func id(t *testing.T, body string) string {
	t.Helper()
	s, _ := member(t, body, "id").(string)
	if s == "" {
		t.Fatalf("no id in %s", body)
	}
	return s
}

// events returns the events of a stream, without the empty text after the last one.
func events(stream string) []string {
	return strings.Split(strings.TrimSuffix(stream, "\n\n"), "\n\n")
}

// idIn returns the id of the response in a stream.
func idIn(t *testing.T, stream string) string {
	t.Helper()
	_, data, _ := strings.Cut(events(stream)[0], "data: ")
	s, _ := member(t, data, "response", "id").(string)
	if s == "" {
		t.Fatalf("no id in %s", data)
	}
	return s
}

func TestAResponseIsKept(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{})
	whole := r.create(`{"model":"gpt-4o","input":"hi"}`)
	path := "/v1/responses/" + id(t, whole)
	if got := r.get(path, 200); strings.TrimSpace(got) != strings.TrimSpace(whole) {
		t.Errorf("it is told again as %s\nit was %s", got, whole)
	}
	items := r.get(path+"/input_items", 200)
	wantContains(t, items, `"object": "list"`, `"type": "message"`, `"status": "completed"`, `"input_text"`, `"text": "hi"`, `"has_more": false`)
	wantContains(t, r.ask("POST", path+"/cancel", "", 400), "Cannot cancel a synchronous response.")
	wantContains(t, r.ask("DELETE", path, "", 200), `"object": "response.deleted"`, `"deleted": true`)
	gone := r.get(path, 404)
	wantContains(t, gone, `"message": "Response with id '`+id(t, whole)+`' not found."`, `"param": null`, `"code": null`)
	r.ask("DELETE", path, "", 404)
	r.get(path+"/input_items", 404)
}

func TestAStreamIsToldAgain(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{})
	whole := text(t, r.respond(streamedResponse))
	all := events(whole)
	path := "/v1/responses/" + idIn(t, whole) + "?stream=true"
	if got := r.get(path, 200); got != whole {
		t.Errorf("told again it is\n%s\nand was\n%s", got, whole)
	}
	wantContains(t, r.get(path+"&starting_after=x", 400), "starting_after")
	wantContains(t, r.get(strings.Replace(path, "true", "1", 1), 400), "cannot be parsed as boolean")
	if got := r.get(path+"&include_obfuscation=false", 200); strings.Contains(got, "obfuscation") || len(events(got)) != len(all) {
		t.Errorf("without obfuscation it is %s", got)
	}
}

func TestWhatIsNotStoredIsNotKept(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{})
	whole := r.create(`{"model":"gpt-4o","input":"hi","store":false}`)
	r.get("/v1/responses/"+id(t, whole), 404)
	wantContains(t, r.ask("POST", "/v1/responses", `{"model":"gpt-4o","input":"hi","previous_response_id":"`+id(t, whole)+`"}`, 400),
		`"code": "previous_response_not_found"`, `"param": "previous_response_id"`, "Previous response with id '"+id(t, whole)+"' not found.")
}

// Equal requests of the same second get a response each, with an id of its own. A reset, and
// another API key, begin with the first id again.
func TestEqualRequestsGetAResponseEach(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{Created: 1700000000})
	const body = `{"model":"gpt-4o","input":"same"}`
	create := func(key string) string { return id(t, text(t, r.respond(body, "Authorization: Bearer "+key))) }
	first, second := create("a"), create("a")
	r.ask("DELETE", "/v1/responses/"+first, "", 200, "Authorization: Bearer a")
	wantContains(t, r.ask("GET", "/v1/responses/"+second, "", 200, "Authorization: Bearer a"), `"id": "`+second+`"`)
	if third := create("a"); third == first || third == second {
		t.Errorf("the third is %s, after %s and %s", third, first, second)
	}
	if other := create("b"); other != first {
		t.Errorf("another key begins with %s, want %s", other, first)
	}
	r.ask("POST", "/_fake/reset?api_key=a", "", 204)
	if again := [2]string{create("a"), create("a")}; again != [2]string{first, second} {
		t.Errorf("after a reset there are %s, want %s and %s", again, first, second)
	}
}

// Errors have no ids: a response after them has the id that it has without them.
func TestErrorsAreNoResponses(t *testing.T) {
	t.Parallel()
	const body, yaml = `{"model":"gpt-4o","input":"same"}`, "name: x\nreplies:\n  - times: 2\n    error: 429\n  - message: Hello.\n"
	flaky, sound := start(t, yaml, server.Config{Created: 1700000000}), start(t, "name: x\nmessage: Hello.\n", server.Config{Created: 1700000000})
	for range 2 {
		flaky.ask("POST", "/v1/responses", body, 429)
	}
	if got, want := id(t, flaky.create(body)), id(t, sound.create(body)); got != want {
		t.Errorf("the id is %s, want %s", got, want)
	}
}

func TestEqualRequestsAtOnceGetAResponseEach(t *testing.T) {
	t.Parallel()
	const requests = 40
	r := start(t, hello, server.Config{Created: 1700000000})
	ids := [requests]string{}
	var all sync.WaitGroup
	for i := range requests {
		all.Go(func() { ids[i] = r.create(`{"model":"gpt-4o","input":"same"}`) })
	}
	all.Wait()
	seen := map[string]bool{}
	for i := range ids {
		ids[i] = id(t, ids[i])
		seen[ids[i]] = true
		r.get("/v1/responses/"+ids[i], 200)
	}
	if len(seen) != requests {
		t.Errorf("%d requests got %d ids: %q", requests, len(seen), ids)
	}
}

// What is not kept is the same for equal requests, to the last byte.
func TestEqualRequestsGetTheSameBytesUnlessTheyAreKept(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, path, body string
		store            int
		same             bool
	}{
		{"stream of chat completions", "/v1/chat/completions", ask, 0, true},
		{"chat completion that is stored", "/v1/chat/completions", completionToStore(""), 0, false},
		{"chat completion at a server that keeps nothing", "/v1/chat/completions", completionToStore(""), -1, true},
		{"stream of responses, not stored", "/v1/responses", `{"model":"gpt-4o","input":"hi","stream":true,"store":false}`, 0, true},
		{"server that keeps nothing", "/v1/responses", streamedResponse, -1, true},
		{"stream of responses", "/v1/responses", streamedResponse, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := start(t, hello, server.Config{Created: 1700000000, StoreSize: tt.store})
			first, second := r.ask("POST", tt.path, tt.body, 200), r.ask("POST", tt.path, tt.body, 200)
			if (first == second) != tt.same {
				t.Errorf("equal: %t, want %t:\n%s\n%s", first == second, tt.same, first, second)
			}
		})
	}
}

func TestKeysDoNotSeeEachOther(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{})
	mine := text(t, r.respond(`{"model":"gpt-4o","input":"hi"}`, "Authorization: Bearer a"))
	path := "/v1/responses/" + id(t, mine)
	r.ask("GET", path, "", 200, "Authorization: Bearer a")
	r.ask("GET", path, "", 404, "Authorization: Bearer b")
	r.ask("POST", "/_fake/reset?api_key=b", "", 204)
	r.ask("GET", path, "", 200, "Authorization: Bearer a")
	r.ask("POST", "/_fake/reset?api_key=a", "", 204)
	r.ask("GET", path, "", 404, "Authorization: Bearer a")
}

func TestTheOldestResponsesAreForgotten(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{StoreSize: 3})
	var ids []string
	for i := range 5 {
		ids = append(ids, id(t, r.create(fmt.Sprintf(`{"model":"gpt-4o","input":"%d"}`, i))))
	}
	for i, id := range ids {
		r.get("/v1/responses/"+id, map[bool]int{true: 404, false: 200}[i < 2])
	}
	for range ids {
		r.ended()
	}
	wantContains(t, r.ended().Problem, "It has forgotten 2 older responses", "--store", "--any-id")
}

// The response is not kept if its client leaves before it has all of the answer.
func TestAClientThatLeavesHasNoResponse(t *testing.T) {
	t.Parallel()
	r := start(t, held, server.Config{})
	resp := r.respond(streamedResponse)
	head := make([]byte, 200)
	if _, err := io.ReadFull(resp.Body, head); err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(head), `"id":"`)
	path := "/v1/responses/" + rest[:strings.IndexByte(rest, '"')]
	await(t, r, "middle")
	wantContains(t, r.get(path, 200), `"status": "in_progress"`)
	if rec := r.ended(); rec.Method != "GET" || rec.Status != 200 || rec.Header == nil {
		t.Errorf("the journal has %s %s, %d", rec.Method, rec.Path, rec.Status)
	}
	resp.Body.Close()
	if rec := r.ended(); rec.Delivery.Ended != "client_left" {
		t.Fatalf("the journal says %s", rec.Delivery.Ended)
	}
	r.get(path, 404)
}

// Thousands of responses take only the memory of those that are kept.
func TestTheMemoryOfResponsesIsBounded(t *testing.T) {
	testflag.NoRace(t)
	r := local(t, hello, server.Config{StoreSize: 50, JournalSize: -1, Observe: unobserved})
	fill := func(from, to int) int64 {
		for i := from; i < to; i++ {
			body := fmt.Sprintf(`{"model":"gpt-4o","input":"%d %s"}`, i, strings.Repeat("x", 20_000))
			r.do("POST", "/v1/responses", body).Body.Close()
		}
		return inUse()
	}
	before := fill(0, 200)
	if after := fill(200, 3000); after-before > 20<<20 {
		t.Errorf("2,800 more responses of 20 kB take %d bytes", after-before)
	}
}

// A response counts with the request that it is made from again.
func TestKeptResponsesAreBoundedInBytes(t *testing.T) {
	t.Parallel()
	r := local(t, hello, server.Config{StoreBytes: 500_000, Observe: unobserved})
	var ids []string
	for i := range 40 {
		ids = append(ids, id(t, r.ask("POST", "/v1/responses", fmt.Sprintf(`{"model":"gpt-4o","input":"%d %s"}`, i, strings.Repeat("x", 50_000)), http.StatusOK)))
	}
	kept := slices.IndexFunc(ids, func(id string) bool {
		resp := r.do("GET", "/v1/responses/"+id, "")
		defer resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	if most := 500_000 / 50_000; kept < len(ids)-most || kept > len(ids)-2 {
		t.Errorf("of %d responses to 50 kB the oldest that is kept has the number %d, want at most %d to be kept, and more than one", len(ids), kept, most)
	}
}

// A conversation keeps the items of a request, and not the whole body.
func TestConversationsTakeTheMemoryOfTheirItems(t *testing.T) {
	testflag.NoRace(t)
	r := local(t, hello, server.Config{JournalSize: -1, Observe: unobserved})
	long := strings.Repeat("x", 500_000)
	before := inUse()
	for i := range 40 {
		r.ask("POST", "/v1/conversations", fmt.Sprintf(`{"items":[{"role":"user","content":"%d"}],"unknown":"%s"}`, i, long), http.StatusOK)
	}
	if after := inUse(); after-before > 4<<20 {
		t.Errorf("40 conversations of a short item take %d bytes", after-before)
	}
}

// The clients of OpenAI's SDKs for Azure put a deployment only into the paths of completions.
func TestAzuresClientsFindWhatIsKept(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{})
	const version = "?api-version=2025-04-01-preview"
	response := id(t, r.ask("POST", "/openai/responses"+version, `{"model":"gpt-4o","input":"hi"}`, http.StatusOK))
	for _, path := range []string{"/responses/" + response, "/responses/" + response + "/input_items", "/models"} {
		r.get("/openai"+path+version, http.StatusOK)
	}
	conversation := id(t, r.ask("POST", "/openai/conversations"+version, "{}", http.StatusOK))
	r.ask("DELETE", "/openai/conversations/"+conversation+version, "", http.StatusOK)
	r.ask("POST", "/openai/chat/completions"+version, `{"model":"gpt-4o","messages":[]}`, http.StatusNotFound)
}

// The items that a conversation is given are checked like the input of a request.
func TestItemsOfAConversationAreChecked(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{})
	conversation := "/v1/conversations/" + id(t, r.ask("POST", "/v1/conversations", "{}", http.StatusOK))
	for items, want := range map[string]string{
		`[{"role":"user","content":5}]`:                 "Invalid type for 'items[0].content': expected one of a string or array of objects, but got an integer instead.",
		`[{"role":"user"},"x"]`:                         "Invalid type for 'items[1]': expected an object, but got a string instead.",
		`[{"type":"function_call_output","call_id":7}]`: "Invalid type for 'items[0].call_id': expected a string, but got an integer instead.",
		`"x"`: "Invalid type for 'items': expected an array of objects, but got a string instead.",
		`[{"type":"message","role":"user","content":[{"text":1}]}]`: "Invalid type for 'items[0].content[0].text': expected a string, but got an integer instead.",
	} {
		for _, path := range []string{"/v1/conversations", conversation + "/items"} {
			wantContains(t, r.ask("POST", path, `{"items":`+items+`}`, http.StatusBadRequest), want)
		}
	}
	if got := member(t, r.get(conversation+"/items", http.StatusOK), "data"); len(got.([]any)) != 0 {
		t.Errorf("items were added: %v", got)
	}
}

// A response that an author wrote as literal bytes, in one piece or as events, is kept by the id
// that these bytes carry, and a client can go on from it.
func TestALiteralResponseIsKeptByTheIDInItsBytes(t *testing.T) {
	t.Parallel()
	const response = `{"id":"resp_lit","object":"response","status":"completed","background":false,"output":[` +
		`{"id":"ci_1","type":"odd_call","status":"completed"},{"id":"fc_1","type":"function_call","call_id":"call_9","name":"f","arguments":"{}","status":"completed"}],"usage":null}`
	const events = `data: {"type":"response.created","sequence_number":0,"response":{"id":"resp_lit","object":"response","status":"in_progress","output":[]}}` + "\n\n" +
		`data: {"type":"response.completed","sequence_number":1,"response":` + response + "}\n\n"
	for name, c := range map[string]struct{ reply, request, quirks string }{
		"a body":               {fmt.Sprintf("wire: { body: %q }\n    stream: []", response), `{"input":"Hi"}`, ""},
		"a body of events":     {fmt.Sprintf("wire: { body: %q, content_type: text/event-stream }\n    stream: []", events), `{"input":"Hi","stream":true}`, ""},
		"raw bytes":            {fmt.Sprintf("stream: [{ raw: %q }]", events), `{"input":"Hi","stream":true}`, "quirks: [usage-incomplete, output-differs, in-progress-missing]\n"},
		"a body in background": {fmt.Sprintf("wire: { body: %q }\n    stream: []", response), `{"input":"Hi","background":true}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, "name: a\n"+c.quirks+"when: { surface: responses }\nreplies:\n  - when: { turn: 1 }\n    "+c.reply+
				"\n  - when: { turn: 2, tool_result: call_9 }\n    message: went on\n", server.Config{})
			made := r.create(c.request)
			if queued := strings.Contains(made, `"queued"`); queued != strings.Contains(c.request, "background") || queued != strings.Contains(made, `"background": true`) || !strings.Contains(made, "resp_lit") {
				t.Errorf("the answer is %s", made)
			}
			wantContains(t, r.get("/v1/responses/resp_lit?stream=true", 200), "event: response.created", "event: response.completed")
			wantContains(t, r.get("/v1/responses/resp_lit", 200), `"status": "completed"`, `"id": "ci_1"`, `"call_id": "call_9"`)
			wantContains(t, r.create(`{"previous_response_id":"resp_lit","input":[{"type":"function_call_output","call_id":"call_9","output":"1"}]}`), "went on")
		})
	}
}

// A literal response that is not over is sent as it is, also in the background, and an error is not kept.
func TestALiteralResponseThatIsNotOverStaysAsItIs(t *testing.T) {
	t.Parallel()
	const response = `{"id":"resp_lit","object":"response","status":"queued","output":[]}`
	r := start(t, fmt.Sprintf("name: a\nwhen: { surface: responses }\nwire: { body: %q }\nstream: []\n", response), server.Config{})
	if made := r.create(`{"input":"Hi","background":true}`); made != response {
		t.Errorf("the answer is %s", made)
	}
	wantContains(t, r.get("/v1/responses/resp_lit", 200), `"status": "queued"`)
	r = start(t, fmt.Sprintf("name: a\nwhen: { surface: responses }\nwire: { status: 500, body: %q }\nstream: []\n", response), server.Config{})
	r.ask("POST", "/v1/responses", `{"input":"Hi"}`, 500)
	r.get("/v1/responses/resp_lit", 404)
}

// A strict server checks the members of a request before what the request goes on from, and that before what the model
// refuses. It finds what is not in the table before a wrong type of what every server reads.
func TestAStrictServerChecksInTheOrderOfTheService(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{Strict: true})
	for members, param := range map[string]string{
		`"input":"Hi","previous_response_id":"resp_x","truncation":"no"`:     "truncation",
		`"input":"Hi","previous_response_id":"resp_x","temperature":0.3`:     "previous_response_id",
		`"previous_response_id":"resp_x"`:                                    "input",
		`"input":"Hi","stream":"yes","other":1`:                              "other",
		`"input":5,"previous_response_id":"resp_x"`:                          "input",
		`"input":[{"type":4,"role":"user","content":"Hi"}]`:                  "input[0]",
		`"input":"Hi","prompt":{"id":"p"},"include":["x"],"temperature":0.3`: "include[0]",
	} {
		body := r.ask("POST", "/v1/responses", `{"model":"gpt-5.6",`+members+"}", 400, "Authorization: Bearer k")
		if got := member(t, body, "error", "param"); got != param {
			t.Errorf("%s: %s, want an error at %s", members, body, param)
		}
	}
	body := r.ask("POST", "/v1/responses", `{"model":"gpt-5.6","input":"Hi","prompt":{"id":"pmpt_x"},"previous_response_id":"resp_x","temperature":0.3}`, 404, "Authorization: Bearer k")
	wantContains(t, body, `"message": "Prompt with id 'pmpt_x' not found."`, `"code": null`)
}
