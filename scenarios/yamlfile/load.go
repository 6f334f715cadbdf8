package yamlfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// Source is a scenario file: its name, as it stands in messages, and its text.
type Source struct {
	Name string
	Data []byte
}

// Load reads and checks the scenarios in the files that the patterns name: files,
// directories (all .yaml and .yml files in them and below), or globs as in
// [path.Match]. The error is [Diagnostics] when it is about what is written in
// the files, and names the file or pattern when it could not be read.
func Load(fsys fs.FS, patterns ...string) (*scenarios.Set, error) {
	sources, err := ReadSources(fsys, patterns...)
	if err != nil {
		return nil, err
	}
	set, diags := Check(nil, sources...)
	if err := diags.Err(); err != nil {
		return nil, err
	}
	return set, nil
}

// ReadSources reads the files that the patterns name, each once, in the order of
// the patterns and by name within a pattern. A pattern that names no file is an
// error.
func ReadSources(fsys fs.FS, patterns ...string) ([]Source, error) {
	var sources []Source
	seen := map[string]bool{}
	for _, pattern := range patterns {
		names, err := sourceNames(fsys, pattern)
		if err != nil {
			return nil, fmt.Errorf("load scenarios from %s: %w", pattern, err)
		}
		for _, name := range names {
			if seen[name] {
				continue
			}
			seen[name] = true
			data, err := readSource(fsys, name)
			if err != nil {
				return nil, fmt.Errorf("load scenarios: %w", err)
			}
			sources = append(sources, Source{Name: name, Data: data})
		}
	}
	return sources, nil
}

var errNoFile = errors.New("no .yaml or .yml file there")

// sourceNames are the files that a pattern names.
func sourceNames(fsys fs.FS, pattern string) ([]string, error) {
	info, err := fs.Stat(fsys, pattern)
	if err == nil && !info.IsDir() {
		return []string{pattern}, nil
	}
	var names []string
	if err == nil {
		names, err = filesBelow(fsys, pattern)
	} else if hasMeta(pattern) {
		names, err = fs.Glob(fsys, pattern)
	}
	if err == nil && len(names) == 0 {
		err = errNoFile
	}
	return names, err
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

// readSource reads a file, but not more of it than makes [Parse] refuse it.
func readSource(fsys fs.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxFileBytes+1))
}
