//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
)

// serve goes on when nobody reads what it prints.
func TestServeOutlivesTheReadersOfWhatItPrints(t *testing.T) {
	t.Parallel()
	for _, closed := range []string{"stdout", "stderr"} {
		t.Run(closed, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "url.txt")
			s := &process{t: t, cmd: exec.CommandContext(t.Context(), "fakeopenai", "serve", "--addr", "127.0.0.1:0", "--url-file", file)}
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			r.Close()
			if s.cmd.Stdout = w; closed == "stderr" {
				s.cmd.Stdout, s.cmd.Stderr = nil, w
			}
			if err := s.cmd.Start(); err != nil {
				t.Fatal(err)
			}
			w.Close()
			for end := time.Now().Add(patience); s.url == ""; time.Sleep(5 * time.Millisecond) {
				text, _ := os.ReadFile(file)
				if s.url = strings.TrimSpace(string(text)); time.Now().After(end) {
					t.Fatalf("there is no URL after %v", patience)
				}
			}
			for range 3 { // each writes a line of the log
				if err := testflag.Receive(t, s.ask("hi")); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if err := s.cmd.Wait(); err != nil {
				t.Errorf("serve ends with %v, want exit code 0", err)
			}
		})
	}
}
