package files

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

// LoadDraft is [Library.Load] for unfinished scenarios. Scenarios that only break rules
// of the protocol are in the set, and the findings say which rules; nil is none. If
// there is one path, a scenario can also extend one in another file of its folder.
func (l *Library) LoadDraft() (*scenarios.Set, *BrokenFiles, error) {
	read, err := l.Sources.Read()
	if err != nil {
		return nil, nil, err
	}
	if len(l.Sources.Paths) == 1 && !l.Sources.isStdin(l.Sources.Paths[0]) {
		read = withBases(read)
	}
	set, err := checked(read)
	if broken, ok := AsBrokenFiles(err); ok && !slices.ContainsFunc(broken.Problems, isNoRule) {
		if draft, problems := yamlfile.Check(nil, read...); len(problems) == 0 {
			return draft.Over(nil), broken, nil // Over makes a set without checking it again
		}
	}
	return set, nil, err
}

// isNoRule reports whether a problem is not about a rule of the protocol.
func isNoRule(p diag.Problem) bool { return p.Rule == "" }

// withBases returns the files and, after them, the files of their folders that define
// the scenarios they extend.
func withBases(read []yamlfile.Source) []yamlfile.Source {
	known, wanted := map[string]bool{}, []string{}
	take := func(f yamlfile.Source) {
		for name, base := range namesIn(f) {
			known[name] = true
			if base != "" {
				wanted = append(wanted, base)
			}
		}
	}
	var beside []yamlfile.Source
	for _, f := range read {
		take(f)
		beside = append(beside, neighbours(f.Name)...)
	}
	for len(wanted) > 0 {
		base := wanted[0]
		wanted = wanted[1:]
		has := func(f yamlfile.Source) bool { _, ok := namesIn(f)[base]; return ok }
		if i := slices.IndexFunc(beside, has); !known[base] && i >= 0 {
			read = append(read, beside[i])
			take(beside[i])
		}
		known[base] = true
	}
	return read
}

// namesIn returns the names of a file's scenarios, each with the name that it extends.
func namesIn(f yamlfile.Source) map[string]string {
	list, _ := yamlfile.Parse(f.Name, f.Data)
	names := map[string]string{}
	for _, s := range list {
		names[s.Name] = s.Extends
	}
	return names
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
		if f, err := (Sources{}).readFile(other); err == nil {
			list = append(list, f)
		}
	}
	return list
}
