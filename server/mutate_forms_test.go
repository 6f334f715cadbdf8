package server_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures"
	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// spoilt are texts that a mutation inserts into a form, or into its headers.
var spoilt = []string{
	"\r\n", "\r\n\r\n", "--", "--BOUNDARY", "\r\n--BOUNDARY--\r\n", "\x00", "\xff\xfe", `"`, `;`, `; filename="a"`, `; name=""`, `name="file[]"`, `"file"`,
	"Content-Transfer-Encoding: base64\r\n", "Content-Transfer-Encoding: quoted-printable\r\n", "Content-Disposition: ", ": ", "=", "%", "boundary=", "multipart/mixed",
	"application/json", "application/x-www-form-urlencoded", "filename*=UTF-8''%ff", strings.Repeat("a", 9000), strings.Repeat("\r\n", 50), `{"a":1}`, "=?utf-8?q?x?=",
}

// mutate returns a text with one to three changes: a part of it is left out, sent twice or moved, a byte is another
// one, or a spoilt text is put in.
func mutate(r *rand.Rand, text string) string {
	for range 1 + r.IntN(3) {
		from := r.IntN(len(text) + 1)
		to := min(len(text), from+r.IntN(40))
		part := text[from:to]
		switch r.IntN(6) {
		case 0:
			text = text[:from] + text[to:]
		case 1:
			text = text[:to] + part + text[to:]
		case 2:
			text = text[:from]
		case 3:
			rest := text[:from] + text[to:]
			at := r.IntN(len(rest) + 1)
			text = rest[:at] + part + rest[at:]
		case 4:
			text = text[:from] + string([]byte{byte(r.IntN(256))}) + text[min(len(text), from+1):]
		default:
			text = text[:from] + spoilt[r.IntN(len(spoilt))] + text[from:]
		}
	}
	return text
}

// A form that is broken is never the fault of the server: no mutation of a request with files, of its body or of
// its headers, is answered by a 500.
func TestNoMutationOfAFormIsAServersFault(t *testing.T) {
	t.Parallel()
	testflag.SkipRace(t)
	set, err := yamlfile.Load(fixtures.Endpoints, ".")
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(server.Config{Scenarios: set, Default: server.NoDefault, Speed: server.Instant, JournalSize: 1, MaxBody: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	forms := []struct{ path, body string }{
		{"/v1/files", form(t, "purpose", "batch", "@file", "{}\n")},
		{"/v1/audio/transcriptions", form(t, "model", "whisper-1", "timestamp_granularities[]", "word", "timestamp_granularities[]", "segment", "@file", "ID3\x04")},
		{"/v1/images/edits", form(t, "prompt", "redder", "stream", "true", "@image[]", "\x89PNG\r\n", "@image[]", "\x89PNG\r\n")},
	}
	const kind = "multipart/form-data; boundary=BOUNDARY"
	answers := map[int]int{}
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 25))
		f, header, body := forms[r.IntN(len(forms))], kind, ""
		if body = f.body; r.IntN(4) > 0 {
			body = mutate(r, body)
		}
		if body == f.body || r.IntN(4) == 0 {
			header = mutate(r, header)
		}
		req := httptest.NewRequest(http.MethodPost, f.path, strings.NewReader(body))
		req.Header["Content-Type"] = []string{header}
		if r.IntN(8) == 0 {
			name := []string{"Content-Type", "Content-Encoding", "Content-Length", "Authorization", "X-Fakeopenai-Scenario", "Idempotency-Key"}[r.IntN(6)]
			req.Header.Add(name, mutate(r, "gzip"))
		}
		w := httptest.NewRecorder()
		serveTo(s, w, req)
		answers[w.Code]++
		entry, _ := s.JournalEntry(0)
		asked := fmt.Sprintf("seed %d: %s with %q and %.2000q", seed, f.path, req.Header, body)
		if entry.Fault || w.Code >= http.StatusInternalServerError {
			t.Errorf("%s: status %d: %s", asked, w.Code, entry.Problem)
		}
		if problem := notAnError(w.Body.Bytes()); w.Code >= http.StatusBadRequest && problem != "" {
			t.Errorf("%s: %s: %.600q", asked, problem, w.Body)
		}
	}
	for _, status := range []int{http.StatusOK, http.StatusBadRequest, http.StatusNotFound} {
		if answers[status] < 50 {
			t.Errorf("the statuses are %v, want 50 times %d: the mutations are too strong or too weak", answers, status)
		}
	}
}

// form is the body of a multipart form with the boundary BOUNDARY. A name with an @ before it is that of a file.
func form(t *testing.T, fields ...string) string {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	err := w.SetBoundary("BOUNDARY")
	for i := 0; i < len(fields) && err == nil; i += 2 {
		if name, isFile := strings.CutPrefix(fields[i], "@"); isFile {
			part, wrong := w.CreateFormFile(name, "hello.bin")
			if err = wrong; err == nil {
				_, err = part.Write([]byte(fields[i+1]))
			}
			continue
		}
		err = w.WriteField(fields[i], fields[i+1])
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return body.String()
}
