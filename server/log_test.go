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

// lines collects the lines that a logger writes.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *lines) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Split(strings.TrimSuffix(l.buf.String(), "\n"), "\n")
}

func TestEachRequestIsOneLineInTheLog(t *testing.T) {
	t.Parallel()
	var out lines
	r := start(t, "name: hello\nwhen: { model: gpt-4o }\nmessage: { content: Hello. }\n", server.Config{Logger: slog.New(slog.NewTextHandler(&out, nil))})
	for _, body := range []string{ask, `{"model":"o3"}`} {
		io.Copy(io.Discard, r.chat(body).Body)
		r.ended()
	}
	r.do(http.MethodGet, "/_fake/healthz", "")

	got := out.all()
	if len(got) != 2 {
		t.Fatalf("%d lines: %q", len(got), got)
	}
	wantContains(t, got[0], "level=INFO", "request=1 ", "method=POST", "path=/v1/chat/completions", "status=200", "scenario=hello", "reply=0", "frames=", "bytes=", "ended=complete", "duration=")
	wantContains(t, got[1], "level=WARN", "request=2 ", "status=404", `problem="no scenario answers this request: the nearest is \"hello\"`)
}

// In JSON, slog would write a duration as a number without a unit.
func TestDurationsInTheLogHaveAUnit(t *testing.T) {
	t.Parallel()
	var out lines
	r := start(t, hello, server.Config{Logger: slog.New(slog.NewJSONHandler(&out, nil))})
	text(t, r.chat(ask))
	r.ended()
	if line := decode[struct{ Duration string }](t, out.all()[0]); !strings.HasSuffix(line.Duration, "s") {
		t.Errorf("the duration is %q: %s", line.Duration, out.all()[0])
	}
}

func TestTheLogTellsWhereItsLinesComeFrom(t *testing.T) {
	t.Parallel()
	var out lines
	r := start(t, hello, server.Config{Logger: slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{AddSource: true}))})
	text(t, r.chat(ask))
	r.ended()
	if line := decode[struct{ Source slog.Source }](t, out.all()[0]); !strings.HasSuffix(line.Source.File, "exchange.go") {
		t.Errorf("it comes from %+v", line.Source)
	}
}
