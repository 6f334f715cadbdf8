//go:build unix

package cli

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// To open a FIFO that nobody writes to waits for ever.
func TestSourcesAreNotReadFromAFIFO(t *testing.T) {
	t.Parallel()
	fifo := filepath.Join(t.TempDir(), "fifo.yaml")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{fifo, "/dev/null"} {
		_, err := sources{paths: []string{path}}.Read()
		if err == nil || !strings.Contains(err.Error(), path+" is no file and no directory") || !strings.Contains(err.Error(), "pipe it into fakeopenai and give -") {
			t.Errorf("%s: %v", path, err)
		}
	}
}
