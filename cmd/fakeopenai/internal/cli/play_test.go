package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// timedWriter notes when each write comes.
type timedWriter struct {
	begun time.Time
	at    []time.Duration
}

func (w *timedWriter) Write(p []byte) (int, error) {
	w.at = append(w.at, time.Since(w.begun))
	return len(p), nil
}

const pacedScenario = `
name: paced
stream:
  - role: assistant
  - content: a
  - wait: 1s
  - content: b
  - wait: 1h
  - finish: stop
`

func TestPlayKeepsTheRhythm(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		args []string
		want []time.Duration
	}{
		{"as written", nil, []time.Duration{0, time.Second, time.Hour + time.Second}},
		{"ten times as fast", []string{"--speed", "10"}, []time.Duration{0, 100 * time.Millisecond, 6*time.Minute + 100*time.Millisecond}},
		{"without pauses", []string{"--speed", "instant"}, []time.Duration{0}},
		{"without pauses, in short", []string{"--fast"}, []time.Duration{0}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var stderr strings.Builder
				w := &timedWriter{begun: time.Now()}
				args := append([]string{"play", "-"}, c.args...)
				if code := Main(context.Background(), args, nil, strings.NewReader(pacedScenario), w, &stderr); code != console.ExitOK {
					t.Fatalf("exit code %d: %s", code, stderr.String())
				}
				if !slices.Equal(w.at, c.want) {
					t.Errorf("writes at %v, want %v", w.at, c.want)
				}
			})
		})
	}
}

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

// The timeline shows calls of every kind, and texts of every API, as the API itself reads
// them, even if the chunk does not name its object.
func TestEventsAreDescribed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kind, data, want string }{
		{"role", `{"choices":[{"delta":{"role":"assistant","content":""}}]}`, "role assistant"},
		{"tool", `{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"c","type":"custom","custom":{"name":"run","input":"ls"}}]}}]}`, `tool 1 run "ls"`},
		{"tool", `{"choices":[{"delta":{"function_call":{"name":"f","arguments":"{"}}}]}`, `tool f "{"`},
		{"content", `{"object":"other","choices":[{"index":1,"text":"Hi"}]}`, `content[1] "Hi"`},
		{"usage", `{"choices":[],"usage":{"prompt_tokens":8,"completion_tokens":2}}`, "usage 8 + 2 tokens"},
		{"completion", `{"object":"chat.completion","choices":[{"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}]}`, `completion "Hi"`},
		{"chunk", `{"choices":[{"delta":{}}]}`, "chunk"},
		{"chunk", `{"id":"x"}`, `chunk "{\"id\":\"x\"}"`},
		{"created", `{"type":"response.created","response":{"status":"in_progress","usage":null}}`, "created"},
		{"content", `{"type":"response.output_text.delta","delta":"Hi"}`, `content "Hi"`},
		{"output_item.added", `{"type":"response.output_item.added","item":{"type":"function_call","name":"get_weather","arguments":""}}`, "output_item.added function_call get_weather"},
		{"content_part.added", `{"type":"response.content_part.added","part":{"type":"refusal"}}`, "content_part.added refusal"},
		{"finish", `{"type":"response.completed","response":{"status":"completed","error":null,"usage":{"input_tokens":8,"output_tokens":2}}}`, "finish completed 8 + 2 tokens"},
		{"finish", `{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}}`, "finish incomplete max_output_tokens"},
		{"finish", `{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"Sorry"}}}`, `finish failed server_error "Sorry"`},
		{"error", `{"type":"error","code":"rate_limit_exceeded","message":"Slow down"}`, `error rate_limit_exceeded "Slow down"`},
		{"completion", `{"object":"response","output":[{"type":"message","content":[{"text":"Hi"}]},{"type":"function_call","name":"f","arguments":"{}"}],"text":{"format":{}}}`, `completion "Hi" function_call f "{}"`},
		{"content", `{"object":"chat.completion.chunk","choices":[{"delta":{"content":"Hi"}}]}`, `content "Hi"`},
	} {
		if got := describe(c.kind, []byte("data: "+c.data+"\n\n")); got != c.want {
			t.Errorf("%s is described as %s, want %s", c.data, got, c.want)
		}
	}
}

// What is no JSON is shown as it is sent, with what it is.
func TestWhatIsNoJSONIsDescribed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kind, bytes, want string }{
		{"content", "event: response.output_text.delta\nda", `content torn "event: response.output_text.delta\nda"`},
		{"content", "data: {\"id\":\"c", `content torn "data: {\"id\":\"c"`},
		{"content", "data: {\"id\":\xff}\n\n", `content no JSON "{\"id\":\xff}"`},
		{"completion", "<html>\n\n<p>data: x</p>\n", `body "<html>\n\n<p>data: x</p>"`},
		{"completion", "", `body ""`},
		{"content", "\ufeffdata: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\r\r", `content "Hi"`},
	} {
		if got := describe(c.kind, []byte(c.bytes)); got != c.want {
			t.Errorf("%q is described as %s, want %s", c.bytes, got, c.want)
		}
	}
}
