//go:build unix

package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
)

// computing is a scenario whose condition takes minutes for a request with a text of
// computingText letters: at each letter the pattern has a thousand ways to go on.
const (
	computing     = "name: computing\nwhen: { user: { matches: '(?:a?b?){500}[0-9]' } }\nmessage: Hello.\n"
	computingText = 8 << 20
)

// serve ends within --drain-timeout, and at once on a second signal, although a handler
// computes on for minutes, whatever its contexts say. How long exactly it waits is tested beside
// package serving, in a bubble: here a slow machine would make it longer.
func TestServeEndsWhateverAHandlerComputes(t *testing.T) {
	t.Parallel()
	testflag.Heavy(t)
	for _, tt := range []struct {
		name    string
		drain   time.Duration
		signals int
		least   time.Duration // least is how long it waits after the last signal at least.
	}{
		{"one signal", 300 * time.Millisecond, 1, 300 * time.Millisecond},
		{"a second signal", time.Hour, 2, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := startServe(t, computing, "--drain-timeout", tt.drain.String())
			answered := s.ask(strings.Repeat("a", computingText))
			s.awaitMetric("fakeopenai_journal_entries 1") // the request is read
			s.awaitMetric("fakeopenai_open_requests 1")
			var last time.Time
			for n := range tt.signals {
				if n > 0 {
					s.awaitLog("shutting down")
				}
				last = time.Now()
				if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
					t.Fatal(err)
				}
			}
			s.awaitLog("streams were still open")
			if err := s.cmd.Wait(); err != nil {
				t.Errorf("serve ends with %v, want exit code 0", err)
			}
			if took := time.Since(last); took < tt.least {
				t.Errorf("it ends after %v, want %v at least", took, tt.least)
			}
			if err := testflag.Receive(t, answered); err == nil {
				t.Error("the request is answered, so that no handler was busy")
			}
		})
	}
}

// process is a running serve command.
type process struct {
	t   *testing.T
	cmd *exec.Cmd
	url string
	log *bufio.Scanner // log has the lines of stderr.
}

// startServe starts serve with a scenario.
func startServe(t *testing.T, scenario string, flags ...string) *process {
	t.Helper()
	file := filepath.Join(t.TempDir(), "scenario.yaml")
	if err := os.WriteFile(file, []byte(scenario), 0o600); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"serve", "--addr", "127.0.0.1:0", "--no-watch"}, flags...)
	ctx, cancel := context.WithTimeout(t.Context(), patience) // kills a server that does not end
	t.Cleanup(cancel)
	s := &process{t: t, cmd: exec.CommandContext(ctx, "fakeopenai", append(args, file)...)}
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.log = bufio.NewScanner(stderr)
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	if !lines.Scan() {
		t.Fatalf("serve printed nothing: %v", s.cmd.Wait())
	}
	s.url = strings.TrimPrefix(lines.Text(), "listening on ")
	return s
}

// ask makes a request in a goroutine. The channel receives nil if it is answered.
func (s *process) ask(text string) <-chan error {
	answered := make(chan error, 1)
	body := fmt.Sprintf(`{"model":"gpt-4o","messages":[{"role":"user","content":%q}]}`, text)
	go func() {
		response, err := http.Post(s.url+"/v1/chat/completions", "application/json", strings.NewReader(body))
		if err == nil {
			response.Body.Close()
		}
		answered <- err
	}()
	return answered
}

// awaitMetric waits until the metrics have this line.
func (s *process) awaitMetric(line string) {
	s.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		response, err := http.Get(s.url + "/_fake/metrics")
		if err != nil {
			s.t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err == nil && strings.Contains(string(text), "\n"+line+"\n") {
			return
		}
	}
	s.t.Fatalf("%s: not in %v", line, patience)
}

// awaitLog reads the log up to a line with this text.
func (s *process) awaitLog(text string) {
	s.t.Helper()
	for s.log.Scan() {
		if strings.Contains(s.log.Text(), text) {
			return
		}
	}
	s.t.Fatalf("the log has no line with %q: %v", text, s.log.Err())
}
