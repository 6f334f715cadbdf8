package answers

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// perform plays a scenario called x.
func perform(t *testing.T, yaml string, out, head io.Writer) (bool, error) {
	t.Helper()
	set, problems := server.CheckFiles(yamlfile.Source{Name: "x.yaml", Data: []byte("name: x\n" + yaml)})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	request := Request{Path: "/v1/chat/completions", Scenario: "x", Body: []byte(`{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"Hi"}]}`)}
	outcome, err := Play(t.Context(), server.Config{Scenarios: set, Speed: server.Instant}, request, Show{Out: out, Head: head})
	return outcome.Aborted, err
}

func TestPerform(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, yaml string
		ends       string // the end of the body
		aborted    bool
	}{
		{"a whole answer", "message: Hi\n", "data: [DONE]\n\n", false},
		{"an answer that holds", "stream: [{ role: assistant }, { hold: here }, { finish: stop }]\n", "data: [DONE]\n\n", false},
		{"an answer that breaks off", "message: Hi\nend: { reset: { after: 1 } }\n", "\n\n", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var out, head bytes.Buffer
			aborted, err := perform(t, tt.yaml, &out, &head)
			if err != nil || aborted != tt.aborted || !strings.HasSuffix(out.String(), tt.ends) {
				t.Errorf("aborted %t, %v; want %t; the body is\n%s", aborted, err, tt.aborted, out.String())
			}
			if !strings.HasPrefix(head.String(), "HTTP/1.1 200 OK\r\n") || !strings.HasSuffix(head.String(), "\r\n\r\n") {
				t.Errorf("the head is %q", head.String())
			}
		})
	}
}

func TestPerformTellsWhyNothingAnswers(t *testing.T) {
	t.Parallel()
	_, err := perform(t, "replies: [{ when: { turn: 2 }, message: Hi }]\n", io.Discard, nil)
	if console.ExitCode(err) != console.ExitProblems || !strings.Contains(err.Error(), "turn") {
		t.Errorf("the error is %v, want a problem that names the condition", err)
	}
}

// full is a writer that takes nothing.
type full struct{}

var errFull = errors.New("full")

// Write implements [io.Writer].
func (full) Write([]byte) (int, error) { return 0, errFull }

func TestPerformReportsWhatCannotBeWritten(t *testing.T) {
	t.Parallel()
	if _, err := perform(t, "message: Hi\n", full{}, nil); !errors.Is(err, errFull) {
		t.Errorf("the error is %v, want that of the writer", err)
	}
}

func TestAnAnswerInOnePieceEndsWhenItWasSent(t *testing.T) {
	t.Parallel()
	set, problems := server.CheckFiles(yamlfile.Source{Name: "x.yaml", Data: []byte("name: x\nmessage: Hi\npace: { first: 2s }\n")})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var out bytes.Buffer
	request := Request{Path: "/v1/chat/completions", Scenario: "x", Body: []byte(`{"model":"gpt-4o","messages":[]}`)}
	if _, err := Play(t.Context(), server.Config{Scenarios: set}, request, Show{Out: &out, Timeline: true}); err != nil {
		t.Fatal(err)
	}
	const want = "   2.000s   +2.000s  completion \"Hi\"\n   2.000s            end\n"
	if !strings.HasSuffix(out.String(), want) {
		t.Errorf("the timeline is\n%swant at its end\n%s", &out, want)
	}
}
