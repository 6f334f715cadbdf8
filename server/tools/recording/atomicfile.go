package recording

import (
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
	case err != nil:
		return err
	case info.Mode().IsRegular():
		return nil
	}
	return fmt.Errorf("%s is %s, which is not replaced; give the path of a regular file, or of none", name, kindOf(info.Mode()))
}

// kindOf names the kind of a file that is not regular.
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
