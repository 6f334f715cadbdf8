package files

import (
	"fmt"
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
