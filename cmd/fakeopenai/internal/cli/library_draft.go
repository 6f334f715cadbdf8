package cli

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

// LoadDraft is [library.Load] for unfinished scenarios. Scenarios that only break rules
// of the protocol are in the set, and the findings say which rules; nil is none. If
// there is one path, a scenario can also extend one in another file of its folder.
func (l *library) LoadDraft() (*scenarios.Set, *findings, error) {
	read, err := l.sources.Read()
	if err != nil {
		return nil, nil, err
	}
	if len(l.sources.paths) == 1 && !l.sources.isStdin(l.sources.paths[0]) {
		read = withBases(read)
	}
	set, err := checked(read)
	if broken, ok := errors.AsType[*findings](err); ok && !slices.ContainsFunc(broken.Problems, isNoRule) {
		if draft, problems := yamlfile.Check(nil, read...); len(problems) == 0 {
			return draft.Over(nil), broken, nil // Over makes a set without checking it again
		}
	}
	return set, nil, err
}

func isNoRule(p diag.Problem) bool { return p.Rule == "" }

// withBases returns the files and, after them, the files of their folders that define
// the scenarios they extend.
func withBases(read []yamlfile.Source) []yamlfile.Source {
	var beside []yamlfile.Source
	for _, f := range read {
		beside = append(beside, neighbours(f.Name)...)
	}
	for {
		bases := basesIn(read...)
		isBase := func(f yamlfile.Source) bool {
			for name := range basesIn(f) {
				if _, known := bases[name]; !known && slices.Contains(slices.Collect(maps.Values(bases)), name) {
					return true
				}
			}
			return false
		}
		i := slices.IndexFunc(beside, isBase)
		if i < 0 {
			return read
		}
		read = append(read, beside[i])
	}
}

// basesIn returns the names of the scenarios in files, each with the name that it extends.
func basesIn(files ...yamlfile.Source) map[string]string {
	bases := map[string]string{}
	for _, f := range files {
		list, _ := yamlfile.Parse(f.Name, f.Data)
		for _, s := range list {
			bases[s.Name] = s.Extends
		}
	}
	return bases
}

// neighbours reads the other scenario files in the folder of a file, except those that
// cannot be read.
func neighbours(name string) []yamlfile.Source {
	dir := filepath.Dir(name)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var list []yamlfile.Source
	for _, e := range entries {
		other := filepath.Join(dir, e.Name())
		if e.IsDir() || !isScenarioFile(other) || filepath.Clean(name) == other {
			continue
		}
		if f, err := (sources{}).readFile(other); err == nil {
			list = append(list, f)
		}
	}
	return list
}
