package server_test

import (
	"bufio"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fakeopenai/fakeopenai/server"
)

// A client can poll an answer that is made in the background until it is complete.
func TestAnAnswerInTheBackgroundIsPolled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := local(t, "name: slow\nmessage: Hello there.\npace: { first: 2s, every: 1s }\n", server.Config{})
		made := r.create(`{"model":"gpt-4o","input":"hi","background":true}`)
		wantContains(t, made, `"status": "queued"`, `"output": []`, `"usage": null`, `"background": true`)
		began := time.Now()
		var seen []string
		for {
			synctest.Wait()
			got := r.get("/v1/responses/"+id(t, made), 200)
			status := member(t, got, "status").(string)
			if len(seen) == 0 || seen[len(seen)-1] != status {
				seen = append(seen, status)
			}
			if status == "completed" {
				wantContains(t, got, "Hello there.")
				break
			}
			wantContains(t, got, `"output": []`, `"usage": null`)
			if time.Sleep(500 * time.Millisecond); time.Since(began) > time.Hour {
				t.Fatalf("it never ends; the statuses are %v", seen)
			}
		}
		if got := strings.Join(seen, " "); got != "queued in_progress completed" {
			t.Errorf("the statuses are %s", got)
		}
	})
}

// A client that lost its connection can get the rest of the stream, with no event missing or repeated.
func TestAStreamInTheBackgroundSurvivesItsClient(t *testing.T) {
	t.Parallel()
	const scenario = "name: b\nstream:\n  - role: assistant\n  - content: One\n  - content: \" two\"\n  - hold: middle\n  - content: \" three\"\n  - finish: stop\n"
	r := start(t, scenario, server.Config{})
	const body = `{"model":"gpt-4o","stream":true,"input":"hi","background":true}`
	resp := r.respond(body)
	in, read := bufio.NewReader(resp.Body), ""
	for strings.Count(read, "\n\n") < 6 {
		line, err := in.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		read += line
	}
	wantContains(t, read, "event: response.queued", `"status":"queued"`)
	if strings.Contains(read, "obfuscation") {
		t.Errorf("the stream is padded: %s", read)
	}
	await(t, r, "middle")
	resp.Body.Close()
	if rec := r.ended(); rec.Delivery.Ended != "client_left" {
		t.Errorf("the journal says %s", rec.Delivery.Ended)
	}
	path := "/v1/responses/" + idIn(t, read)
	wantContains(t, r.get(path, 200), `"status": "in_progress"`)
	tail := r.do(http.MethodGet, path+"?stream=true&starting_after=5", "")
	r.Release("middle")
	rest := text(t, tail)
	whole := r.get(path+"?stream=true", 200)
	if read+rest != whole {
		t.Errorf("read\n%s\nand then\n%s\nof\n%s", read, rest, whole)
	}
	wantContains(t, rest, "event: response.completed")
	wantContains(t, r.get(path, 200), `"status": "completed"`, "One two three")
}

// A client whose stream was cut can get the rest, wherever the cut was.
func TestTheRestOfACutStreamCanBeRequested(t *testing.T) {
	t.Parallel()
	for _, background := range []bool{false, true} {
		body := fmt.Sprintf(`{"model":"gpt-4o","stream":true,"input":"hi","background":%t}`, background)
		const message = "name: cut\nmessage: { content: Hello there., tool_calls: [{ name: f, arguments: {} }] }\n"
		r := start(t, message, server.Config{Created: 1790000000})
		whole := text(t, r.respond(body))
		all := events(whole)
		for n := 1; n < len(all); n++ {
			r := start(t, message+fmt.Sprintf("end: { cut: { after: %d, inside: false } }\n", n), server.Config{Created: 1790000000})
			var read strings.Builder
			resp := r.respond(body)
			in := bufio.NewReader(resp.Body)
			for {
				line, err := in.ReadString('\n')
				if err != nil {
					break
				}
				read.WriteString(line)
			}
			got := events(read.String())
			rest := r.get(fmt.Sprintf("/v1/responses/%s?stream=true&starting_after=%d", idIn(t, read.String()), len(got)-1), 200)
			if read.String()+rest != whole {
				t.Fatalf("background %t, cut after %d: read\n%s\nand then\n%s\nof\n%s", background, n, read.String(), rest, whole)
			}
		}
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	r := start(t, held, server.Config{})
	resp := r.respond(`{"model":"gpt-4o","stream":true,"input":"hi","background":true}`)
	in := bufio.NewReader(resp.Body)
	first, _ := in.ReadString('}')
	_ = first
	await(t, r, "middle")
	read := ""
	for !strings.Contains(read, "before") {
		line, err := in.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		read += line
	}
	_, rest, _ := strings.Cut(read, `"response":{"id":"`)
	if rest == "" {
		_, rest, _ = strings.Cut(first, `"id":"`)
	}
	path := "/v1/responses/" + rest[:strings.IndexByte(rest, '"')]
	for range 2 {
		wantContains(t, r.ask("POST", path+"/cancel", "", 200), `"status": "cancelled"`, `"output": []`, `"usage": null`)
	}
	wantContains(t, r.get(path, 200), `"status": "cancelled"`)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			if err.Error() != "EOF" {
				t.Errorf("the stream ends with %v", err)
			}
			break
		}
		read += line
	}
	if strings.Contains(read, "response.completed") {
		t.Errorf("the stream goes on: %s", read)
	}
	if rec := r.ended(); rec.Delivery.Ended != "complete" && rec.Method == "POST" {
		t.Errorf("the journal says %s of %s", rec.Delivery.Ended, rec.Path)
	}
	wantContains(t, r.ask("POST", "/v1/responses", `{"input":"hi","previous_response_id":"`+strings.TrimPrefix(path, "/v1/responses/")+`"}`, 400), "previous_response_not_found")
	wantContains(t, r.ask("POST", "/v1/responses", `{"input":"hi","background":true,"store":false}`, 400), "store")
}

// Equal requests begin a job each: to cancel one leaves the other alone.
func TestCancelEndsOneOfTwoEqualJobs(t *testing.T) {
	t.Parallel()
	r := start(t, held, server.Config{Created: 1700000000})
	job := func() string {
		return "/v1/responses/" + id(t, r.create(`{"model":"gpt-4o","input":"same","background":true}`))
	}
	first, second := job(), job()
	wantContains(t, r.ask("POST", first+"/cancel", "", 200), `"status": "cancelled"`)
	if got := member(t, r.get(second, 200), "status"); got != "queued" && got != "in_progress" {
		t.Errorf("the other job is %v", got)
	}
}

// Equal requests to one conversation give it items with ids of their own, although both begin
// with the same items.
func TestEqualJobsOfAConversationHaveItemsOfTheirOwn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := local(t, hello+"pace: { first: 1s }\n", server.Config{Created: 1700000000})
		conv := id(t, r.ask("POST", "/v1/conversations", `{}`, 200))
		for range 2 {
			r.create(`{"model":"gpt-4o","input":"same","background":true,"conversation":"` + conv + `"}`)
		}
		time.Sleep(time.Minute)
		items, _ := member(t, r.get("/v1/conversations/"+conv+"/items", 200), "data").([]any)
		ids := map[any]bool{}
		for _, item := range items {
			ids[item.(map[string]any)["id"]] = true
		}
		if len(items) != 4 || len(ids) != 4 {
			t.Errorf("there are %d items with %d ids, want 4 of each: %v", len(items), len(ids), items)
		}
	})
}

// No goroutine is left after Close or Reset.
func TestNothingRunsOnInTheBackground(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // synctest.Test fails if a goroutine is left
		r := local(t, held, server.Config{})
		for i := range 20 {
			r.create(fmt.Sprintf(`{"model":"gpt-4o","input":"%d","background":true}`, i))
		}
		synctest.Wait()
		wantContains(t, r.get("/_fake/holds", 200), `"scenario": "held"`)
		r.Reset()
		synctest.Wait()
		if got := r.get("/_fake/holds", 200); strings.Contains(got, `"scenario": "held"`) {
			t.Errorf("after a reset there are %s", got)
		}
		for i := range 20 {
			r.create(fmt.Sprintf(`{"model":"gpt-4o","input":"%d","background":true}`, i))
		}
		synctest.Wait()
		r.Close()
	})
}

// All requests about kept responses and conversations can run at the same time.
func TestStateIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{StoreSize: 8})
	conv := id(t, r.ask("POST", "/v1/conversations", `{}`, 200))
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range 10 {
				w := httptest.NewRecorder()
				body := fmt.Sprintf(`{"model":"gpt-4o","input":"%d %d","background":%t,"conversation":%q}`, i, n, n%2 == 0, conv)
				r.ServeHTTP(w, httptest.NewRequest("POST", "/v1/responses", strings.NewReader(body)))
				if w.Code == 404 {
					continue // the conversation was forgotten
				}
				path := "/v1/responses/" + id(t, w.Body.String())
				for _, ask := range []string{"GET " + path, "GET " + path + "?stream=true", "POST " + path + "/cancel", "DELETE " + path, "GET /v1/conversations/" + conv + "/items"} {
					method, url, _ := strings.Cut(ask, " ")
					r.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(method, url, nil))
				}
			}
		})
	}
	all.Wait()
}

func TestAResponseThatEndsCancelledHasThisStatus(t *testing.T) {
	t.Parallel()
	r := start(t, "name: cancelled\nwhen: { surface: responses }\nenvelope: { response: cancelled }\nmessage: Hello.\n", server.Config{})
	for _, members := range []string{"", `,"background":true`} {
		path := "/v1/responses/" + id(t, r.create(`{"input":"hi"`+members+`}`))
		r.get(path+"?stream=true", http.StatusOK) // returns when the answer is complete
		wantContains(t, r.get(path, http.StatusOK), `"status": "cancelled"`, `"output": []`, `"usage": null`)
	}
}

// The error must not blame the request, which is correct: the server is configured to keep no responses.
func TestAServerThatKeepsNoResponsesRefusesBackground(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{StoreSize: -1})
	got := r.ask("POST", "/v1/responses", `{"model":"gpt-4o","input":"hi","background":true}`, http.StatusBadRequest)
	wantContains(t, got, "This server keeps no responses", "--store", `"code": "fake_not_kept"`)
	got = r.ask("POST", "/v1/responses", `{"model":"gpt-4o","input":"hi","background":true,"store":false}`, http.StatusBadRequest)
	wantContains(t, got, "Background mode requires 'store' to be true.")
}
