package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteURLFile writes the server's URL to a file, for programs that wait for it.
func WriteURLFile(name, url string) error {
	return WriteAtomically("--url-file", name, []byte(url+"\n"))
}

// WriteAtomically writes a file that appears complete or not at all, so that a
// reader may wait for it. Flag is the flag that asked for the file.
func WriteAtomically(flag, name string, data []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(name), ".fakeopenai-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", flag, err)
	}
	defer os.Remove(temp.Name()) // fails once it is renamed
	_, err = temp.Write(data)
	if closeErr := temp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Chmod(temp.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(temp.Name(), name)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", flag, err)
	}
	return nil
}

// WriteDir writes a folder with some files, which appears complete or not at all.
// The error is [fs.ErrExist] if there is one that is not empty, or something else
// of that name.
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
	defer os.RemoveAll(temp) // does nothing once it is renamed
	for name, data := range contents {
		if err := os.WriteFile(filepath.Join(temp, name), data, 0o644); err != nil {
			return err
		}
	}
	if err := os.Chmod(temp, 0o755); err != nil {
		return err
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("write %s: %w", dir, fs.ErrExist) // Remove takes an empty folder alone
	}
	return os.Rename(temp, dir)
}
