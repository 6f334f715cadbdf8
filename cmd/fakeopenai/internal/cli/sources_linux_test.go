package cli

import (
	"fmt"
	"os"
	"testing"
)

// A shell gives the output of a command as the path of a descriptor.
func TestSourcesAreReadFromAnInheritedPipe(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	path := fmt.Sprintf("/dev/fd/%d", r.Fd())
	if _, err := w.WriteString("name: x\n"); err != nil {
		t.Fatal(err)
	}
	w.Close()
	files, err := sources{paths: []string{path}}.Read()
	if err != nil || len(files) != 1 || string(files[0].Data) != "name: x\n" {
		t.Errorf("got %q, %v", files, err)
	}
}
