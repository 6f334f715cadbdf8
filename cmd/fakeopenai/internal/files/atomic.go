package files

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fakeopenai/fakeopenai/server/recording/atomicfile"
)

// Written identifies a file that this process wrote.
type Written struct {
	name string
	info fs.FileInfo // info identifies the file, in case another one takes its name.
	data []byte
}

// WriteURLFile writes the file of --url-file, for which other programs wait.
func WriteURLFile(name, url string) (*Written, error) {
	return WriteAtomically("--url-file", name, []byte(url+"\n"))
}

// WriteAtomically writes a file by [atomicfile.Write]. Flag is the name of the flag that
// named the file, for the error.
func WriteAtomically(flag, name string, data []byte) (*Written, error) {
	info, err := atomicfile.Write(name, data)
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", flag, err)
	}
	return &Written{name, info, data}, nil
}

// Remove removes the file if it still is the one that was written, with the same
// content. On nil it does nothing.
func (w *Written) Remove() {
	if w == nil {
		return
	}
	info, err := os.Lstat(w.name)
	if err != nil || !os.SameFile(info, w.info) {
		return
	}
	if data, err := os.ReadFile(w.name); err == nil && bytes.Equal(data, w.data) {
		os.Remove(w.name) // an error cannot be mended here: the file stays
	}
}

// WriteDir writes a folder with files; it appears complete or not at all. The error is
// [fs.ErrExist] if a folder of that name is not empty, or if the name is another file's.
func WriteDir(dir string, contents map[string][]byte) error {
	if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
		return fmt.Errorf("write %s: %w", dir, fs.ErrExist)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(filepath.Dir(dir), ".fakeopenai-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp) // does nothing after the rename
	for name, data := range contents {
		if err := os.WriteFile(filepath.Join(temp, name), data, 0o644); err != nil {
			return err
		}
	}
	if err := os.Chmod(temp, 0o755); err != nil {
		return err
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("write %s: %w", dir, fs.ErrExist) // Remove fails for a folder that is not empty
	}
	return os.Rename(temp, dir)
}
