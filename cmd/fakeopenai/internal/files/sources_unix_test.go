//go:build unix

package files

import (
	"fmt"
	"os"
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
		_, err := Sources{Paths: []string{path}}.Read()
		if err == nil || !strings.Contains(err.Error(), path+" is no file and no directory") || !strings.Contains(err.Error(), "pipe it into fakeopenai and give -") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// A shell gives the output of a command as the path of a descriptor.
func TestSourcesAreReadFromAnInheritedPipe(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	path := fmt.Sprintf("/dev/fd/%d", r.Fd())
	if _, err := os.Stat(path); err != nil {
		t.Skip("no paths of descriptors here:", err)
	}
	if _, err := w.WriteString("name: x\n"); err != nil {
		t.Fatal(err)
	}
	w.Close()
	files, err := Sources{Paths: []string{path}}.Read()
	if err != nil || len(files) != 1 || string(files[0].Data) != "name: x\n" {
		t.Errorf("got %q, %v", files, err)
	}
}
