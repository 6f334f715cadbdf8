package files

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// watched are the directories whose entries say what the sources hold: those of
// the files, and those of every symbolic link on the way to them. None is named by
// way of a link.
func (s Sources) watched() []string {
	var all []string
	for _, dir := range s.dirs() {
		all = append(all, linkDirs(dir)...)
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			all = append(all, absolute(real))
		}
	}
	names, _ := s.names() // what is wrong is reported by the next load
	for _, name := range names {
		if info, err := os.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			all = append(all, linkDirs(name)...)
			if real, err := filepath.EvalSymlinks(name); err == nil {
				all = append(all, filepath.Dir(absolute(real)))
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// maxLinks bounds the symbolic links on one way, as systems do.
const maxLinks = 40

// linkDirs are the directories in which the symbolic links on the way to a path
// stand.
func linkDirs(path string) []string {
	var dirs []string
	path = absolute(path)
	for range maxLinks {
		dir, target := firstLink(path)
		if target == "" {
			break
		}
		dirs = append(dirs, dir)
		path = target
	}
	return dirs
}

// firstLink is the directory of the first symbolic link on the way to an absolute
// path, and the path without that link; both are "" where there is none.
func firstLink(path string) (dir, without string) {
	volume := filepath.VolumeName(path)
	separator := string(filepath.Separator)
	dir = volume + separator
	parts := strings.Split(strings.TrimPrefix(path[len(volume):], separator), separator)
	for i, part := range parts {
		here := filepath.Join(dir, part)
		target, err := os.Readlink(here)
		if err != nil {
			dir = here
			continue
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(dir, target)
		}
		return dir, filepath.Join(append([]string{target}, parts[i+1:]...)...)
	}
	return "", ""
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
