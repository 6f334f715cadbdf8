package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/importing"
	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/tools/recording"
)

// held are content codings whose decoders wait for a value from their channels, which holds up the
// recording of an answer.
var held = map[string]chan struct{}{"held-until-the-end": make(chan struct{}), "held-until-a-signal": make(chan struct{})}

func init() {
	for name, release := range held {
		importing.Codings[name] = func(r io.Reader) (io.Reader, error) { <-release; return r, nil }
	}
}

// patience is the longest wait of a test for what must come.
const patience = 30 * time.Second

// recordRun is a run of the command record, without a command of its own.
type recordRun struct {
	out  string // out is the directory of its files.
	url  string
	end  func()   // end tells record to end.
	code chan int // code gets the exit code.

	mu     sync.Mutex
	stderr strings.Builder
	said   chan struct{} // said gets a value after each write to stderr.
}

// Write receives stderr.
func (r *recordRun) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case r.said <- struct{}{}:
	default:
	}
	return r.stderr.Write(p)
}

func (r *recordRun) messages() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stderr.String()
}

func startRecord(t *testing.T, answer http.HandlerFunc) *recordRun {
	t.Helper()
	upstream := httptest.NewServer(answer)
	t.Cleanup(upstream.Close)
	return startRecordOf(t, upstream.URL)
}

// startRecordOf records what an upstream answers.
func startRecordOf(t *testing.T, upstream string) *recordRun {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r := &recordRun{out: t.TempDir(), end: cancel, code: make(chan int, 1), said: make(chan struct{}, 1)}
	stdout, to := io.Pipe()
	go func() {
		r.code <- Main(ctx, []string{"record", "--upstream", upstream, "--out", r.out}, nil, strings.NewReader(""), to, r)
		to.Close()
	}()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("%v: %s", err, r.messages())
	}
	r.url = strings.TrimSpace(strings.TrimPrefix(line, "listening on "))
	return r
}

// ask returns the whole answer to a question. Only a failing test waits as long as the timeout.
func (r *recordRun) ask(t *testing.T, question string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url+"/v1/chat/completions", strings.NewReader(`{"model":"gpt-4o","messages":[{"role":"user","content":"`+question+`"}]}`))
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
		t.Fatalf("the answer to %q has no end: %v", question, err)
	}
	return string(got)
}

// awaitMessage waits for a text on stderr.
func (r *recordRun) awaitMessage(t *testing.T, text string) {
	t.Helper()
	for !strings.Contains(r.messages(), text) {
		select {
		case <-r.said:
		case code := <-r.code:
			t.Fatalf("record ends with %d before it says %q: %s", code, text, r.messages())
		case <-time.After(patience):
			t.Fatalf("record does not say %q: %s", text, r.messages())
		}
	}
}

// ends checks the exit code, the end of stderr, and the files.
func (r *recordRun) ends(t *testing.T, code int, last string, files ...string) {
	t.Helper()
	select {
	case got := <-r.code:
		if got != code || !strings.HasSuffix(r.messages(), last) {
			t.Errorf("exit code %d, want %d, and at the end %q of: %s", got, code, last, r.messages())
		}
	case <-time.After(patience):
		t.Fatalf("record does not end: %s", r.messages())
	}
	got, err := filepath.Glob(filepath.Join(r.out, "*"))
	if err != nil || len(got) != len(files) {
		t.Errorf("the files are %q, %v, want %q", got, err, files)
	}
	for _, name := range files {
		if _, err := os.Stat(filepath.Join(r.out, name)); err != nil {
			t.Error(err)
		}
	}
}

const recordedAnswer = `{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"gpt-4o","choices":[{"index":0,"message":{"role":"assistant","content":"Yes."},"finish_reason":"stop"}]}`

// answerHeld answers with a coding, so that the recording of the answer is held up.
func answerHeld(coding string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if body, _ := io.ReadAll(r.Body); !strings.Contains(string(body), "Quick") {
			w.Header().Set("Content-Encoding", coding)
		}
		_, _ = io.WriteString(w, recordedAnswer)
	}
}

// release lets what is held by a coding go on, until the test ends.
func release(t *testing.T, coding string) {
	var sending sync.WaitGroup
	t.Cleanup(sending.Wait)
	sending.Go(func() {
		for {
			select {
			case held[coding] <- struct{}{}:
			case <-t.Context().Done():
				return
			}
		}
	})
}

// While record makes scenarios of answers, the clients have these answers. At its end it waits until
// all scenarios are written.
func TestRecordFinishesAfterItsClients(t *testing.T) {
	t.Parallel()
	testflag.Heavy(t)
	const coding = "held-until-the-end"
	r := startRecord(t, answerHeld(coding))
	for _, question := range []string{"Slow", "Quick"} {
		if got := r.ask(t, question); got != recordedAnswer {
			t.Errorf("%s: the answer is %q", question, got)
		}
	}
	r.end()
	r.awaitMessage(t, "recording 2 more answers; a signal ends this\n")
	release(t, coding)
	r.ends(t, console.ExitOK, ", files 2, not recorded 0\n", "slow.yaml", "quick.yaml")
}

// A signal ends the wait. What is recorded is written, and the rest is counted.
func TestASignalEndsRecord(t *testing.T) { // not parallel: every command in this process gets the signal
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot send itself a signal")
	}
	r := startRecord(t, answerHeld("held-until-a-signal"))
	for _, question := range []string{"Quick", "Slow", "Slower"} {
		r.ask(t, question)
	}
	r.awaitMessage(t, "POST /v1/chat/completions: 200, ")
	r.end()
	r.awaitMessage(t, "recording 2 more answers")
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if err := self.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	r.ends(t, console.ExitProblems, ", files 1, not recorded 2\n", "quick.yaml")
	if want := "interrupt signal received: 2 answers not recorded\n"; !strings.Contains(r.messages(), want) {
		t.Errorf("want %q in: %s", want, r.messages())
	}
}

// An answer whose file cannot be written is counted as not recorded, and does not keep others from being written.
func TestAnAnswerThatCannotBeWrittenIsCounted(t *testing.T) {
	t.Parallel()
	r := startRecord(t, func(w http.ResponseWriter, r *http.Request) {
		if body, _ := io.ReadAll(r.Body); strings.Contains(string(body), "Second") {
			w.Header().Set("Content-Type", "audio/mpeg")
			_, _ = w.Write(make([]byte, 600<<10))
			return
		}
		_, _ = io.WriteString(w, recordedAnswer)
	})
	for _, name := range []string{"first.yaml", "second.1.bin"} { // A directory is not replaced.
		if err := os.Mkdir(filepath.Join(r.out, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, question := range []string{"First", "First", "Second", "Third"} {
		r.ask(t, question)
	}
	r.end()
	r.ends(t, console.ExitFailed, "give the path of a regular file, or of none\n", "first.yaml", "second.1.bin", "third.yaml")
	if want := ": requests 4, bytes 614910, files 1, not recorded 3\n"; !strings.Contains(r.messages(), want) {
		t.Errorf("want %q in: %s", want, r.messages())
	}
}

// A WebSocket connection is passed through. Record says that it is not recorded, and does not wait for it.
func TestRecordPassesAWebSocketThrough(t *testing.T) {
	t.Parallel()
	r := startRecord(t, func(w http.ResponseWriter, _ *http.Request) {
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
	conn, err := dialer.DialContext(t.Context(), "tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, "GET /v1/responses HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
	got := bufio.NewReader(conn)
	for line := ""; line != "\r\n"; {
		if line, err = got.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	_, _ = io.WriteString(conn, "ping")
	echo := make([]byte, 4)
	if _, err := io.ReadFull(got, echo); err != nil || string(echo) != "ping" {
		t.Errorf("the client has %q, %v", echo, err)
	}
	r.awaitMessage(t, "GET /v1/responses: 101\nfakeopenai:   not recorded: the connection changed to another protocol")
	r.end()
	r.ends(t, console.ExitProblems, ": requests 1, bytes 0, files 0, not recorded 1\n")
	if _, err := io.Copy(io.Discard, got); err != nil && !strings.Contains(err.Error(), "reset") {
		t.Errorf("the connection is open after the end: %v", err)
	}
}

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
