package recording_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/tools/recording"
)

// application is what the upstream of these tests answers on paths that are those of no API.
const application = `name: upload
when: { path: /v1/files, method: POST }
wire: { body: '{"id":"file-of-{{ .request.file.filename }}","object":"file"}', content_type: application/json }
---
name: file
when: { path: "/v1/files/{id}", method: GET }
wire: { body: { id: "{{ .match.id }}", object: file }, json_style: pretty-4 }
---
name: pages
when: { path: /v1/files, method: GET }
wire: { body: { object: list, of: '{{ json .request }}' } }
---
name: content
when: { path: "/v1/files/{id}/content" }
wire: { body: !!binary AP8gamFuZS5kb2VAZXhhbXBsZS5jb20gAP8=, content_type: application/octet-stream, headers: { Content-Disposition: attachment } }
---
name: removal
when: { path: "/v1/files/{id}", method: DELETE }
error: { status: 404, message: "No such File object: {{ .match.id }}", param: id }
---
name: batch
when: { path: "/v1/batches/{id}", method: GET }
replies:
  - { times: 2, wire: { body: { id: batch_1, status: in_progress } } }
  - wire: { body: { id: batch_1, status: completed } }
---
name: voice
when: { path: /v1/audio/speech, method: POST }
stream:
  - event: { event: speech.audio.delta, data: '{"type":"speech.audio.delta","audio":"AAAA"}' }
  - chunk: { choices: [{ index: 0, delta: { content: no chunk of chat completions } }] }
    wire: { id: "7" }
  - raw: "data: [DONE]\n\n"
---
name: ends
when: { path: /v1/audio/transcriptions, method: POST }
stream:
  - event: { data: '{"type":"transcript.text.delta","delta":"It"}' }
  - raw: ": still here\n\ndata: {\"type\":"
end: cut
---
name: braces
when: { path: /v1/things/with*, method: PUT }
wire: { body: { text: '{{ "{{" }} no template }}' } }
---
name: parts
when: { path: "/v1/parts/{id}" }
wire: { body: 'part {{ .match.id }}, {{ json .request }}' }
---
name: up
message: Hello
`

// ask is a request of an application.
type ask struct{ method, path, kind, body string }

// form is an upload of a file, with a field beside it.
func form(path, name, content, field string) ask {
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	_ = w.SetBoundary("boundary")
	_ = w.WriteField("note", field)
	part, _ := w.CreateFormFile("file", name)
	_, _ = io.WriteString(part, content)
	_ = w.Close()
	return ask{http.MethodPost, path, w.FormDataContentType(), body.String()}
}

// secretOfForm is a key in a field of a form; contentOfFile is in a file that is uploaded, whose hash is that of
// the address in it and not of a placeholder.
const secretOfForm, contentOfFile = "sk-proj-abcdefghijklmnop1234567890", "words of joe@mail.example that nobody keeps"

// asks are the requests of an application, in their order.
var asks = []ask{
	{http.MethodPost, "/v1/embeddings", "application/json", `{"model":"text-embedding-3-small","input":["a","b"],"dimensions":3}`},
	{http.MethodPost, "/v1/embeddings", "application/json", `{"model":"text-embedding-3-small","input":["c","b"],"dimensions":3}`},
	{http.MethodPost, "/v1/embeddings", "application/json", `{"model":"text-embedding-3-small","input":"b","encoding_format":"base64"}`},
	{http.MethodPost, "/v1/embeddings", "application/json", `{"model":"text-embedding-3-small","input":"b"}`},
	{http.MethodPost, "/openai/deployments/vectors/embeddings?api-version=2024-10-21", "application/json", `{"input":"on Azure","dimensions":3}`},
	{http.MethodPost, "/v1/moderations", "application/json", `{"input":["I am fine","and you?"]}`},
	form("/v1/files", "a.txt", contentOfFile, "key "+secretOfForm),
	form("/v1/files", "b.txt", "other bytes", "none"),
	form("/v1/files", "b.txt", "again other bytes", "none"),
	{http.MethodGet, "/v1/files/file-of-a.txt", "", ""},
	{http.MethodGet, "/v1/files/file-of-b.txt", "", ""},
	{http.MethodGet, "/v1/files/file-of-a.txt/content", "", ""},
	{http.MethodHead, "/v1/files/file-of-a.txt/content", "", ""},
	{http.MethodGet, "/v1/files?limit=2", "", ""},
	{http.MethodGet, "/v1/files?limit=2&after=file-of-a.txt", "", ""},
	{http.MethodGet, "/v1/batches/batch_1", "", ""},
	{http.MethodGet, "/v1/batches/batch_1", "", ""},
	{http.MethodGet, "/v1/batches/batch_1", "", ""},
	{http.MethodGet, "/v1/batches/batch_1", "", ""},
	{http.MethodPost, "/v1/audio/speech", "application/json", `{"model":"tts-1","input":"Hi","stream_format":"sse"}`},
	{http.MethodPost, "/v1/audio/transcriptions", "application/x-www-form-urlencoded", "stream=true&model=whisper-1"},
	{http.MethodPut, "/v1/things/with%20a%20%7Bspace%7D", "application/octet-stream", "\x00\x01\xff"},
	{http.MethodGet, "/v1/parts/%2A", "", ""},
	{http.MethodGet, "/v1/parts/a%2Fb", "", ""},
	{http.MethodGet, "/v1/parts/a%252Fb", "", ""},
	{http.MethodGet, "/v1/parts/a/b", "", ""},
	{http.MethodPost, "/v1/parts/list", "application/json", `[{"a":1}]`},
	{http.MethodGet, "/v1/models/gpt-4o", "", ""},
	{http.MethodDelete, "/v1/files/file-of-a.txt", "", ""},
	{http.MethodPost, "/v1/chat/completions", "application/json", `{"model":"gpt-4o","messages":[{"role":"user","content":"Hi"}]}`},
	{http.MethodGet, "/v1/nothing", "", ""},
}

// run returns what an application gets: statuses, types and bodies.
func run(t *testing.T, url string) (got []string) {
	t.Helper()
	for _, a := range asks {
		req, err := http.NewRequestWithContext(t.Context(), a.method, url+a.path, strings.NewReader(a.body))
		if err != nil {
			t.Fatal(err)
		}
		if a.kind != "" {
			req.Header.Set("Content-Type", a.kind)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		got = append(got, fmt.Sprintf("%s %s: %d %s %s %q %v", a.method, a.path, resp.StatusCode, resp.Header.Get("Content-Type"), resp.Header.Get("Content-Disposition"), body, err))
	}
	return got
}

// A whole application passes the recorder unchanged, and the recording plays again with the same answers in
// their order, with each way to match. No file has the secret in a form or the bytes that were uploaded.
func TestWholeApplicationsPlayAgain(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	up := fakeWith(t, server.Config{Speed: server.Instant, Created: 1750000000}, yamlfile.Source{Name: "up.yaml", Data: []byte(application)})
	for _, how := range []recording.Matching{recording.MatchTurn, recording.MatchLast, recording.MatchExact} {
		up.Reset()
		want := run(t, serve(t, up).String())
		up.Reset()
		session := &recording.Session{
			Mode: recording.ModeRecord, Upstream: serve(t, up), Redactor: new(recording.Redactor), List: &recording.Collection{Matching: how},
			Ended: func(x *recording.Exchange, err error) {
				if err != nil {
					t.Errorf("%s: %s is not recorded: %v", how, x.Describe(), err)
				}
			},
		}
		proxy := httptest.NewServer(session)
		t.Cleanup(proxy.Close)
		checkSame(t, string(how)+" passed on", run(t, proxy.URL), want)
		if err := session.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if notes := session.List.Check(); len(notes) > 0 {
			t.Errorf("%s: %v", how, notes)
		}
		var sources []yamlfile.Source
		sum := sha256.Sum256([]byte(contentOfFile))
		for _, f := range session.List.Files() {
			sources = append(sources, yamlfile.Source{Name: f.Name, Data: f.Data})
			for _, kept := range []string{secretOfForm, contentOfFile} {
				if bytes.Contains(f.Data, []byte(kept)) {
					t.Errorf("%s: %s has %q\n%s", how, f.Name, kept, f.Data)
				}
			}
			if how == recording.MatchExact && f.Name == "post-files.yaml" && (!bytes.Contains(f.Data, []byte(hex.EncodeToString(sum[:]))) || !bytes.Contains(f.Data, []byte("key .+"))) {
				t.Errorf("%s has neither the hash of the file nor a placeholder\n%s", f.Name, f.Data)
			}
		}
		again := newFakeAt(t, server.Instant, sources...)
		checkSame(t, string(how)+" played again", run(t, serve(t, again).String()), want)
	}
}

func checkSame(t *testing.T, what string, got, want []string) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%s: got\n%s\nwant\n%s", what, got[i], want[i])
		}
	}
}

// In the mode missing, a scenario for another path answers, and what no scenario answers is recorded.
func TestOtherPathsBesideOthers(t *testing.T) {
	t.Parallel()
	old := yamlfile.Source{Name: "old.yaml", Data: []byte("name: old\nwhen: {path: /v1/files/old, method: GET}\nwire: {body: old answer}\n")}
	set, problems := server.CheckFiles(old)
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	session := &recording.Session{
		Mode: recording.ModeMissing, Fake: newFakeAt(t, server.Instant, old), Redactor: new(recording.Redactor), List: new(recording.Collection), Ended: func(*recording.Exchange, error) {},
		Upstream: endpoint(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "new answer to "+r.Method) }),
	}
	session.Beside(set, []yamlfile.Source{old})
	proxy := httptest.NewServer(session)
	t.Cleanup(proxy.Close)
	for _, tt := range []ask{{http.MethodGet, "/v1/files/old", "", "old answer"}, {http.MethodDelete, "/v1/files/old", "", "new answer to DELETE"}, {http.MethodGet, "/v1/files/new", "", "new answer to GET"}} {
		req, err := http.NewRequestWithContext(t.Context(), tt.method, proxy.URL+tt.path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if string(body) != tt.body {
			t.Errorf("%s %s is answered with %q, want %q", tt.method, tt.path, body, tt.body)
		}
	}
	if err := session.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if files := session.List.Files(); len(files) != 2 || files[0].Name != "delete-files-old.yaml" || files[1].Name != "get-files-new.yaml" {
		t.Errorf("recorded are %v", files)
	}
}
