//go:build unix

package files

import (
	"os"
	"path/filepath"
	"testing"
)

// relink replaces a symbolic link atomically, as deployments do.
func relink(t *testing.T, target, link string) {
	t.Helper()
	next := link + ".next"
	if err := os.Symlink(target, next); err != nil {
		t.Fatal(err)
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
	write(t, filepath.Join(dir, "v1", "a.yaml"), "edited")
	await("edited") // it is watched before the swap
	relink(t, "v2", link)
	await("two")
	write(t, filepath.Join(dir, "v2", "a.yaml"), "three") // what the link names now is followed, too
	await("three")
}

// The files of a mounted ConfigMap are links that lead through another link, ..data,
// which is replaced.
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
	write(t, filepath.Join(dir, "data1", "a.yaml"), "edited")
	await("edited")
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
	write(t, target, "six") // of the same size
	await("six")
}
