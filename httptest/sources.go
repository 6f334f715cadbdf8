package fakeopenai

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/fixtures"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

// source adds scenarios to a library. Sources run in NewServer, not in their
// option, because only there is a test to fail.
type source func(*library) error

// YAML plays the scenarios of a YAML text, usually a raw string in the test. It
// may be indented with tabs as the code around it is; the names in messages
// about it are "YAML", "YAML 2" and so on.
func YAML(src string) Option {
	return fromSource(func(lib *library) error {
		lib.yamls++
		name := "YAML"
		if lib.yamls > 1 {
			name = fmt.Sprintf("YAML %d", lib.yamls)
		}
		before := len(lib.list)
		lib.parse(name, []byte(untab(src)))
		lib.own = append(lib.own, lib.list[before:]...)
		return nil
	})
}

// File plays the scenarios of YAML files. Paths are relative to the test's
// directory, as with os.ReadFile.
func File(paths ...string) Option {
	return fromSource(func(lib *library) error {
		for _, path := range paths {
			// To open a FIFO waits for somebody who writes to it.
			if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
				return fmt.Errorf("%s is no file: %s", path, info.Mode())
			}
			src, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			lib.parse(filepath.ToSlash(path), src)
		}
		return nil
	})
}

// FS plays the scenarios of the files in fsys that the patterns name: files,
// directories (all .yaml and .yml files in them and below), or globs as in
// [path.Match]. No pattern is all of fsys. A pattern that names no file fails the
// test.
func FS(fsys fs.FS, patterns ...string) Option {
	return fromSource(func(lib *library) error { return lib.addFS(fsys, patterns...) })
}

// Fixture plays bundled scenarios, by name. The command "fakeopenai list" prints
// the names.
func Fixture(names ...string) Option {
	return fromSource(func(lib *library) error {
		for _, name := range names {
			if err := lib.addFixture(name); err != nil {
				return err
			}
		}
		return nil
	})
}

// Scenario plays scenarios made in Go: full control of conditions, replies and
// times. A scenario with a mistake fails the test, as it would in a file.
func Scenario(list ...scenarios.Scenario) Option {
	return fromSource(func(lib *library) error {
		for i := range list {
			lib.checkMade(fmt.Sprintf("scenario %q", list[i].Name), &list[i])
			lib.list, lib.own = append(lib.list, &list[i]), append(lib.own, &list[i])
		}
		return nil
	})
}

func fromSource(src source) Option {
	return func(o *settings) { o.sources = append(o.sources, src) }
}

// untab makes YAML of a raw string that is indented with tabs like the Go code
// around it. Of the white space that all lines begin with, each tab becomes one
// space, so that columns in messages stay true. Tabs elsewhere are left for the
// parser to refuse.
func untab(src string) string {
	lines := strings.Split(src, "\n")
	common := commonIndent(lines)
	if !strings.Contains(common, "\t") {
		return src
	}
	for i, line := range lines {
		if strings.HasPrefix(line, common) {
			lines[i] = strings.Repeat(" ", len(common)) + line[len(common):]
		} else {
			lines[i] = "" // it is blank, or it would have shortened the common part
		}
	}
	return strings.Join(lines, "\n")
}

// commonIndent is the white space that all lines but blank ones begin with.
func commonIndent(lines []string) string {
	common, found := "", false
	for _, line := range lines {
		text := strings.TrimLeft(line, " \t")
		if strings.TrimSpace(text) == "" {
			continue
		}
		indent := line[:len(line)-len(text)]
		if !found {
			common, found = indent, true
		}
		for !strings.HasPrefix(indent, common) {
			common = common[:len(common)-1]
		}
	}
	return common
}

// addFS parses the files that the patterns name.
func (lib *library) addFS(fsys fs.FS, patterns ...string) error {
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	sources, err := yamlfile.ReadSources(fsys, patterns...)
	lib.addFiles(sources)
	return err
}

func (lib *library) addFiles(files []yamlfile.Source) {
	for _, src := range files {
		lib.parse(src.Name, src.Data)
	}
}

// addFixture parses the bundled file of that name. What its scenarios extend is
// parsed too, but asked last.
func (lib *library) addFixture(name string) error {
	src, err := fs.ReadFile(fixtures.FS, name+".yaml")
	if err != nil {
		if hint := diag.DidYouMean(name, fixtures.Names()); hint != "" {
			return fmt.Errorf("there is no fixture %q; %s", name, hint)
		}
		return fmt.Errorf("there is no fixture %q; there are: %s", name, strings.Join(fixtures.Names(), ", "))
	}
	first := len(lib.list)
	lib.parse("fixtures/"+name+".yaml", src)
	for _, s := range slices.Clone(lib.list[first:]) {
		if s.Extends != "" && !hasName(lib.all(), s.Extends) {
			if err := lib.addBase(s.Extends); err != nil {
				return err
			}
		}
	}
	return nil
}

// addBase parses a bundled file for what other fixtures take over from it.
func (lib *library) addBase(name string) error {
	rest := lib.list
	lib.list = nil
	err := lib.addFixture(name)
	lib.baseScenarios = append(lib.baseScenarios, lib.list...)
	lib.list = rest
	return err
}
