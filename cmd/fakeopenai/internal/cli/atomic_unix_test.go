//go:build unix

package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestWriteAtomicallyLeavesPipes(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := writeAtomically("--url-file", pipe, []byte("new")); err == nil || !strings.Contains(err.Error(), "a named pipe") {
		t.Errorf("got %v", err)
	}
	if info, err := os.Lstat(pipe); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		t.Errorf("the pipe has become %v, %v", info, err)
	}
}

func TestWriteAtomicallyLeavesLinksAndTheirTargets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	if _, err := writeAtomically("--url-file", link, []byte("new")); err == nil || !strings.Contains(err.Error(), "a symbolic link") {
		t.Errorf("got %v", err)
	}
	if got, err := os.Readlink(link); err != nil || got != target {
		t.Errorf("the link leads to %q, %v", got, err)
	}
	if data, err := os.ReadFile(target); err != nil || string(data) != "precious" {
		t.Errorf("the target of the link holds %q, %v", data, err)
	}
}

func TestWriteAtomicallyKeepsThePermissionsOfAFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"private": 0o600, "shared": 0o664} {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte("old"), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(name, mode); err != nil { // WriteFile heeds the umask
			t.Fatal(err)
		}
		if _, err := writeAtomically("--flag", name, []byte("new")); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s has %v after it was replaced, %v", name, info.Mode(), err)
		}
	}
}
