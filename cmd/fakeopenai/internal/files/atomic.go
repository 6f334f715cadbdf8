package files

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"

	"github.com/fakeopenai/fakeopenai/server/recording"
)

// Written identifies a file that this process wrote.
type Written struct {
	name string
	info fs.FileInfo // info identifies the file, in case another one takes its name.
	data []byte
}

// WriteAtomically writes a file by [recording.WriteFile]. Flag is the name of the flag that
// named the file, for the error.
func WriteAtomically(flag, name string, data []byte) (*Written, error) {
	info, err := recording.WriteFile(name, data)
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
