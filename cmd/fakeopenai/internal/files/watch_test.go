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

// relink sets a symbolic link anew in one step, as deployments do.
func relink(t *testing.T, target, link string) {
	t.Helper()
	next := link + ".next"
	if err := os.Symlink(target, next); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if err := os.Rename(next, link); err != nil {
		t.Fatal(err)
	}
}

func TestWatchSeesASwappedDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "v1", "a.yaml"), "one")
	write(t, filepath.Join(dir, "v2", "a.yaml"), "two")
	link := filepath.Join(dir, "current")
	relink(t, "v1", link)
	_, await := watching(t, link)
	relink(t, "v2", link)
	await("two")
	write(t, filepath.Join(dir, "v2", "a.yaml"), "three") // what the link names now is followed, too
	await("three")
}

// A mounted ConfigMap is a directory of links through a link that is swapped.
func TestWatchSeesASwappedLinkOnTheWay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "data1", "a.yaml"), "one")
	write(t, filepath.Join(dir, "data2", "a.yaml"), "two")
	relink(t, "data1", filepath.Join(dir, "data"))
	mounted := filepath.Join(dir, "mounted")
	if err := os.Mkdir(mounted, 0o755); err != nil {
		t.Fatal(err)
	}
	relink(t, "../data/a.yaml", filepath.Join(mounted, "a.yaml"))
	_, await := watching(t, mounted)
	relink(t, "data2", filepath.Join(dir, "data"))
	await("two")
}

func TestWatchSeesEditsOfALinksTarget(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target := filepath.Join(dir, "elsewhere", "a.yaml")
	write(t, target, "one")
	here := filepath.Join(dir, "here")
	if err := os.Mkdir(here, 0o755); err != nil {
		t.Fatal(err)
	}
	relink(t, target, filepath.Join(here, "link.yaml"))
	_, await := watching(t, here)
	write(t, target, "two")
	await("two")
}

// Files that could not be read are read again, though no event says that they can
// be: nothing announces that a process has descriptors again. Here the directory
// of the file comes back in one that nobody follows.
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
