package files

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// watching follows the path until the test ends. The function waits until the
// scenarios are those of the given names.
func watching(t *testing.T, path string) (lib *Library, await func(names ...string)) {
	t.Helper()
	logger := slog.New(slog.NewTextHandler(io.Discard, nil))
	lib = &Library{Sources: Sources{Paths: []string{path}}, logger: logger}
	if _, _, err := lib.Load(); err != nil {
		t.Fatal(err)
	}
	loaded := make(chan []string, 100)
	stop := Watch(lib, func() {
		set, _, err := lib.Load()
		if err != nil {
			return
		}
		var names []string
		for _, s := range set.Scenarios() {
			names = append(names, s.Name)
		}
		loaded <- names
	}, logger)
	t.Cleanup(stop)
	return lib, func(names ...string) {
		t.Helper()
		timeout := time.After(30 * time.Second)
		for {
			select {
			case got := <-loaded:
				if slices.Equal(got, names) {
					return
				}
			case <-timeout:
				t.Fatalf("the scenarios %q were never loaded", names)
			}
		}
	}
}

func write(t *testing.T, path, name string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("name: "+name+"\nmessage: Hello\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Unreadable files are read again without an event: there is none when a process has
// file descriptors again, for example. Here the directory of the file is created again
// inside one that is not watched.
func TestWatchReadsAgainWhatCouldNotBeRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "deep", "deeper", "a.yaml")
	write(t, path, "one")
	lib, await := watching(t, path)
	if err := os.RemoveAll(filepath.Join(dir, "deep")); err != nil {
		t.Fatal(err)
	}
	for !lib.unread() {
		time.Sleep(time.Millisecond)
	}
	write(t, path, "two")
	await("two")
}
