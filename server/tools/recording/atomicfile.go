package recording

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile writes a file that appears complete or not at all, so that another process can
// wait for it. An existing regular file is replaced and keeps its permissions; for anything
// else of this name the error is that of [CheckReplaceable]. With [os.SameFile] and the
// returned info a caller can later tell whether the file was replaced.
func WriteFile(name string, data []byte) (fs.FileInfo, error) {
	info, err := replace(name, data)
	if broken, ok := errors.AsType[*fs.PathError](err); ok {
		broken.Path = name // The name of the temporary file would puzzle users.
	}
	return info, err
}

func replace(name string, data []byte) (fs.FileInfo, error) {
	if err := CheckReplaceable(name); err != nil {
		return nil, err
	}
	mode := fs.FileMode(0o644)
	if info, err := os.Lstat(name); err == nil {
		mode = info.Mode().Perm()
	}
	temp, err := os.CreateTemp(filepath.Dir(name), ".fakeopenai-*")
	if err != nil {
		return nil, err
	}
	defer os.Remove(temp.Name()) // It fails, without harm, after the rename.
	_, err = temp.Write(data)
	if closeErr := temp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Chmod(temp.Name(), mode)
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

// CheckReplaceable returns an error if name exists and is not a regular file but, for
// example, a directory, a symbolic link, a named pipe or a device.
func CheckReplaceable(name string) error {
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil || info.Mode().IsRegular():
		return err
	}
	kinds := map[fs.FileMode]string{fs.ModeDir: "a directory", fs.ModeSymlink: "a symbolic link", fs.ModeNamedPipe: "a named pipe", fs.ModeSocket: "a socket"}
	return fmt.Errorf("%s is %s, which is not replaced; give the path of a regular file, or of none", name, cmp.Or(kinds[info.Mode().Type()], "a device"))
}
