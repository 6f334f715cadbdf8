package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/fakeopenai/fakeopenai/fixtures/testflag" // knows -update
)

func TestWriteAtomicallyReplacesRegularFilesOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target := filepath.Join(dir, "target")
	if err := os.WriteFile(target, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := writeAtomically("--url-file", dir, []byte("new"))
	if w != nil || err == nil || !strings.Contains(err.Error(), "a directory") || !strings.HasPrefix(err.Error(), "write --url-file: ") {
		t.Errorf("got %v, want an error that says what %s is", err, dir)
	}
	w, err = writeAtomically("--url-file", target, []byte("new"))
	if err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(target); err != nil || string(data) != "new" {
		t.Errorf("the file holds %q, %v", data, err)
	}
	w.Remove()
	if _, err := os.Lstat(target); !os.IsNotExist(err) {
		t.Errorf("the file is still there: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".fakeopenai-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestRemoveLeavesWhatOthersWrote(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(path string) error{
		"replaced": func(path string) error {
			other := path + ".other"
			if err := os.WriteFile(other, []byte("ours"), 0o600); err != nil {
				return err
			}
			return os.Rename(other, path)
		},
		"rewritten": func(path string) error { return os.WriteFile(path, []byte("theirs"), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "url")
			w, err := writeAtomically("--url-file", path, []byte("ours"))
			if err != nil {
				t.Fatal(err)
			}
			if err := change(path); err != nil {
				t.Fatal(err)
			}
			w.Remove()
			if _, err := os.Lstat(path); err != nil {
				t.Error("the file of another process was removed:", err)
			}
		})
	}
	(*writtenFile)(nil).Remove()
}

func TestWhatCannotBeWrittenIsNamedAsItWasAskedFor(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "none", "url.txt")
	if _, err := writeAtomically("--url-file", name, []byte("http://x")); err == nil || !strings.Contains(err.Error(), name+":") {
		t.Errorf("got %v, want it to name %s", err, name)
	}
}
