//go:build unix

package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// serve goes on when nobody reads what it prints.
func TestServeOutlivesTheReadersOfWhatItPrints(t *testing.T) {
	t.Parallel()
	for _, closed := range []string{"stdout", "stderr"} {
		t.Run(closed, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "url.txt")
			cmd, url := exec.CommandContext(t.Context(), "fakeopenai", "serve", "--addr", "127.0.0.1:0", "--url-file", file), ""
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			r.Close()
			if cmd.Stdout = w; closed == "stderr" {
				cmd.Stdout, cmd.Stderr = nil, w
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			w.Close()
			for end := time.Now().Add(patience); url == ""; time.Sleep(5 * time.Millisecond) {
				text, _ := os.ReadFile(file)
				if url = strings.TrimSpace(string(text)); time.Now().After(end) {
					t.Fatalf("there is no URL after %v", patience)
				}
			}
			for range 3 { // each writes a line of the log
				response, err := http.Get(url + "/v1/models/none")
				if err != nil {
					t.Fatal(err)
				}
				response.Body.Close()
			}
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("serve ends with %v, want exit code 0", err)
			}
		})
	}
}
