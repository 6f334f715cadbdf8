package cli

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
func perform(t *testing.T, yaml string, out io.Writer) error {
	t.Helper()
	set, problems := server.CheckFiles(yamlfile.Source{Name: "x.yaml", Data: []byte("name: x\n" + yaml)})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	request := playRequest{Path: "/v1/chat/completions", Scenario: "x", Body: []byte(`{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"Hi"}]}`)}
	_, err := playRequested(t.Context(), server.Config{Scenarios: set, Speed: server.Instant}, request, showing{Out: out})
	return err
}

func TestPerformTellsWhyNothingAnswers(t *testing.T) {
	t.Parallel()
	err := perform(t, "replies: [{ when: { turn: 2 }, message: Hi }]\n", io.Discard)
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
	if err := perform(t, "message: Hi\n", full{}); !errors.Is(err, errFull) {
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
	request := playRequest{Path: "/v1/chat/completions", Scenario: "x", Body: []byte(`{"model":"gpt-4o","messages":[]}`)}
	if _, err := playRequested(t.Context(), server.Config{Scenarios: set}, request, showing{Out: &out, Timeline: true}); err != nil {
		t.Fatal(err)
	}
	const want = "   2.000s   +2.000s  completion \"Hi\"\n   2.000s            end\n"
	if !strings.HasSuffix(out.String(), want) {
		t.Errorf("the timeline is\n%swant at its end\n%s", &out, want)
	}
}
