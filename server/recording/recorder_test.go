package recording_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures"
	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/recording"
)

// serve plays a scenario on loopback.
func serve(t *testing.T, fake *server.Server) *url.URL {
	t.Helper()
	s := httptest.NewUnstartedServer(fake)
	s.Config.ConnContext = fake.ConnContext
	s.Listener = fake.Watch(s.Listener)
	s.Start()
	t.Cleanup(s.Close)
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// newRecorder starts a recorder before an upstream. The channel has its recordings.
func newRecorder(t *testing.T, upstream *url.URL) (base string, kept <-chan *recording.Exchange) {
	t.Helper()
	exchanges := make(chan *recording.Exchange, 100)
	s := httptest.NewServer(&recording.Recorder{Upstream: upstream, Keep: func(x *recording.Exchange) {
		x.Unpack(nil, recording.DefaultLimit)
		exchanges <- x
	}})
	t.Cleanup(s.Close)
	return s.URL, exchanges
}

// post returns what a client gets, and whether the body was whole.
func post(t *testing.T, url, scenario, body string) (status int, got []byte, err error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Fakeopenai-Scenario", scenario)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	got, err = io.ReadAll(resp.Body)
	return resp.StatusCode, got, err
}

// The client gets what the upstream sent, and the recording has the same.
func TestARecorderPassesOnWhatItKeeps(t *testing.T) {
	t.Parallel()
	testflag.Heavy(t)
	fake := bundledAtOnce(t)
	upstream := serve(t, fake)
	base, kept := newRecorder(t, upstream)
	for _, name := range fixtures.Names() {
		const body = `{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"Hi"}]}`
		status, got, err := post(t, base+"/v1/chat/completions", name, body)
		if status == 0 {
			t.Errorf("%s: %v", name, err)
			continue
		}
		x := <-kept
		if x.Status != status || bodyOf(x) != string(got) || !bytes.Equal(x.Body, []byte(body)) {
			t.Errorf("%s: status %d and %q were passed on, %d and %q kept", name, status, got, x.Status, bodyOf(x))
		}
		if whole := x.Ending == recording.EndedComplete; whole != (err == nil) {
			t.Errorf("%s: the client's error is %v, kept is the ending %q", name, err, x.Ending)
		}
	}
}

// The path of the upstream comes before the path of a request, and a version that both have
// comes once.
func TestThePathOfTheUpstreamComesFirst(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 1)
	upstream := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked <- r.RequestURI }))
	t.Cleanup(upstream.Close)
	for _, tt := range []struct{ base, path, want string }{
		{"", "/v1/chat/completions", "/v1/chat/completions"},
		{"/", "/v1/models/a%2Fb?x=1", "/v1/models/a%2Fb?x=1"},
		{"/v1", "/v1/chat/completions", "/v1/chat/completions"},
		{"/v1/", "/chat/completions", "/v1/chat/completions"},
		{"/api/v1", "/v1/responses", "/api/v1/responses"},
		{"/openai", "/v1/responses", "/openai/v1/responses"},
	} {
		u, err := url.Parse(upstream.URL + tt.base)
		if err != nil {
			t.Fatal(err)
		}
		base, _ := newRecorder(t, u)
		if _, _, err := post(t, base+tt.path, "x", "{}"); err != nil {
			t.Error(err)
		}
		if got := <-asked; got != tt.want {
			t.Errorf("below %q, %s is asked at %s, want %s", tt.base, tt.path, got, tt.want)
		}
	}
}

// When a client leaves, the recorder reads no more of the answer, and records what the client got.
func TestAnAnswerThatAClientLeftIsRecorded(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {}\n\n")
		_ = http.NewResponseController(w).Flush()
		select {
		case <-r.Context().Done():
		case <-release:
		}
	}))
	t.Cleanup(upstream.Close)
	defer close(release)
	u, err := url.Parse(upstream.URL)
	if err != nil {
		t.Fatal(err)
	}
	base, kept := newRecorder(t, u)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/v1/chat/completions", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(resp.Body, make([]byte, 10)); err != nil { // these bytes come before the upstream has ended the answer
		t.Fatal(err)
	}
	resp.Body.Close()
	if x := <-kept; x.Ending != recording.EndedByClient || bodyOf(x) != "data: {}\n\n" {
		t.Errorf("kept is %q with the ending %q", bodyOf(x), x.Ending)
	}
}

// Header fields that every answer of the server has are not written.
func TestFieldsThatAreSentAnywayAreNotWritten(t *testing.T) {
	t.Parallel()
	testflag.Heavy(t)
	upstream := serve(t, bundledAtOnce(t))
	base, kept := newRecorder(t, upstream)
	if _, _, err := post(t, base+"/v1/chat/completions", "plain-text", `{"model":"gpt-4o","stream":true,"messages":[]}`); err != nil {
		t.Fatal(err)
	}
	x := <-kept
	x.AnswerHeader.Set("X-Of-A-Gateway", "yes")
	sc, err := recording.Write(x, "recorded")
	if err != nil {
		t.Fatal(err)
	}
	if h := sc.Wire.Headers; len(h) != 1 || h[0].Name != "X-Of-A-Gateway" {
		t.Errorf("the header is %v", h)
	}
}
