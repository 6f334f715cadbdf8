package server_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/server"
)

// Counters of one API key too many are dropped. The key then gets a reply again that it
// had used up, and both the endpoint and the log say why.
func TestDroppedCountersOfAKeyAreReported(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s, err := server.New(server.Config{
		Scenarios: parse(t, "name: x\nreplies:\n  - { times: 1, message: Once. }\n  - message: Again.\n"), JournalSize: -1,
		Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	send := func(method, path, key string) string {
		req := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(`{"model":"gpt-4o","messages":[]}`))
		req.Host = "127.0.0.1"
		req.Header.Set("Authorization", "Bearer "+key)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, req)
		return w.Body.String()
	}
	chat := func(key string) string { return send(http.MethodPost, "/v1/chat/completions", key) }
	const shown = "/_fake/scenarios?api_key=first"
	wantContains(t, chat("first"), "Once.")
	wantContains(t, chat("first"), "Again.")
	for i := range 9_999 {
		chat(fmt.Sprint("key ", i))
	}
	if got := send(http.MethodGet, shown, ""); strings.Contains(got, "forgotten") || log.Len() > 0 {
		t.Errorf("something is forgotten already: %s%s", got, &log)
	}
	chat("one too many")
	chat("two too many")
	wantContains(t, send(http.MethodGet, shown, ""), `"keys": 2`)
	wantContains(t, chat("first"), "Once.")
	if n := strings.Count(log.String(), "too many API keys have taken replies with times"); n != 1 {
		t.Errorf("the log says %d times that keys are forgotten: %s", n, &log)
	}
}
