package recording_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/server/tools/recording"
)

// heldSession passes requests on to an upstream, and records their answers when let is called and not
// before: their content coding is decoded no sooner.
type heldSession struct {
	*recording.Session
	url string
	let func()

	mu    sync.Mutex
	ended []string // ended are the calls of Ended: a path, and the error if there was one.
}

// noLog fails a test when something is logged.
type noLog struct{ *testing.T }

func (t noLog) Write(p []byte) (int, error) {
	t.Errorf("net/http logs %s", p)
	return len(p), nil
}

func hold(t *testing.T, answer http.HandlerFunc) *heldSession {
	t.Helper()
	release := make(chan struct{})
	h := &heldSession{let: sync.OnceFunc(func() { close(release) })}
	h.Session = &recording.Session{
		Mode: recording.ModeRecord, Upstream: endpoint(t, answer), Redactor: new(recording.Redactor), List: new(recording.Collection), Ended: h.endedWith,
		Codings: map[string]func(io.Reader) (io.Reader, error){
			"held":  func(r io.Reader) (io.Reader, error) { <-release; return r, nil },
			"empty": func(io.Reader) (io.Reader, error) { <-release; return strings.NewReader(""), nil },
		},
	}
	proxy := httptest.NewUnstartedServer(h.Session)
	proxy.Config.ErrorLog = log.New(noLog{t}, "", 0)
	proxy.Start()
	t.Cleanup(proxy.Close)
	t.Cleanup(h.let)
	h.url = proxy.URL
	return h
}

func (h *heldSession) endedWith(x *recording.Exchange, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	line := x.Path
	if err != nil {
		line += ": " + err.Error()
	}
	h.ended = append(h.ended, line)
}

func (h *heldSession) endings() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.ended)
}

// wait waits until everything is recorded.
func (h *heldSession) wait(t *testing.T) {
	t.Helper()
	if err := h.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// get returns the whole answer to a request. Only a failing test waits as long as the timeout.
func (h *heldSession) get(t *testing.T, method, path, body string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, h.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s has no end: %v", path, err)
	}
	return string(got)
}

const answerInOnePiece = `{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"gpt-4o","choices":[{"index":0,"message":{"role":"assistant","content":"Yes."},"finish_reason":"stop"}]}`

// While an answer is being recorded, however long that takes, its client has all of it, and other requests
// are answered. Wait waits for it, and the answers are recorded in the order in which they ended.
func TestNoClientWaitsForTheRecording(t *testing.T) {
	t.Parallel()
	h := hold(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), "slow") {
			w.Header().Set("Content-Encoding", "held")
		}
		_, _ = io.WriteString(w, answerInOnePiece)
	})
	var want []string
	for _, question := range []string{"slow", "second", "slow again", "fourth"} {
		path := "/v1/chat/completions?" + url.Values{"q": {question}}.Encode()
		want = append(want, path)
		if got := h.get(t, http.MethodPost, path, `{"model":"gpt-4o","messages":[{"role":"user","content":"`+question+`"}]}`); got != answerInOnePiece {
			t.Errorf("%s is answered with %q", question, got)
		}
	}
	if c := h.Counts(); c.Requests != 4 || c.Waiting != 4 || len(h.endings()) > 0 {
		t.Errorf("before anything can be recorded there are %+v and %q", c, h.endings())
	}
	over, cancel := context.WithCancelCause(t.Context())
	late := errors.New("late")
	cancel(late)
	if err := h.Wait(over); !errors.Is(err, late) {
		t.Errorf("Wait says %v", err)
	}
	h.let()
	h.wait(t)
	if got := h.endings(); !slices.Equal(got, want) {
		t.Errorf("recorded are %q, want %q", got, want)
	}
	var names []string
	for _, f := range h.List.Files() {
		names = append(names, f.Name)
	}
	if want := []string{"slow.yaml", "second.yaml", "slow-again.yaml", "fourth.yaml"}; !slices.Equal(names, want) {
		t.Errorf("the files are %q, want %q", names, want)
	}
	if c := h.Counts(); c.Waiting != 0 || c.Open != 0 || c.NotRecorded != 0 {
		t.Errorf("at the end there are %+v", c)
	}
}

// Answers that wait to be recorded are bounded in bytes. One that does not fit is passed on like the
// others, and Ended says at once that it is not recorded, without what its query may reveal.
func TestWhatWaitsToBeRecordedIsBounded(t *testing.T) {
	t.Parallel()
	testflag.Heavy(t)
	const size = 15 << 20
	h := hold(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "empty")
		_, _ = w.Write(make([]byte, size))
	})
	for range 5 {
		if got := h.get(t, http.MethodOptions, "/v1/responses/resp_1?key=abc", ""); len(got) != size {
			t.Errorf("the client has %d bytes", len(got))
		}
	}
	h.let()
	h.wait(t)
	got := h.endings()
	if want := "/v1/responses/resp_1: 64 MiB of answers wait to be recorded"; len(got) != 5 || !strings.HasPrefix(got[0], want) {
		t.Errorf("Ended is called with %q, want first %q", got, want)
	}
	for _, ended := range got[1:] {
		if !strings.HasSuffix(ended, recording.ErrNoSurface.Error()) {
			t.Errorf("one that fits has ended with %q", ended)
		}
	}
	if n := h.Counts().NotRecorded; n != 1 {
		t.Errorf("%d answers are counted as not recorded, want 1", n)
	}
	if got := h.get(t, http.MethodOptions, "/v1/responses/resp_1?key=abc", ""); len(got) != size {
		t.Errorf("the client has %d bytes", len(got))
	}
	h.wait(t)
	if n := h.Counts().NotRecorded; n != 1 {
		t.Errorf("there is no room again: %d answers are counted as not recorded", n)
	}
}

// A connection that changes to another protocol is passed through, and Ended says that it is not recorded.
func TestAnotherProtocolIsPassedThrough(t *testing.T) {
	t.Parallel()
	h := hold(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		_, _ = io.Copy(conn, rw)
	})
	var dialer net.Dialer
	conn, err := dialer.DialContext(t.Context(), "tcp", strings.TrimPrefix(h.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, "GET /v1/responses HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
	var got bytes.Buffer
	for !strings.HasSuffix(got.String(), "\r\n\r\n") {
		if _, err := io.CopyN(&got, conn, 1); err != nil {
			t.Fatalf("%q: %v", &got, err)
		}
	}
	_, _ = io.WriteString(conn, "ping")
	echo := make([]byte, 4)
	if _, err := io.ReadFull(conn, echo); err != nil || string(echo) != "ping" || !strings.HasPrefix(got.String(), "HTTP/1.1 101") {
		t.Errorf("the client has %q and %q, %v", &got, echo, err)
	}
	conn.Close()
	h.wait(t)
	if got, want := h.endings(), "/v1/responses: the connection changed to another protocol"; len(got) != 1 || !strings.HasPrefix(got[0], want) {
		t.Errorf("Ended is called with %q, want once %q", got, want)
	}
	if c := h.Counts(); c.Requests != 1 || c.NotRecorded != 1 || c.Open != 0 {
		t.Errorf("there are %+v", c)
	}
}

// A panic while an answer is recorded is the reason why it is not, and ends nothing else.
func TestAPanicOfARecordingIsAnError(t *testing.T) {
	t.Parallel()
	h := hold(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answerInOnePiece) })
	h.Redactor.Patterns = []*regexp.Regexp{nil}
	h.get(t, http.MethodPost, "/v1/chat/completions", "{}")
	h.wait(t)
	if got := h.endings(); len(got) != 1 || !strings.Contains(got[0], "this is a bug of fakeopenai: ") {
		t.Errorf("Ended is called with %q", got)
	}
}
