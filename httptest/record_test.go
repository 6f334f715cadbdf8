package fakeopenai

import (
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/server/tools/recording"
)

// mustGet returns the whole answer that a client gets through the recording.
func mustGet(t *testing.T, r *Recording, question string) (status int, answer string) {
	t.Helper()
	body := `{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"` + question + `"}]}`
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.BaseURL+"/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+r.APIKey)
	resp, err := r.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

// endpoint starts the server that is recorded. It requires its key and repeats the question.
func endpoint(t *testing.T) *Server {
	t.Helper()
	return NewServer(t, WithAPIKey("sk-of-the-endpoint-0123456789"), YAML(`
		name: echo
		message: { content: 'You said {{ .last_user }}' }
	`))
}

// A recorded answer is replayed without the endpoint, byte for byte, and no file has the API
// key.
func TestRecord(t *testing.T) {
	up := endpoint(t)
	for _, how := range []struct {
		name string
		opts []RecordOption
	}{
		{"socket", nil},
		{"memory", []RecordOption{Serving(InMemory())}},
		{"http2", []RecordOption{Serving(WithHTTP2())}},
	} {
		t.Run(how.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "a", "b")
			t.Setenv("OPENAI_API_KEY", up.APIKey)
			t.Setenv(recordVariable, "1")
			var recorded string
			record(t, func(tb testing.TB) {
				r := Record(tb, up.URL, dir, how.opts...)
				if r.Mode != recording.ModeRecord || r.APIKey != up.APIKey {
					t.Errorf("mode %q, key %q", r.Mode, r.APIKey)
				}
				_, recorded = mustGet(t, r, "Hi")
			}).wantErrors(t)
			t.Setenv(recordVariable, "")
			record(t, func(tb testing.TB) {
				r := Record(tb, "http://127.0.0.1:1", dir, how.opts...)
				if r.APIKey == up.APIKey {
					t.Error("the real key is given to a test that asks no endpoint")
				}
				if _, again := mustGet(t, r, "Hi"); again != recorded || !strings.Contains(again, "Hi") {
					t.Errorf("got\n%s\nrecorded was\n%s", again, recorded)
				}
			}).wantErrors(t)
			files := filesIn(t, dir)
			if len(files) != 1 || files["hi.yaml"] == "" || strings.Contains(files["hi.yaml"], "sk-of") {
				t.Errorf("files: %q", files)
			}
		})
	}
}

// filesIn returns the contents of the files in a directory.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(data)
	}
	return files
}

// In a replay, a request that no recording answers fails the test with the nearest recording
// and how to record the request. When missing requests are recorded, only they go to the endpoint.
func TestRecordMissing(t *testing.T) {
	up := endpoint(t)
	dir := t.TempDir()
	t.Setenv("OPENAI_API_KEY", up.APIKey)
	t.Setenv(recordVariable, "record")
	record(t, func(tb testing.TB) { mustGet(t, Record(tb, up.URL, dir), "Hi") }).wantErrors(t)
	before := filesIn(t, dir)
	t.Setenv(recordVariable, "replay")
	record(t, func(tb testing.TB) {
		r := Record(tb, up.URL, dir)
		if status, _ := mustGet(t, r, "Ho"); status != http.StatusNotFound {
			t.Errorf("status %d, want 404", status)
		}
		mustGet(t, r, "Hi")
	}).wantErrors(t, `"hi"`)
	t.Setenv(recordVariable, "missing")
	asked := len(up.Requests())
	record(t, func(tb testing.TB) {
		r := Record(tb, up.URL, dir)
		mustGet(t, r, "Hi")
		mustGet(t, r, "Ho")
	}).wantErrors(t)
	if n := len(up.Requests()) - asked; n != 1 {
		t.Errorf("the endpoint was asked %d times, want once", n)
	}
	if files := filesIn(t, dir); len(files) != 2 || files["ho.yaml"] == "" || files["hi.yaml"] != before["hi.yaml"] {
		t.Errorf("files: %q", files)
	}
	t.Setenv(recordVariable, "")
	failed := record(t, func(tb testing.TB) { mustGet(t, Record(tb, up.URL, dir), "Hu") })
	failed.wantErrors(t, "FAKEOPENAI_RECORD=missing go test -run '^TestRecordMissing$'")
}

// The options about files have their effect in the files.
func TestRecordOptions(t *testing.T) {
	up := endpoint(t)
	dir := t.TempDir()
	t.Setenv("OPENAI_API_KEY", up.APIKey)
	t.Setenv(recordVariable, "1")
	record(t, func(tb testing.TB) {
		mustGet(t, Record(tb, up.URL, dir, Matching(recording.MatchExact), Redact(regexp.MustCompile("Hu+"))), "Huuu")
	}).wantErrors(t)
	for name, got := range filesIn(t, dir) {
		for _, want := range []string{"\n  body: {model: ", "redacted-pattern-"} {
			if !strings.Contains(got, want) || strings.Contains(got, "Huuu") {
				t.Errorf("want %q in %s: %s", want, name, got)
			}
		}
	}
	if n := len(filesIn(t, dir)); n != 1 {
		t.Errorf("%d files, want one", n)
	}
}

// A stream that the test left open is recorded up to the event at which the test left it.
func TestRecordAStreamLeftOpen(t *testing.T) {
	testflag.Heavy(t)
	up := NewServer(t, YAML("name: x\nstream: [{ role: assistant, content: Par }, { hold: middle }, { content: is., finish: stop }]"))
	t.Setenv("OPENAI_API_KEY", "")
	t.Setenv(recordVariable, "1")
	dir := t.TempDir()
	record(t, func(tb testing.TB) {
		r := Record(tb, up.URL, dir)
		resp, err := r.Client().Post(r.BaseURL+"/chat/completions", "application/json", strings.NewReader(`{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"Hi"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(resp.Body, make([]byte, 10)); err != nil {
			t.Error(err)
		}
	}).wantErrors(t)
	up.Release("middle")
	if got := filesIn(t, dir)["hi.yaml"]; !strings.Contains(got, "Par") || strings.Contains(got, "is.") || !strings.Contains(got, "cut") {
		t.Errorf("recorded is %s", got)
	}
}

// A test that fails still writes its recordings, and its log says so and names the files that this run did not record again.
func TestRecordInATestThatFails(t *testing.T) {
	up := endpoint(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "old.yaml"), []byte("name: old\nmessage: Hi\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("OPENAI_API_KEY", up.APIKey)
	t.Setenv(recordVariable, "1")
	failed := record(t, func(tb testing.TB) {
		mustGet(t, Record(tb, up.URL, dir), "Hi")
		tb.Errorf("for another reason")
	})
	failed.wantErrors(t, "another reason")
	if files := filesIn(t, dir); len(files) != 2 || files["hi.yaml"] == "" {
		t.Errorf("files: %q", files)
	}
	for _, want := range []string{"written all the same", "old.yaml was there before and was not recorded again", "placeholders: key, 1 times"} {
		if !strings.Contains(failed.logs.String(), want) {
			t.Errorf("the log lacks %q: %s", want, failed.logs.String())
		}
	}
}

// Wrong uses of Record fail the test before any request, and the error says what to do.
func TestRecordMistakes(t *testing.T) {
	empty := t.TempDir()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		mode, upstream, dir string
		opts                []RecordOption
		want                string
	}{
		{"yes", "http://x", empty, nil, "write 1 to record, or one of replay, record and missing"},
		{"", "localhost", empty, nil, "it must be a URL such as https://api.openai.com"},
		{"", "http://x", empty, nil, "there is no recording in " + empty + "; to record it, run OPENAI_API_KEY=... FAKEOPENAI_RECORD=missing go test"},
		{"", "http://x", file, nil, "not a directory"},
		{"1", "https://x.invalid", empty, nil, "OPENAI_API_KEY must be set to a key for it"},
		{"", "http://x", empty, []RecordOption{Serving(YAML("name: x\nmessage: y"))}, "Serving takes no scenarios"},
		{"1", "http://x", empty, []RecordOption{Matching("exactly")}, `Matching("exactly"): write one of ["turn" "last" "exact"]`},
		{"1", "http://x", empty, []RecordOption{Redact(nil)}, "Redact: a pattern is nil"},
	} {
		t.Setenv("OPENAI_API_KEY", "")
		t.Setenv(recordVariable, tt.mode)
		record(t, func(tb testing.TB) { Record(tb, tt.upstream, tt.dir, tt.opts...) }).wantErrors(t, tt.want)
	}
	t.Setenv(recordVariable, "1")
	record(t, func(tb testing.TB) {
		Record(tb, "http://127.0.0.1:1", empty)
		Record(tb, "http://127.0.0.1:1", empty)
	}).wantErrors(t, "another test records into")
	record(t, func(tb testing.TB) {
		if status, _ := mustGet(t, Record(tb, "http://127.0.0.1:1", empty), "Hi"); status != http.StatusBadGateway {
			t.Errorf("status %d, want 502", status)
		}
	}).wantErrors(t, "http://127.0.0.1:1 gave no answer")
	up := NewServer(t, YAML("name: x\nmessage: y"), AllowUnused())
	record(t, func(tb testing.TB) { mustGet(t, Record(tb, up.URL, filepath.Join(file, "x")), "Hi") }).wantErrors(t, "not a directory")
}

// The environment leads clients that read it to the recorder, with the key that it wants.
func TestRecordingSetenv(t *testing.T) {
	up := NewServer(t, YAML(greeting), AllowUnused())
	t.Setenv("OPENAI_API_KEY", up.APIKey)
	t.Setenv(recordVariable, "1")
	dir := t.TempDir()
	record(t, func(tb testing.TB) {
		r := Record(tb, up.URL, dir)
		r.Setenv()
		if base, key := os.Getenv("OPENAI_BASE_URL"), os.Getenv("OPENAI_API_KEY"); base != r.BaseURL || key != r.APIKey {
			t.Errorf("the environment has %q and %q, want %q and %q", base, key, r.BaseURL, r.APIKey)
		}
	}).wantErrors(t)
}

// An endpoint that is silent for longer than the limit is no longer waited for.
func TestUpstreamTimeout(t *testing.T) {
	silent := NewServer(t, YAML("name: silent\nstream: [{ role: assistant }, { hold: never }, { finish: stop }]\n"))
	t.Setenv("OPENAI_API_KEY", silent.APIKey)
	t.Setenv(recordVariable, "1")
	dir := t.TempDir()
	record(t, func(tb testing.TB) {
		r := Record(tb, silent.URL, dir, UpstreamTimeout(time.Second/2))
		resp, err := ask(t.Context(), r.server, streamed)
		if err == nil {
			_, _ = io.ReadAll(resp.Body)
			_ = resp.Body.Close()
		}
	}).wantErrors(t)
	if files := filesIn(t, dir); len(files) != 1 || !strings.Contains(strings.Join(slices.Collect(maps.Values(files)), ""), "stall") {
		t.Errorf("recorded is %v, want a stream that stalls", files)
	}
}
