package files

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// watched returns the directories to watch: those of the files, and those that hold the
// symbolic links on their paths. All paths are absolute and without links.
func (s Sources) watched() []string {
	var all []string
	for _, dir := range s.dirs() {
		all = append(all, linkDirs(dir)...)
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			all = append(all, absolute(real))
		}
	}
	names, _ := s.names() // the next load reports the error
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

// maxLinks is the largest number of symbolic links on one path, as in the system.
const maxLinks = 40

// linkDirs returns the directories that hold the symbolic links on a path.
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

// firstLink returns the directory that holds the first symbolic link on an absolute
// path, and the path with that link resolved; both are "" if there is no link.
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
