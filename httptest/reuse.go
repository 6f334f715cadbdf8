package fakeopenai

import (
	"slices"
	"sync"

	"github.com/fakeopenai/fakeopenai/fixtures"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

// The tests of a process mostly play the same files again: what was read of a text, and
// the sets that were made and checked of it, are remembered. Both are never changed.
var reuse reused

// maxReused is how many bytes of files are remembered, about. When there are more, all
// are forgotten: what is needed again is read again.
const maxReused = 4 << 20

// reused are texts that were read, and what was made of them.
type reused struct {
	mu    sync.Mutex // guards what follows
	bytes int        // bytes counts those of the texts.
	texts map[file]*parsed
	sets  []*checkedSet
}

// file is a file: its name stands in messages.
type file struct{ name, text string }

// parsed is what was read of a file.
type parsed struct {
	list     []*scenarios.Scenario
	problems diag.List
}

// checkedSet is a set, and the scenarios that it was made of.
type checkedSet struct {
	of       []*scenarios.Scenario
	set      *scenarios.Set
	problems diag.List
}

// parse reads a file, or has read it before.
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

// set makes a set of scenarios and checks it, or has done so before. Only sets of
// scenarios that were read are remembered: others can be changed by who made them.
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

// maxSets is how many sets are remembered.
const maxSets = 32

// bundled are all bundled scenarios. Tests check them, and each is read when it is first
// asked for.
var bundled = sync.OnceValues(func() (*scenarios.Set, error) { return yamlfile.Deferred(fixtures.FS) })
