package server_test

import (
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/internal/socket"
)

func TestAServerThatIsDownRefusesConnections(t *testing.T) {
	t.Parallel()
	r := startWatched(t, hello+"---"+strings.Replace(held, "stream:", "when: { model: held }\nstream:", 1), server.Config{})
	idle, busy := r.dial(), r.dial()
	send(t, idle, ask)
	readAnswer(t, idle)
	send(t, busy, `{"model":"held","stream":true}`)
	await(t, r, "middle")

	for range 2 { // a second Down changes nothing
		if err := r.Down(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://")); !socket.IsRefused(err) {
		t.Errorf("a dial ends with %v, want it to be refused", err)
	}
	if n, err := idle.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("an idle connection gives %d bytes, %v; want its end", n, err)
	}
	r.Release("middle")
	readAnswer(t, busy)
	send(t, busy, ask)
	if got, err := io.ReadAll(busy); len(got) != 0 || err != nil {
		t.Errorf("the connection of a stream that was open is used again and gives %q, %v; want its end", got, err)
	}

	for range 2 {
		if err := r.Up(); err != nil {
			t.Fatal(err)
		}
	}
	wantContains(t, text(t, r.chat(ask)), "[DONE]")
}

func TestUpSaysWhenTheAddressIsTaken(t *testing.T) {
	t.Parallel()
	r := startWatched(t, hello, server.Config{})
	if err := r.Down(); err != nil {
		t.Fatal(err)
	}
	squatter, err := net.Listen("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Up(); !socket.IsInUse(err) {
		t.Errorf("Up: %v, want it to say that the address is in use", err)
	}
	squatter.Close()
	if err := r.Up(); err != nil {
		t.Error(err)
	}
}

func TestDownForAWhile(t *testing.T) {
	t.Parallel()
	r := startWatched(t, hello, server.Config{})
	resp := r.do(http.MethodPost, "/_fake/down?for=20ms", "")
	wantStatus(t, resp, http.StatusOK)
	wantContains(t, text(t, resp), `"down_for": "20ms"`)
	for end := time.Now().Add(patience); ; {
		resp, err := try(t.Context(), r.client, r.url, "")
		if err == nil {
			wantContains(t, text(t, resp), "[DONE]")
			return
		}
		if !socket.IsRefused(err) || time.Now().After(end) {
			t.Fatalf("while the server is down a request ends with %v", err)
		}
	}
}

// heard is a writer that sends the lines of a log to a channel, and drops them if it is full.
type heard chan string

func (h heard) Write(p []byte) (int, error) {
	select {
	case h <- string(p):
	default:
	}
	return len(p), nil
}

func TestDownForAWhileWaitsForItsAddress(t *testing.T) {
	t.Parallel()
	log := make(heard, 100)
	r := startWatched(t, hello, server.Config{Logger: slog.New(slog.NewTextHandler(log, nil))})
	if err := r.Down(); err != nil {
		t.Fatal(err)
	}
	squatter, err := net.Listen("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.DownFor(time.Millisecond); err != nil {
		t.Fatal(err)
	}
	wantContains(t, testflag.Receive(t, log), "level=ERROR", "cannot accept connections again", "listen again: ")
	squatter.Close()
	for end := time.Now().Add(patience); ; {
		resp, err := try(t.Context(), r.client, r.url, "")
		if err == nil {
			text(t, resp)
			return
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

func TestDownByHTTP(t *testing.T) {
	t.Parallel()
	owner, plain := startWatched(t, hello, server.Config{}), start(t, hello, server.Config{})
	for _, tt := range []struct {
		name   string
		r      *running
		query  string
		status int
		want   string
	}{
		{"a time that is none", owner, "?for=soon", http.StatusBadRequest, "fake_bad_query"},
		{"a time that is too long", owner, "?for=61s", http.StatusBadRequest, "at most 1m0s"},
		{"no time at all", owner, "?for=0s", http.StatusBadRequest, "fake_bad_query"},
		{"a server that has no listener", plain, "", http.StatusNotImplemented, "fake_no_listener"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wantContains(t, tt.r.ask(http.MethodPost, "/_fake/down"+tt.query, "", tt.status), tt.want)
		})
	}
}

func TestWithoutAListenerThereIsNoDown(t *testing.T) {
	t.Parallel()
	s := local(t, "", server.Config{})
	if err := s.Down(); !errors.Is(err, server.ErrNoListener) {
		t.Errorf("Down: %v", err)
	}
	if err := s.Up(); !errors.Is(err, server.ErrNoListener) {
		t.Errorf("Up: %v", err)
	}
}

func TestAListenerThatCannotBeOpenedAgainIsNotShut(t *testing.T) {
	t.Parallel()
	s := local(t, "", server.Config{})
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := s.Watch(tls.NewListener(inner, new(tls.Config)))
	defer l.Close()
	if err := s.Down(); err == nil || !strings.Contains(err.Error(), "*tls.listener could not be opened again") {
		t.Errorf("Down: %v", err)
	}
	if c, err := net.Dial("tcp", l.Addr().String()); err != nil {
		t.Error(err)
	} else {
		c.Close()
	}
}

// Close works while the server is down, and the server does not come back.
func TestAServerThatIsDownCanBeClosed(t *testing.T) {
	t.Parallel()
	s := local(t, "", server.Config{})
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := s.Watch(inner)
	if err := s.Down(); err != nil {
		t.Fatal(err)
	}
	accepted := make(chan error)
	go func() {
		_, err := l.Accept()
		accepted <- err
	}()
	l.Close()
	if err := testflag.Receive(t, accepted); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Accept: %v", err)
	}
	if err := s.Up(); err != nil {
		t.Error(err)
	}
	if _, err := net.Dial("tcp", inner.Addr().String()); !socket.IsRefused(err) {
		t.Errorf("after Close a dial ends with %v", err)
	}
}
