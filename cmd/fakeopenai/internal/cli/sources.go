package cli

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/fixtures"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

// maxFileBytes is the limit of bytes read from a file or from standard input, which may
// be endless. The YAML reader refuses far smaller files.
const maxFileBytes = 64 << 20

const stdinName = "stdin"

// sources name the scenario files of a command: files, directories and globs. Without
// paths they are the bundled fixtures.
type sources struct {
	paths  []string
	origin string // origin is the variable that named the paths; "" for arguments.
	// allowEmpty accepts directories and globs without scenario files; files may be
	// added later.
	allowEmpty bool
	stdin      io.Reader // stdin is read for the path -; if it is nil, that path is refused.
}

// Bundled reports whether the sources are the bundled fixtures.
func (s sources) Bundled() bool { return len(s.paths) == 0 }

// areBundled reports whether all scenarios are bundled ones, in any folder. Their descriptions say enough, and their notes are for
// those who write them.
func (s sources) areBundled() bool {
	return !slices.ContainsFunc(s.paths, func(path string) bool {
		_, err := os.Stat(path)
		return err == nil || len(inBundledFolder(path)) == 0
	})
}

// Read reads all files, each of them once.
func (s sources) Read() ([]yamlfile.Source, error) {
	if s.Bundled() {
		return yamlfile.ReadSources(fixtures.FS, ".")
	}
	files, err := s.readPaths()
	if err != nil && s.origin != "" {
		return nil, fmt.Errorf("%s: %w", s.origin, err)
	}
	return files, err
}

func (s sources) readPaths() ([]yamlfile.Source, error) {
	names, err := s.names()
	if err != nil {
		return nil, err
	}
	files := make([]yamlfile.Source, len(names))
	for i, name := range names {
		if files[i], err = s.readFile(name); err != nil {
			return nil, fmt.Errorf("read scenarios: %w", err)
		}
	}
	return files, nil
}

// names expands the paths to names of files, each once.
func (s sources) names() ([]string, error) {
	var names []string
	seen := map[string]bool{}
	for _, path := range s.paths {
		found := []string{path}
		if !s.isStdin(path) {
			var err error
			if found, err = expand(path); err != nil {
				return nil, err
			}
		}
		switch {
		case len(found) > 0 || s.allowEmpty:
		case isGlob(path):
			return nil, fmt.Errorf("no file matches %q", path)
		default:
			return nil, fmt.Errorf("no scenario file in directory %s; their names end in .yaml or .yml", path)
		}
		for _, name := range found {
			if clean := filepath.Clean(name); !seen[clean] {
				seen[clean] = true
				names = append(names, name)
			}
		}
	}
	return names, nil
}

func (s sources) isStdin(path string) bool { return path == "-" && s.stdin != nil }

func (s sources) readFile(name string) (yamlfile.Source, error) {
	if s.isStdin(name) {
		src, err := io.ReadAll(io.LimitReader(s.stdin, maxFileBytes))
		return yamlfile.Source{Name: stdinName, Data: src, Beside: yamlfile.Folder(".")}, err
	}
	f, err := os.Open(name)
	if err != nil {
		folder, _, _ := strings.Cut(filepath.ToSlash(name), "/")
		if bundled, err := yamlfile.ReadSources(bundledFolders[folder], filepath.ToSlash(name)); err == nil {
			return bundled[0], nil
		}
		return yamlfile.Source{}, err
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, maxFileBytes))
	return yamlfile.Source{Name: name, Data: src, Beside: yamlfile.Folder(filepath.Dir(name))}, err
}

// expand returns the files of a path: the file itself, those of a directory, or those
// that match a glob.
func expand(path string) ([]string, error) {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return scenarioFiles(path)
	case err == nil && !info.Mode().IsRegular() && !isInherited(path):
		return nil, fmt.Errorf("%s is no file and no directory: %s; to read what a program writes, pipe it into fakeopenai and give -", path, info.Mode())
	case err == nil:
		return []string{path}, nil
	case len(inBundledFolder(path)) > 0:
		return inBundledFolder(path), nil
	case isGlob(path):
		return expandGlob(path)
	case path == "-":
		return nil, errors.New("read scenarios: - is standard input for check, fmt, list, play and show alone; give a file, a directory or a glob")
	case slices.Contains(fixtures.Names(), path):
		return nil, fmt.Errorf("there is no file %s; the bundled scenario of that name is there when no path is given", path)
	}
	return nil, fmt.Errorf("read scenarios: %w; give a file, a directory or a glob", err)
}

// bundledFolders are the folders of bundled scenarios that no server plays unless it is given a path in them.
var bundledFolders = map[string]embed.FS{
	"dialects": fixtures.Dialects, "endpoints": fixtures.Endpoints, "findings": fixtures.Findings, "zoo": fixtures.Zoo,
}

// inBundledFolder returns the bundled files that a path names: endpoints/files.yaml is one of them, and endpoints
// is all of its folder. Files of that name on the disk go before.
func inBundledFolder(path string) []string {
	path = filepath.ToSlash(path)
	folder, _, within := strings.Cut(path, "/")
	if !within {
		path += "/*.yaml"
	}
	names, _ := fs.Glob(bundledFolders[folder], path) // A bad pattern names none.
	return names
}

// isInherited reports whether a path is an inherited file descriptor, such as the pipe
// of <(command) in a shell. Opening any other FIFO blocks until a program writes to it,
// maybe for ever.
func isInherited(path string) bool {
	return path == "/dev/stdin" || strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/self/fd/")
}

// scenarioFiles returns the scenario files in a directory and below it, in alphabetical
// order. It skips names that start with a dot, and symbolic links to directories, so that it
// always ends.
func scenarioFiles(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read scenarios: %w", err)
	}
	for _, entry := range entries {
		name := filepath.Join(dir, entry.Name())
		switch {
		case strings.HasPrefix(entry.Name(), "."):
		case entry.IsDir():
			below, err := scenarioFiles(name)
			if err != nil {
				return nil, err
			}
			names = append(names, below...)
		case isScenarioFile(name):
			if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
				names = append(names, name)
			}
		}
	}
	return names, nil
}

// expandGlob returns the files that a pattern matches, and those in the directories that
// it matches.
func expandGlob(pattern string) ([]string, error) {
	if dir, ok := aboveTwoStars(pattern); ok {
		return nil, fmt.Errorf("read scenarios: %s: ** stands for one folder only; name the directory %s, which is read with all that is below it", pattern, dir)
	}
	matches, err := filepath.Glob(pattern)
	if err != nil {
		return nil, fmt.Errorf("glob %q: %w", pattern, err)
	}
	var names []string
	for _, match := range matches {
		more, err := expand(match)
		if err != nil {
			return nil, err
		}
		names = append(names, more...)
	}
	return names, nil
}

// aboveTwoStars returns the directory before the first ** in a pattern. [filepath.Glob]
// reads ** as *, so that it would leave out files that the user means.
func aboveTwoStars(pattern string) (dir string, ok bool) {
	for parent := filepath.Dir(pattern); parent != pattern; pattern, parent = parent, filepath.Dir(parent) {
		if filepath.Base(pattern) == "**" {
			dir, ok = parent, true
		}
	}
	return dir, ok
}

func isGlob(path string) bool { return strings.ContainsAny(path, "*?[") }

func isScenarioFile(name string) bool {
	extension := filepath.Ext(name)
	return extension == ".yaml" || extension == ".yml"
}

func looksLikePath(arg string) bool {
	if arg == "-" || isGlob(arg) || isScenarioFile(arg) || strings.ContainsAny(arg, `/\`) || len(inBundledFolder(arg)) > 0 {
		return true
	}
	_, err := os.Stat(arg)
	return err == nil
}
