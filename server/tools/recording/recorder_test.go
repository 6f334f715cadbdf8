package recording_test

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/tools/recording"
)

// serve plays a scenario on loopback.
func serve(t *testing.T, fake *server.Server) *url.URL {
	t.Helper()
	s := httptest.NewUnstartedServer(fake)
	s.Config.ConnContext = fake.ConnContext
	s.Listener = fake.Watch(s.Listener)
	s.Start()
	t.Cleanup(s.Close)
	return &url.URL{Scheme: "http", Host: s.Listener.Addr().String()}
}

// newRecorder starts a recorder before an upstream. The channel has its recordings.
func newRecorder(t *testing.T, upstream *url.URL) (base string, kept <-chan *recording.Exchange) {
	t.Helper()
	exchanges := make(chan *recording.Exchange, 100)
	s := httptest.NewServer(passingOn(upstream, func(x *recording.Exchange) { exchanges <- x }))
	t.Cleanup(s.Close)
	return s.URL, exchanges
}

// passingOn is a session that passes requests on, and whose recordings do not matter.
func passingOn(upstream *url.URL, ended func(*recording.Exchange)) *recording.Session {
	return &recording.Session{
		Mode: recording.ModeRecord, Upstream: upstream, Redactor: new(recording.Redactor), List: new(recording.Collection),
		Ended: func(x *recording.Exchange, _ error) { ended(x) },
	}
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

// The path of the upstream comes before the path of a request, and a version that both have
// comes once.
func TestThePathOfTheUpstreamComesFirst(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 1)
	upstream := endpoint(t, func(_ http.ResponseWriter, r *http.Request) { asked <- r.RequestURI })
	for _, tt := range []struct{ base, path, want string }{
		{"", "/v1/chat/completions", "/v1/chat/completions"},
		{"/", "/v1/models/a%2Fb?x=1", "/v1/models/a%2Fb?x=1"},
		{"/v1", "/v1/chat/completions", "/v1/chat/completions"},
		{"/v1/", "/chat/completions", "/v1/chat/completions"},
		{"/api/v1", "/v1/responses", "/api/v1/responses"},
		{"/openai", "/v1/responses", "/openai/v1/responses"},
	} {
		u := *upstream
		u.Path = tt.base
		base, _ := newRecorder(t, &u)
		if _, _, err := post(t, base+tt.path, "x", "{}"); err != nil {
			t.Error(err)
		}
		if got := testflag.Receive(t, asked); got != tt.want {
			t.Errorf("below %q, %s is asked at %s, want %s", tt.base, tt.path, got, tt.want)
		}
	}
}

// When a client leaves, the recorder reads no more of the answer, and records what the client got.
func TestAnAnswerThatAClientLeftIsRecorded(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	base, kept := upstreamOf(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {}\n\n")
		_ = http.NewResponseController(w).Flush()
		select {
		case <-r.Context().Done():
		case <-release:
		}
	})
	defer close(release)
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
	if x := testflag.Receive(t, kept); x.Ending != recording.EndedByClient || bodyOf(x) != "data: {}\n\n" {
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
	x := testflag.Receive(t, kept)
	x.AnswerHeader.Set("X-Of-A-Gateway", "yes")
	sc, err := recording.Write(x, "recorded")
	if err != nil {
		t.Fatal(err)
	}
	if h := sc.Wire.Headers; len(h) != 1 || h[0].Name != "X-Of-A-Gateway" {
		t.Errorf("the header is %v", h)
	}
}

// A status that no answer has is a 502, and Failed tells it. One that no scenario has is passed on, and not recorded.
func TestImpossibleStatuses(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]int{"000": 502, "042": 502, "199": 502, "600": 600, "999": 999} {
		upstream := rawEndpoint(t, "HTTP/1.1 "+status+" Odd\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno")
		var failed, ended []string
		session := passingOn(upstream, nil)
		session.Mode = recording.ModeRecord
		session.Failed = func(_ *http.Request, err error) { failed = append(failed, err.Error()) }
		session.Ended = func(_ *recording.Exchange, err error) { ended = append(ended, fmt.Sprint(err)) }
		proxy := httptest.NewUnstartedServer(session)
		proxy.Config.ErrorLog = log.New(noLog{t}, "", 0)
		proxy.Start()
		got, body, err := post(t, proxy.URL+"/v1/chat/completions", "", `{"model":"m","messages":[]}`)
		proxy.Close()
		if waited := session.Wait(t.Context()); err != nil || waited != nil || got != want {
			t.Errorf("%s: the client has %d %q, %v, %v", status, got, body, err, waited)
		}
		isFailure := len(failed) == 1 && (strings.Contains(failed[0], status+" is no status") || status == "199") && len(ended) == 0 // net/http waits for what follows 199.
		isNotRecorded := len(failed) == 0 && len(ended) == 1 && strings.Contains(ended[0], "599")
		if want == 502 && !isFailure || want != 502 && !isNotRecorded {
			t.Errorf("%s: failed are %q, ended are %q", status, failed, ended)
		}
	}
}

// rawEndpoint answers every request with these bytes.
func rawEndpoint(t *testing.T, answer string) *url.URL {
	t.Helper()
	return endpoint(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, answer)
	})
}
