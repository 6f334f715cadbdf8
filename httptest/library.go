package fakeopenai

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/fakeopenai/fakeopenai/fixtures"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// library collects the scenarios of a server from its sources.
type library struct {
	// list are the scenarios of the options, in order.
	list []*scenarios.Scenario
	// baseScenarios are bundled scenarios that no option names but that others extend.
	baseScenarios []*scenarios.Scenario
	own           []*scenarios.Scenario // own are the scenarios of the options YAML and Scenario.
	bundled       *scenarios.Set        // bundled is the set of all fixtures if no option names a scenario; else nil.

	yamls  int               // yamls counts the YAML options so far.
	files  []yamlfile.Source // files are the files that were read, in order.
	made   []yamlfile.Source // made are scenarios made in Go, as YAML, for excerpts in errors.
	parsed int               // parsed counts the scenarios that were read from files.
	broken diag.List
}

// load makes a set of the scenarios of all options. Its error lists all problems, with
// excerpts, ready to print.
func (o *settings) load() (*library, *scenarios.Set, error) {
	if err := errors.Join(o.problems...); err != nil {
		return nil, nil, err
	}
	lib := new(library)
	if err := lib.collect(o); err != nil {
		return nil, nil, err
	}
	set, err := lib.build(o.scripts)
	if err == nil && o.adjust != nil {
		set, err = o.adjust(set)
	}
	return lib, set, err
}

func (lib *library) build(scripts []script) (*scenarios.Set, error) {
	if lib.bundled != nil {
		return lib.bundled, nil
	}
	lib.addScripts(scripts)
	if len(lib.broken) > 0 {
		return nil, lib.explain(lib.allProblems())
	}
	all := lib.all()
	check := checked
	if lib.parsed == len(all) {
		check = checkedOnce
	}
	made := check(all)
	if err := made.problems.Err(); err != nil {
		return nil, lib.explain(err)
	}
	return made.set, nil
}

// all returns every scenario once: those of the options, then those that they extend.
func (lib *library) all() []*scenarios.Scenario {
	all := slices.Clone(lib.list)
	for _, base := range lib.baseScenarios {
		if !hasName(all, base.Name) {
			all = append(all, base)
		}
	}
	return all
}

// duties is [library.dutyOf], or nil if no scenario has to be played.
func (lib *library) duties(allowUnused bool) func(scenario string) duty {
	if allowUnused || lib.bundled != nil {
		return nil
	}
	return lib.dutyOf
}

// dutyOf says which replies of a scenario the test has to play. Scenarios in files may
// be there for other tests; those that are only extended need not be played.
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
	o.config.Fallback = fixtures.Default
	var err error
	lib.bundled, err = bundled()
	return err
}

func (lib *library) parse(src yamlfile.Source) {
	read := parse(src.Name, src.Data)
	if !slices.ContainsFunc(lib.files, func(f yamlfile.Source) bool { return f.Name == src.Name }) {
		lib.files = append(lib.files, src)
	}
	list, unread := yamlfile.ReadBodies(read.list, src.Beside)
	lib.parsed += len(list)
	lib.list = append(lib.list, list...)
	lib.broken = append(append(lib.broken, read.problems...), unread...)
}

// checkMade finds what the reader of files refuses in a scenario made in Go, such as a
// modifier on a step that it does not fit: it prints the scenario and reads the text. A
// scenario that no file can hold, such as one with broken JSON, is not checked here.
func (lib *library) checkMade(name string, s *scenarios.Scenario) {
	if text, err := yamlfile.Format(s); err == nil {
		name += ", as YAML"
		lib.made = append(lib.made, yamlfile.Source{Name: name, Data: text})
		lib.broken = append(lib.broken, parse(name, text).problems...)
	}
}

// allProblems are the problems of the files if some could not be parsed, with those
// that only a check of the whole set finds. If there are scenarios made in Go, which
// the files may extend, they are the problems of parsing alone.
func (lib *library) allProblems() diag.List {
	if lib.parsed != len(lib.list)+len(lib.baseScenarios) {
		return lib.broken
	}
	_, problems := server.CheckFiles(lib.files...)
	return problems
}

func hasName(list []*scenarios.Scenario, name string) bool {
	return slices.ContainsFunc(list, func(s *scenarios.Scenario) bool { return s.Name == name })
}

func (lib *library) explain(err error) error {
	diags, ok := errors.AsType[diag.List](err)
	if !ok {
		return err
	}
	return errors.New("the scenarios cannot be played\n" + diags.Render(func(file string) []byte {
		all := slices.Concat(lib.files, lib.made)
		if i := slices.IndexFunc(all, func(f yamlfile.Source) bool { return f.Name == file }); i >= 0 {
			return all[i].Data
		}
		return nil
	}))
}

// The tests of a process mostly play the same files. So what was parsed and checked is used
// again; it is never changed.
var (
	parsedFiles = memo[file, *parsed]{most: 4 << 20} // by the length of the texts, but each takes 16 KiB or more
	checkedSets = memo[string, *checkedSet]{most: 32}
)

// memo remembers the values that were made for keys, until all of them together are larger than most.
type memo[K comparable, V any] struct {
	most int

	mu   sync.Mutex // mu guards the fields below.
	size int
	made map[K]V
}

// get returns the value of a key, which it makes if there is none.
func (m *memo[K, V]) get(key K, size int, make func() V) V {
	m.mu.Lock()
	v, ok := m.made[key]
	m.mu.Unlock()
	if ok {
		return v
	}
	v = make()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.size += size; m.made == nil || m.size > m.most {
		m.made, m.size = map[K]V{}, size
	}
	m.made[key] = v
	return v
}

// file is the name and the text of a file. Problems contain the name.
type file struct{ name, text string }

type parsed struct {
	list     []*scenarios.Scenario
	problems diag.List
}

func parse(name string, src []byte) *parsed {
	return parsedFiles.get(file{name, string(src)}, max(len(src), 16<<10), func() *parsed {
		list, problems := yamlfile.Parse(name, src)
		return &parsed{list, problems}
	})
}

type checkedSet struct {
	of       []*scenarios.Scenario
	set      *scenarios.Set
	problems diag.List
}

func checked(of []*scenarios.Scenario) *checkedSet {
	set, problems := scenarios.Build(nil, of...)
	problems = append(problems, server.Check(set)...)
	problems.Sort()
	return &checkedSet{of, set, problems.Unique()}
}

// checkedOnce is [checked] for scenarios that were all parsed. Those that were made in Go the
// test could change later.
func checkedOnce(of []*scenarios.Scenario) *checkedSet {
	var key strings.Builder
	for _, s := range of {
		fmt.Fprintf(&key, "%p ", s) // the set keeps them in memory, so that no other gets the address
	}
	return checkedSets.get(key.String(), 1, func() *checkedSet { return checked(of) })
}

// bundled is the set of all bundled scenarios, each of which is parsed when it is first
// needed. It is not checked here, because the tests of this module check it.
var bundled = sync.OnceValues(func() (*scenarios.Set, error) { return yamlfile.Deferred(fixtures.FS) })
