package cli

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"

	"github.com/fakeopenai/fakeopenai/server/tools/recording"
)

// writtenFile identifies a file that this process wrote.
type writtenFile struct {
	name string
	info fs.FileInfo // info identifies the file, in case another one takes its name.
	data []byte
}

// writeAtomically writes a file by [recording.WriteFile]. Flag is the name of the flag that
// named the file, for the error.
func writeAtomically(flag, name string, data []byte) (*writtenFile, error) {
	info, err := recording.WriteFile(name, data)
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", flag, err)
	}
	return &writtenFile{name, info, data}, nil
}

// Remove removes the file if it still is the one that was written, with the same
// content. On nil it does nothing.
func (w *writtenFile) Remove() {
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
