package fakeopenai

import (
	"errors"
	"slices"

	"github.com/fakeopenai/fakeopenai/fixtures"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// library collects the scenarios of a server from its sources.
type library struct {
	// list are the scenarios that were asked for, in the order of the options.
	list []*scenarios.Scenario
	// baseScenarios are there only because others extend them.
	baseScenarios []*scenarios.Scenario
	own           []*scenarios.Scenario // own are those of the list that are written in the test.
	bundled       *scenarios.Set        // bundled is every fixture, because nothing was asked for; nil otherwise.

	yamls  int               // yamls counts the YAML options so far.
	files  map[string][]byte // files are the sources by file name, for excerpts.
	order  []string          // order is the names of the files as they were read.
	parsed int               // parsed counts the scenarios that were read of files.
	broken diag.List
}

// load makes a set of all that the options name. Its error is ready to print:
// all problems, with excerpts.
func (o *settings) load() (*library, *scenarios.Set, error) {
	if err := errors.Join(o.problems...); err != nil {
		return nil, nil, err
	}
	lib := &library{files: map[string][]byte{}}
	if err := lib.collect(o); err != nil {
		return nil, nil, err
	}
	set, err := lib.build(o.scripts)
	if err == nil && o.adjust != nil {
		set = o.adjust(set)
	}
	return lib, set, err
}

// build makes a set of what was collected and of scripts.
func (lib *library) build(scripts []script) (*scenarios.Set, error) {
	if lib.bundled != nil {
		return lib.bundled, nil
	}
	lib.addScripts(scripts)
	if len(lib.broken) > 0 {
		return nil, lib.explain(lib.allProblems())
	}
	all := lib.all()
	set, problems := reuse.set(all, lib.parsed == len(all), func() (*scenarios.Set, diag.List) {
		set, problems := scenarios.Build(all...)
		problems = append(problems, server.Check(set)...)
		problems.Sort()
		return set, problems.Unique()
	})
	if err := problems.Err(); err != nil {
		return nil, lib.explain(err)
	}
	return set, nil
}

// all is every scenario once: those that were asked for, then what they extend.
func (lib *library) all() []*scenarios.Scenario {
	all := slices.Clone(lib.list)
	for _, base := range lib.baseScenarios {
		if !hasName(all, base.Name) {
			all = append(all, base)
		}
	}
	return all
}

// duties is [library.dutyOf], or nil if the test has to play nothing.
func (lib *library) duties(allowUnused bool) func(scenario string) duty {
	if allowUnused || lib.bundled != nil {
		return nil
	}
	return lib.dutyOf
}

// dutyOf is what of a scenario the test has to play. Those in files may be there
// for other tests, too; those that this package added need not be played.
func (lib *library) dutyOf(scenario string) duty {
	switch {
	case !hasName(lib.list, scenario):
		return nothing
	case hasName(lib.own, scenario):
		return allThatIsOwn
	}
	return allTimes
}

func (lib *library) collect(o *settings) error {
	for _, src := range o.sources {
		if err := src(lib); err != nil {
			return err
		}
	}
	if len(o.sources) > 0 || len(o.scripts) > 0 {
		return nil
	}
	o.config.Default = fixtures.Default
	var err error
	lib.bundled, err = bundled()
	return err
}

// parse adds the scenarios of one file, or what is wrong with it.
func (lib *library) parse(file string, src []byte) {
	read := reuse.parse(file, src)
	if _, known := lib.files[file]; !known {
		lib.order = append(lib.order, file)
	}
	lib.files[file] = src
	lib.parsed += len(read.list)
	lib.list = append(lib.list, read.list...)
	lib.broken = append(lib.broken, read.problems...)
}

// checkMade finds what the reader of files refuses in a scenario made in Go, such as a
// modifier on a step that it does not fit: it prints the scenario and reads the text. A
// scenario that no file can hold, such as one with broken JSON, is not checked here.
func (lib *library) checkMade(name string, s *scenarios.Scenario) {
	if text, err := yamlfile.Format(s); err == nil {
		name += ", as YAML"
		lib.files[name] = text
		lib.broken = append(lib.broken, reuse.parse(name, text).problems...)
	}
}

// allProblems is what is wrong with files of which some could not be read: with what
// was read of them, too. Files may extend scenarios that are made in Go, so that
// beside those it is only what was found while reading.
func (lib *library) allProblems() diag.List {
	if lib.parsed != len(lib.list)+len(lib.baseScenarios) {
		return lib.broken
	}
	sources := make([]yamlfile.Source, len(lib.order))
	for i, file := range lib.order {
		sources[i] = yamlfile.Source{Name: file, Data: lib.files[file]}
	}
	_, problems := server.CheckFiles(sources...)
	return problems
}

// hasName reports whether a scenario in list has that name.
func hasName(list []*scenarios.Scenario, name string) bool {
	return slices.ContainsFunc(list, func(s *scenarios.Scenario) bool { return s.Name == name })
}

// explain shows diagnostics with the lines that they are about.
func (lib *library) explain(err error) error {
	diags, ok := errors.AsType[diag.List](err)
	if !ok {
		return err
	}
	return errors.New("the scenarios cannot be played\n" + diags.Render(func(file string) []byte { return lib.files[file] }))
}
