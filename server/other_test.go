package server_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/server"
)

const anyPath = `
name: chat
message: Hello.
---
name: file
when: { path: "/v1/files/{id}", method: GET }
wire: { body: { id: "{{ .match.id }}", quoted: '{{ .match.id }}"' } }
---
name: upload
when: { path: /v1/files, method: POST }
replies:
  - { when: { body: { file.filename: empty.txt } }, error: { status: 400, message: The file is empty. } }
  - wire: { body: { id: file-1, bytes: "{{ .request.file.bytes }}", attempt: "{{ .attempt }}" } }
---
name: listed
when: { path: /v1/files, body: { limit: "2" } }
wire: { body: [1, 2] }
---
name: sound
when: { path: /v1/audio/speech }
wire: { body: !!binary UklGRg==, content_type: audio/wav }
---
name: events
when: { path: /events }
stream:
  - event: { event: a, data: { n: 1 } }
  - chunk: { n: 2 }
  - raw: "data: 3\n\n"
---
name: models
when: { path: /v1/models }
replies: [{ times: 1, error: 503 }]
---
name: failing
error: 500
`

func TestScenariosAnswerAnyPath(t *testing.T) {
	t.Parallel()
	r := start(t, strings.Replace(anyPath, "name: chat\nmessage: Hello.\n---\n", "", 1), server.Config{})
	for _, path := range []string{"/v1/files/f1", "/files/f1", "/openai/v1/files/f1?api-version=1", "/openai/files/f1"} {
		wantContains(t, r.ask("GET", path, "", 200), `"id": "f1"`, `"quoted": "f1\""`)
	}
	wantContains(t, r.ask("GET", "/v1/files?limit=2", "", 200), "[\n  1,\n  2\n]")
	resp := r.do("POST", "/v1/audio/speech", `{"input":"Hi"}`)
	if got := text(t, resp); got != "RIFF" || resp.Header.Get("Content-Type") != "audio/wav" {
		t.Errorf("got %q as %s", got, resp.Header.Get("Content-Type"))
	}
	if got := r.ask("PUT", "/events", "x", 200); got != "event: a\ndata: {\"n\":1}\n\ndata: {\"n\":2}\n\ndata: 3\n\n" {
		t.Errorf("got %q", got)
	}
	// The server's own routes come after the scenarios.
	r.ask("GET", "/v1/models", "", 503)
	wantContains(t, r.ask("GET", "/v1/models", "", 200), `"id": "gpt-4o"`)
	// A scenario without a condition on the path is for the APIs alone.
	wantContains(t, r.ask("GET", "/v1/batches", "", 404), "when: { path: '/v1/batches', method: GET }")
	wantContains(t, r.ask("DELETE", "/v1/files/f1", "", 404), "the method is DELETE, not GET")
	wantContains(t, r.ask("GET", "/v1/files?limit=%zz", "", 400), "The query of the request cannot be read")
	r.ask("GET", "/nothing", "", 404)
	r.ask("POST", "/v1/chat/completions", `{"model":"gpt-4o","messages":[]}`, 500)
	wantContains(t, r.ask("GET", "/v1/files?limit=3", "", 404), `limit in the body is \"3\", not \"2\"`)
	// One for an API is never the nearest to another path.
	r = start(t, "name: kept\nwhen: { surface: chat, body: { store: true } }\nmessage: hi\n---\nname: made\nwhen: { path: /v1/files, method: POST }\nwire: { body: x }\n", server.Config{})
	wantContains(t, r.ask("GET", "/v1/files", "", 404), `the nearest is \"made\": the method is GET, not POST. A scenario for it is { name: get-v1-files, when: { path: '/v1/files', method: GET }, wire:`)
}

// A slash that is escaped is none between the parts of a path, and captures are decoded.
func TestPathsAreMatchedByTheirParts(t *testing.T) {
	t.Parallel()
	r := start(t, "name: a\nwhen: { path: ['/v1/files/{id}', '/x/{id}/%2A'] }\nwire: { body: '<{{ .match.id }}>' }\n", server.Config{})
	for path, want := range map[string]string{
		"/v1/files/a%2Fb": "<a/b>", "/files/a%252Fb": "<a%2Fb>", "/openai/v1/files/a%20b": "<a b>", "/v1/files/%C3%BC%FF": "<ü\uFFFD>", "/x/1%2F2/*": "<1/2>",
	} {
		if got := r.ask("GET", path, "", 200); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	wantContains(t, r.ask("GET", "/v1/files/a/b", "", 404), "path: '/v1/files/a/b', method: GET")
	wantContains(t, r.ask("GET", "/v1/batches/a%2Fb*", "", 404), "path: '/v1/batches/a%2Fb%2A', method: GET")
}

// What the server answers to browsers, a scenario can answer in its place; the question whether a page may send a
// request, it cannot.
func TestScenariosAnswerWhatBrowsersAsk(t *testing.T) {
	t.Parallel()
	r := start(t, "name: a\nwhen: { path: [/, /favicon.ico, /options], method: [GET, OPTIONS] }\nwire: { body: 'mine' }\n", server.Config{})
	for _, of := range [][2]string{{"GET", "/"}, {"GET", "/favicon.ico"}, {"OPTIONS", "/options"}} {
		if got := r.ask(of[0], of[1], "", 200); got != "mine" {
			t.Errorf("%s: %q", of, got)
		}
	}
	if got := r.ask("OPTIONS", "/options", "", 204, "Access-Control-Request-Method: POST"); got != "" {
		t.Errorf("the question of a browser is answered with %q", got)
	}
	r.ask("OPTIONS", "/v1/files", "", 204)
}

// A client names its scenario with all of its requests, of which most are for another path.
func TestANamedScenarioLeavesOtherPathsAlone(t *testing.T) {
	t.Parallel()
	r := start(t, anyPath, server.Config{})
	named := "X-Fakeopenai-Scenario: chat"
	wantContains(t, r.ask("GET", "/v1/files/f1", "", 200, named), `"id": "f1"`)
	wantContains(t, r.ask("POST", "/v1/chat/completions", `{"model":"gpt-4o","messages":[{"role":"user","content":"x"}]}`, 200, named), "Hello.")
	wantContains(t, r.ask("POST", "/v1/chat/completions", `{"model":"gpt-4o","messages":[]}`, 404, "X-Fakeopenai-Scenario: sound"), "it has a reply for another path")
}

// upload is a form with a file.
func upload(t *testing.T, name, content string) (body []byte, contentType string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, err := w.CreateFormFile("file", name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = part.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err = w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), w.FormDataContentType()
}

// Each try has another boundary, and is the same request nevertheless. The journal has the size and the hash
// of a file, and not its content.
func TestFilesOfFormsAreKnownByTheirHash(t *testing.T) {
	t.Parallel()
	r := start(t, anyPath, server.Config{})
	for attempt, want := range []string{`"attempt": "1"`, `"attempt": "2"`} {
		body, kind := upload(t, "a.txt", "the content")
		resp := r.upload(http.MethodPost, "/v1/files", bytes.NewReader(body), "Content-Type: "+kind)
		wantStatus(t, resp, 200)
		wantContains(t, text(t, resp), want, `"bytes": "11"`)
		entry := r.ended()
		if got := string(entry.Body); !strings.HasPrefix(got, `{"file":{"filename":"a.txt","content_type":"application/octet-stream","bytes":11,"sha256":"`) {
			t.Errorf("attempt %d: the journal has %q", attempt+1, got)
		}
	}
	body, kind := upload(t, "empty.txt", "")
	resp := r.upload(http.MethodPost, "/v1/files", bytes.NewReader(body), "Content-Type: "+kind)
	wantStatus(t, resp, 400)
	resp = r.upload(http.MethodPost, "/v1/files", bytes.NewReader(body[:40]), "Content-Type: "+kind)
	wantStatus(t, resp, 400)
	wantContains(t, text(t, resp), "The form of the request cannot be read")
}

// Requests to two paths are no attempts of one another, although both have no body.
func TestAttemptsAreCountedByPath(t *testing.T) {
	t.Parallel()
	r := start(t, "name: a\nwhen: { path: '/x/*' }\nwire: { body: 'attempt {{ .attempt }}' }\n", server.Config{})
	for _, test := range [][2]string{{"/x/1", "attempt 1"}, {"/x/2", "attempt 1"}, {"/x/1", "attempt 2"}} {
		if got := r.ask("GET", test[0], "", 200); got != test[1] {
			t.Errorf("%s: %s, want %s", test[0], got, test[1])
		}
	}
}

// Keys and limits hold for other paths as for the APIs.
func TestKeysAndFaultsHoldForOtherPaths(t *testing.T) {
	t.Parallel()
	r := start(t, anyPath, server.Config{APIKeys: []string{"k"}})
	r.ask("GET", "/v1/files/f1", "", 401)
	r.ask("GET", "/v1/files/f1", "", 200, "Authorization: Bearer k")
	r.ask("GET", "/v1/files/f1", "", 429, "Authorization: Bearer k", "X-Fakeopenai-Fault: 429")
	// What the server answers by itself has a path, too, and so have the APIs.
	chat := `{"model":"gpt-4o","messages":[{"role":"user","content":"x"}]}`
	put := func(fault string) {
		t.Helper()
		if err := r.PutFaults("k", faultFile(fault)); err != nil {
			t.Fatal(err)
		}
	}
	put("{ error: 502, when: { path: '/v1/chat/**' } }")
	r.ask("POST", "/v1/chat/completions", chat, 502, "Authorization: Bearer k")
	put("{ error: 502, when: { path: /v1/chat/completions, method: GET } }")
	r.ask("POST", "/openai/v1/chat/completions", chat, 200, "Authorization: Bearer k")
	r.ask("GET", "/v1/models", "", 503, "Authorization: Bearer k")
	put("{ error: 502, when: { path: '/v1/models/**' } }")
	r.ask("GET", "/v1/models", "", 200, "Authorization: Bearer k")
	r.ask("GET", "/v1/models/gpt-4o", "", 502, "Authorization: Bearer k")
}

// An API has one method: with another one its path is like any other path.
func TestAPathOfAnAPIHasOtherMethods(t *testing.T) {
	t.Parallel()
	r := start(t, "name: a\nwhen: { path: /v1/chat/completions, method: GET }\nwire: { body: listed }\n"+
		"---\nname: b\nwhen: { path: /v1/embeddings, method: PUT }\nwire: { body: put }\n", server.Config{})
	for request, want := range map[string]string{"GET /v1/chat/completions": "listed", "PUT /v1/embeddings": "put"} {
		method, path, _ := strings.Cut(request, " ")
		if got := r.ask(method, path, "", http.StatusOK); got != want {
			t.Errorf("%s: %s", request, got)
		}
	}
}

// The scenario in the answer to an unknown path can be pasted as it is, and answers that path.
func TestTheScenarioForAPathCanBePasted(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{})
	all := ""
	for _, asked := range []string{
		"GET /v1/files", "POST /v1/vector_stores/vs_1/search", "DELETE /openai/v1/assistants/a%2Fb", "HEAD /v1/files", "PUT /v1/videos/it's", "PATCH /v1/organization/projects/x,y%7Bz%7D:1",
		"POST /v1/fine_tuning/jobs/null", "GET /v1/containers/%C3%A9", "POST /v1/audio/speech",
	} {
		method, path, _ := strings.Cut(asked, " ")
		text(t, r.do(method, path, ""))
		_, written, ok := strings.Cut(r.ended().Problem, "A scenario for it is ")
		if !ok {
			t.Errorf("%s: the journal has no scenario", asked)
			continue
		}
		all += written + "\n---\n"
		r.put("PUT", all, 200)
		if resp := r.do(method, path, "", "Authorization: Bearer a"); resp.StatusCode != 200 {
			t.Errorf("%s: %s answers with %s", asked, written, resp.Status)
		}
		r.ended()
	}
}

// With strict, an unknown path gets the text of the service alone, and the journal says the rest.
func TestAStrictServerKnowsNoPathAsTheServiceDoes(t *testing.T) {
	t.Parallel()
	r := local(t, hello, server.Config{Strict: true})
	const want = "{\n  \"error\": {\n    \"message\": \"Invalid URL (POST /v1/chat/completions/chat/completions)\",\n    \"type\": \"invalid_request_error\",\n    \"param\": null,\n    \"code\": null\n  }\n}"
	if got := r.ask("POST", "/v1/chat/completions/chat/completions", "", 404); got != want {
		t.Errorf("it is answered with %s", got)
	}
	wantContains(t, r.Journal()[0].Problem, "The base URL of this fake is")
}
