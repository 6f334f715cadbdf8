package cli

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/tools/recording"
)

// A line about a request has no secrets and nothing that a terminal would obey.
func TestLinesHaveNoSecretsAndNoControlCharacters(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	session := &recording.Session{Mode: recording.ModeRecord, Redactor: new(recording.Redactor), List: new(recording.Collection)}
	c := startCapture(session, "", &out)
	session.Failed(httptest.NewRequest("GET", "/v1/%1b%5b2J%07%0aforged/sk-abcdefghijklmnop1234", nil), errors.New("no host\x9b for joe@example.org"))
	if _, err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	const want = "fakeopenai: GET /v1/ [2J  forged/redacted-key-6c2b82: no answer: no host� for redacted-email-0eafd5\n" +
		"fakeopenai: recorded in : requests 0, bytes 0, files 0, not recorded 0\n"
	if got := out.String(); got != want {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
	if list := session.Redactor.Summary(); len(list) > 0 {
		t.Errorf("the summary counts what was printed: %v", list)
	}
}

// A recording that cannot be read is named, and the other files answer. A file that somebody wrote, and no other
// file, are errors.
func TestARecordingThatCannotBeReadIsLeftOut(t *testing.T) {
	t.Parallel()
	recorded, err := recording.Format(&scenarios.Scenario{Name: "old", Replies: []scenarios.Reply{{Message: new(scenarios.Message)}}})
	if err != nil {
		t.Fatal(err)
	}
	const good = "name: good\nmessage: Hello\n"
	for name, tt := range map[string]struct {
		files   map[string]string
		leftOut string
		fails   bool
	}{
		"changed":   {map[string]string{"good.yaml": good, "old.yaml": string(recorded) + "mesage: Hi\n"}, "old.yaml", false},
		"too large": {map[string]string{"good.yaml": good, "old.yaml": string(recorded) + strings.Repeat("# 4 MiB\n", 600_000)}, "old.yaml", false},
		"written":   {map[string]string{"good.yaml": good, "mine.yaml": "name: mine\nmesage: Hi\n"}, "", true},
		"both":      {map[string]string{"mine.yaml": "name: mine\nmesage: Hi\n", "old.yaml": string(recorded) + "a: b\n"}, "old.yaml", true},
	} {
		dir := t.TempDir()
		for name, text := range tt.files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var log, messages bytes.Buffer
		_, err := (&library{sources: sources{paths: []string{dir}}}).NewServer(server.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		o := recordOptions{out: dir, mode: string(recording.ModeMissing)}
		_, _, recordErr := o.session(&messages)
		for what, got := range map[string]error{log.String(): err, messages.String(): recordErr} {
			if (got != nil) != tt.fails || !strings.Contains(what, tt.leftOut) {
				t.Errorf("%s: %v, and %s", name, got, what)
			}
		}
		if code := Main(t.Context(), []string{"check", dir}, nil, strings.NewReader(""), &log, &log); code != console.ExitProblems {
			t.Errorf("%s: check ends with %d: %s", name, code, log.String())
		}
	}
}
