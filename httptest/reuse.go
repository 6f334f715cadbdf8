package fakeopenai

import (
	"slices"
	"sync"

	"github.com/fakeopenai/fakeopenai/fixtures"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

// reuse caches parsed files and checked sets, because the tests of a process mostly play
// the same files. Neither is ever changed.
var reuse reused

// maxReused is about how many bytes of files are cached. A file beyond it empties the
// cache.
const maxReused = 4 << 20

// reused is a cache of parsed files and of checked sets.
type reused struct {
	mu    sync.Mutex // mu guards the fields below.
	bytes int        // bytes is the length of all texts.
	texts map[file]*parsed
	sets  []*checkedSet
}

// file is the name and the text of a file. Problems contain the name.
type file struct{ name, text string }

// parsed is the result of parsing a file.
type parsed struct {
	list     []*scenarios.Scenario
	problems diag.List
}

// checkedSet is a set, its problems, and the scenarios that it was made of.
type checkedSet struct {
	of       []*scenarios.Scenario
	set      *scenarios.Set
	problems diag.List
}

// parse parses a file, or returns the cached result.
func (r *reused) parse(name string, src []byte) *parsed {
	r.mu.Lock()
	p := r.texts[file{name, string(src)}]
	r.mu.Unlock()
	if p != nil {
		return p
	}
	p = new(parsed)
	p.list, p.problems = yamlfile.Parse(name, src)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bytes += len(src); r.texts == nil || r.bytes > maxReused {
		r.texts, r.sets, r.bytes = map[file]*parsed{}, nil, len(src)
	}
	r.texts[file{name, string(src)}] = p
	return p
}

// set makes and checks a set of scenarios with build, or returns the cached result.
// Remember says that it may be cached: that no scenario was made in Go, where the test
// could change it later.
func (r *reused) set(of []*scenarios.Scenario, remember bool, build func() (*scenarios.Set, diag.List)) (*scenarios.Set, diag.List) {
	if !remember {
		return build()
	}
	r.mu.Lock()
	i := slices.IndexFunc(r.sets, func(s *checkedSet) bool { return slices.Equal(s.of, of) })
	if i >= 0 {
		defer r.mu.Unlock()
		return r.sets[i].set, r.sets[i].problems
	}
	r.mu.Unlock()
	s := &checkedSet{of: of}
	s.set, s.problems = build()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.sets) == maxSets {
		r.sets = slices.Delete(r.sets, 0, 1)
	}
	r.sets = append(r.sets, s)
	return s.set, s.problems
}

// maxSets is how many sets are cached.
const maxSets = 32

// bundled is the set of all bundled scenarios, each of which is parsed when it is first
// needed. It is not checked here, because the tests of this module check it.
var bundled = sync.OnceValues(func() (*scenarios.Set, error) { return yamlfile.Deferred(fixtures.FS) })
