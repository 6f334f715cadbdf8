package node

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

var errNoFile = errors.New("no .yaml or .yml file there")

// FileNames returns the names of the files that a pattern names.
func FileNames(fsys fs.FS, pattern string) ([]string, error) {
	info, err := fs.Stat(fsys, pattern)
	if err == nil && !info.IsDir() {
		return []string{pattern}, nil
	}
	var names []string
	if err == nil {
		names, err = filesBelow(fsys, pattern)
	} else if dir, ok := aboveTwoStars(pattern); ok {
		err = fmt.Errorf("** stands for one folder only; name the directory %s, which is read with all that is below it", dir)
	} else if hasMeta(pattern) {
		names, err = fs.Glob(fsys, pattern)
	}
	if err == nil && len(names) == 0 {
		err = errNoFile
	}
	return names, err
}

// aboveTwoStars returns the directory before a ** in a pattern. [fs.Glob] reads ** as *,
// so that it would leave out files that the author means.
func aboveTwoStars(pattern string) (dir string, ok bool) {
	parts := strings.Split(pattern, "/")
	i := slices.Index(parts, "**")
	return path.Join(".", path.Join(parts[:max(i, 0)]...)), i >= 0
}

func hasMeta(pattern string) bool {
	return slices.ContainsFunc([]rune(pattern), func(r rune) bool { return r == '*' || r == '?' || r == '[' || r == '\\' })
}

func filesBelow(fsys fs.FS, dir string) ([]string, error) {
	var names []string
	err := fs.WalkDir(fsys, dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if ext := path.Ext(name); ext == ".yaml" || ext == ".yml" {
			names = append(names, name)
		}
		return nil
	})
	return names, err
}

// ReadFile reads a file. Of a file that is larger than limit it reads one byte more, so that the caller can
// refuse it for its size.
func ReadFile(fsys fs.FS, name string, limit int64) ([]byte, error) {
	// Opening a FIFO would block until somebody writes to it.
	if info, err := fs.Stat(fsys, name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file: %s", name, info.Mode())
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit+1))
}
