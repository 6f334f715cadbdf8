package yamlfile

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

// Source is a scenario file: its name, as it stands in messages, and its text.
type Source struct {
	Name string
	Data []byte
}

// Load reads and checks the scenarios in the files that the patterns name: files,
// directories (all .yaml and .yml files in them and below), or globs as in
// [path.Match]. The error is a [diag.List] when it is about what is written in
// the files, and names the file or pattern when it could not be read. Without
// patterns there is nothing to load, which is an error, too.
func Load(fsys fs.FS, patterns ...string) (*scenarios.Set, error) {
	if len(patterns) == 0 {
		return nil, errors.New("load scenarios: no files are named; a pattern is a file, a directory such as \".\", or a glob")
	}
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

// Deferred is a set of the files in a file system, each of which holds the scenario of
// its name and is read when that is first asked for. They must be known to be right and
// without conditions, as tests show of files that are embedded: they are not checked,
// and one that cannot be read panics.
func Deferred(fsys fs.FS) (*scenarios.Set, error) {
	files, err := node.FileNames(fsys, ".")
	if err != nil {
		return nil, fmt.Errorf("load scenarios: %w", err)
	}
	names := make([]string, len(files))
	for i, file := range files {
		names[i] = strings.TrimSuffix(file, path.Ext(file))
	}
	return scenarios.Deferred(names, func(name string) *scenarios.Scenario {
		file := files[slices.Index(names, name)]
		data, err := node.ReadFile(fsys, file)
		if err != nil {
			panic(fmt.Sprintf("load scenarios: %v", err))
		}
		list, problems := Parse(file, data)
		if len(problems) > 0 || len(list) != 1 || list[0].Name != name {
			panic(fmt.Sprintf("%s does not hold one scenario named %s: %v", file, name, problems))
		}
		return list[0]
	}), nil
}

// ReadSources reads the files that the patterns name, each once, in the order of
// the patterns and by name within a pattern. A pattern that names no file is an
// error.
func ReadSources(fsys fs.FS, patterns ...string) ([]Source, error) {
	var sources []Source
	seen := map[string]bool{}
	for _, pattern := range patterns {
		names, err := node.FileNames(fsys, pattern)
		if err != nil {
			return nil, fmt.Errorf("load scenarios from %s: %w", pattern, err)
		}
		for _, name := range names {
			if seen[name] {
				continue
			}
			seen[name] = true
			data, err := node.ReadFile(fsys, name)
			if err != nil {
				return nil, fmt.Errorf("load scenarios: %w", err)
			}
			sources = append(sources, Source{Name: name, Data: data})
		}
	}
	return sources, nil
}

// Check parses files and checks all their scenarios together: it returns what
// [Parse], [scenarios.NewSet] and further find, sorted, each problem once. With
// problems there is no set. Further looks at the set for problems of its own; it
// may be nil.
func Check(further func(*scenarios.Set) diag.List, sources ...Source) (*scenarios.Set, diag.List) {
	return CheckOverlay(nil, further, sources...)
}

// CheckOverlay is [Check] for scenarios that are to be laid over those of base,
// which they can extend.
func CheckOverlay(base *scenarios.Set, further func(*scenarios.Set) diag.List, sources ...Source) (*scenarios.Set, diag.List) {
	var c checker
	var list []*scenarios.Scenario
	for _, src := range sources {
		f := parseFile(src.Name, src.Data)
		c.lostDocument = c.lostDocument || f.lostDocument
		c.diags = append(c.diags, f.problems...)
		c.parsed = append(c.parsed, f.scenarios...)
	}
	for _, p := range c.parsed {
		list = append(list, p.Scenario)
	}
	set, problems := base.Adopt(list...)
	if further != nil {
		problems = append(problems, set.CheckOnce(further)...)
	}
	c.add(problems)
	c.diags.Sort()
	c.diags = c.diags.Unique()
	if len(c.diags) > 0 {
		return nil, c.diags
	}
	return set, nil
}

// checker brings together what is found while reading and after it. Of a
// scenario that could not be read in full, only those later findings count that
// the missing parts cannot have caused.
type checker struct {
	parsed       []parsedScenario
	lostDocument bool
	diags        diag.List
}

func (c *checker) add(found diag.List) {
	for _, d := range found {
		if !c.doubtful(d) {
			c.diags = append(c.diags, d)
		}
	}
}

// doubtful reports whether a finding may be there only because something else
// could not be read.
func (c *checker) doubtful(d diag.Problem) bool {
	s := c.scenarioAt(d.Pos)
	switch {
	case s == nil:
		return false
	case c.lostDocument && s.Extends != "" && d.Pos == s.Scenario.Pos:
		return true // it may extend what was lost
	case s.complete:
		return false
	case d.Rule != "":
		return slices.Contains(rulesOfAbsence, d.Rule)
	}
	isReply := func(r scenarios.Reply) bool { return r.Pos == d.Pos }
	isQuirk := func(q scenarios.Quirk) bool { return q.Pos == d.Pos }
	ofStep := func(st scenarios.Step) bool { return slices.ContainsFunc(st.Quirks, isQuirk) }
	inStream := func(r scenarios.Reply) bool { return r.Stream != nil && slices.ContainsFunc(*r.Stream, ofStep) }
	return slices.ContainsFunc(s.Replies, isReply) || slices.ContainsFunc(s.Quirks, isQuirk) || slices.ContainsFunc(s.Replies, inStream)
}

// scenarioAt is the scenario that a place is in, or nil.
func (c *checker) scenarioAt(p diag.Pos) *parsedScenario {
	for i := len(c.parsed) - 1; i >= 0; i-- {
		s := &c.parsed[i]
		if s.Scenario.Pos.File == p.File && s.Scenario.Pos.Line <= p.Line {
			return s
		}
	}
	return nil
}

// rulesOfAbsence are the lint rules that a stream breaks by what it lacks. It may
// seem to lack something only because a step could not be read.
var rulesOfAbsence = []string{
	"missing-role", "missing-finish", "finish-does-not-fit", "empty-stream",
	"tool-fragment-before-start", "tool-index-gap", "choice-index-gap",
	"arguments-not-json", "arguments-not-object", "logprobs-do-not-spell-content",
}
