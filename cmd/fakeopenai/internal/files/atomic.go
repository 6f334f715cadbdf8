package files

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Written is a file as this process wrote it.
type Written struct {
	name string
	info fs.FileInfo // info tells the file from another that took its name.
	data []byte
}

// WriteURLFile writes the server's URL to a file, for programs that wait for it.
func WriteURLFile(name, url string) (*Written, error) {
	return WriteAtomically("--url-file", name, []byte(url+"\n"))
}

// WriteAtomically writes a file that appears complete or not at all, so that a
// reader may wait for it. Flag is the flag that asked for the file. A file that was
// there is replaced; a directory, a symbolic link, a named pipe and a device are
// refused, for they are not this program's to replace.
func WriteAtomically(flag, name string, data []byte) (*Written, error) {
	info, err := replace(name, data)
	if broken, ok := errors.AsType[*fs.PathError](err); ok {
		broken.Path = name // of the other name nobody knows
	}
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", flag, err)
	}
	return &Written{name, info, data}, nil
}

func replace(name string, data []byte) (fs.FileInfo, error) {
	if err := CheckReplaceable(name); err != nil {
		return nil, err
	}
	temp, err := os.CreateTemp(filepath.Dir(name), ".fakeopenai-*")
	if err != nil {
		return nil, err
	}
	defer os.Remove(temp.Name()) // fails once it is renamed
	_, err = temp.Write(data)
	if closeErr := temp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Chmod(temp.Name(), 0o644)
	}
	if err != nil {
		return nil, err
	}
	info, err := os.Lstat(temp.Name())
	if err == nil {
		err = os.Rename(temp.Name(), name)
	}
	return info, err
}

// CheckReplaceable refuses the name of something that is no regular file.
func CheckReplaceable(name string) error {
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode().IsRegular():
		return nil
	}
	return fmt.Errorf("%s is %s, which is not replaced; give the path of a regular file, or of none", name, kindOf(info.Mode()))
}

// kindOf says what something is that is no regular file.
func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	}
	return "a device"
}

// Remove removes the file if it is still the one that was written: the same file
// with the same content. Nil is a file that was never written.
func (w *Written) Remove() {
	if w == nil {
		return
	}
	info, err := os.Lstat(w.name)
	if err != nil || !os.SameFile(info, w.info) {
		return
	}
	if data, err := os.ReadFile(w.name); err == nil && bytes.Equal(data, w.data) {
		os.Remove(w.name) // if it cannot be removed, it stays
	}
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
