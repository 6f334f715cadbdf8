package cli

import (
	"fmt"
	"os"
	"path/filepath"
)

// writeURLFile writes the server's URL to a file that appears complete or not
// at all, so that a reader may wait for it.
func writeURLFile(name, url string) error {
	temp, err := os.CreateTemp(filepath.Dir(name), ".fakeopenai-url-*")
	if err != nil {
		return fmt.Errorf("write --url-file: %w", err)
	}
	defer os.Remove(temp.Name()) // fails once it is renamed
	_, err = fmt.Fprintln(temp, url)
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
		return fmt.Errorf("write --url-file: %w", err)
	}
	return nil
}
