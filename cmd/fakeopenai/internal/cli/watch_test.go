package cli

import (
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// watching follows the path until the test ends. The function waits until the
// scenarios are those of the given names.
func watching(t *testing.T, path string) (lib *library, await func(names ...string)) {
	t.Helper()
	logger := slog.New(slog.NewTextHandler(io.Discard, nil))
	lib = &library{sources: sources{paths: []string{path}}, logger: logger}
	if _, _, err := lib.Load(); err != nil {
		t.Fatal(err)
	}
	loaded := make(chan []string, 100)
	stop := watch(lib, func() {
		set, _, err := lib.Load()
		if err != nil {
			return
		}
		var names []string
		for _, s := range set.Scenarios() {
			names = append(names, s.Name)
		}
		loaded <- names
	})
	t.Cleanup(stop)
	return lib, func(names ...string) {
		t.Helper()
		timeout := time.After(patience)
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

// Files that could not be read are loaded when they can be.
func TestWatchReadsAgainWhatCouldNotBeRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "deep", "deeper", "a.yaml")
	write(t, path, "one")
	lib, await := watching(t, path)
	if err := os.RemoveAll(filepath.Join(dir, "deep")); err != nil {
		t.Fatal(err)
	}
	gone, end := digest(lib.sources.Read()), time.Now().Add(patience)
	for !lib.isLoaded(gone) {
		if time.Sleep(time.Millisecond); time.Now().After(end) {
			t.Fatal("that there is no file was never seen")
		}
	}
	write(t, path, "two")
	await("two")
}

// A link that leads elsewhere is followed, as where Kubernetes mounts files.
func TestWatchFollowsALinkThatLeadsElsewhere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "one", "a.yaml"), "one")
	write(t, filepath.Join(dir, "two", "a.yaml"), "two")
	link, next := filepath.Join(dir, "now"), filepath.Join(dir, "next")
	if err := os.Symlink("one", link); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	_, await := watching(t, link)
	if err := errors.Join(os.Symlink("two", next), os.Rename(next, link)); err != nil {
		t.Fatal(err)
	}
	await("two")
}

// Editors write in several steps, of which the first leave a file that cannot be played.
func TestWatchWaitsUntilFilesStayTheSame(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.yaml")
	synctest.Test(t, func(t *testing.T) {
		text := "name: one\nmessage: Hello\n"
		edit := func() {
			text += "#"
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		edit()
		lib := &library{sources: sources{paths: []string{path}}}
		if _, _, err := lib.Load(); err != nil {
			t.Fatal(err)
		}
		var changes atomic.Int64
		stop := watch(lib, func() {
			changes.Add(1)
			if _, _, err := lib.Load(); err != nil {
				t.Error(err)
			}
		})
		defer stop()
		after := func(d time.Duration, want int64) {
			t.Helper()
			time.Sleep(d)
			synctest.Wait()
			if got := changes.Load(); got != want {
				t.Fatalf("read %d times, want %d", got, want)
			}
		}
		after(time.Minute, 0)
		edit()
		after(lookEvery, 0)
		after(lookEvery, 1)
		after(time.Minute, 1)
		for range maxDelay / lookEvery {
			edit()
			after(lookEvery, 1)
		}
		edit()
		after(lookEvery, 2) // changes that do not end are read now and then
	})
}
