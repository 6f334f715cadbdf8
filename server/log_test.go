package server_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/fakeopenai/fakeopenai/server"
)

// logged is a log that the test can read while the server writes to it.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer // text is guarded by mu.
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *logged) lines() []string { return strings.Split(strings.TrimSuffix(l.String(), "\n"), "\n") }

func TestEachRequestIsOneLineInTheLog(t *testing.T) {
	t.Parallel()
	var out logged
	r := start(t, "name: hello\nwhen: { model: gpt-4o }\nmessage: { content: Hello. }\n", server.Config{Logger: slog.New(slog.NewTextHandler(&out, nil))})
	for _, body := range []string{ask, `{"model":"o3"}`} {
		io.Copy(io.Discard, r.chat(body).Body)
		r.ended()
	}
	r.do(http.MethodGet, "/_fake/healthz", "")

	got := out.lines()
	if len(got) != 2 {
		t.Fatalf("%d lines: %q", len(got), got)
	}
	wantContains(t, got[0], "level=INFO", "request=1 ", "method=POST", "path=/v1/chat/completions", "status=200", "scenario=hello", "reply=0", "frames=", "bytes=", "ended=complete", "duration=")
	wantContains(t, got[1], "level=WARN", "request=2 ", "status=404", `problem="no scenario answers this request: the nearest is \"hello\"`)
}

// In JSON, slog would write a duration as a number without a unit.
func TestLinesOfTheLogHaveUnitsAndTheirSource(t *testing.T) {
	t.Parallel()
	var out logged
	r := start(t, hello, server.Config{Logger: slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{AddSource: true}))})
	text(t, r.chat(ask))
	r.ended()
	line := decode[struct {
		Duration string
		Source   slog.Source
	}](t, out.String())
	if !strings.HasSuffix(line.Duration, "s") || !strings.HasSuffix(line.Source.File, "exchange.go") {
		t.Errorf("the line is %+v", line)
	}
}
