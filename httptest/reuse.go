package fakeopenai

import (
	"fmt"
	"strings"
	"sync"

	"github.com/fakeopenai/fakeopenai/fixtures"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// The tests of a process mostly play the same files. So what was parsed and checked is used
// again; it is never changed.
var (
	parsedFiles = memo[file, *parsed]{most: 4 << 20} // by the length of the texts
	checkedSets = memo[string, *checkedSet]{most: 32}
)

// memo remembers what was made for keys, until all of it together is larger than most.
type memo[K comparable, V any] struct {
	most int

	mu   sync.Mutex // mu guards the fields below.
	size int
	made map[K]V
}

// get returns what was made for the key, or makes it now.
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

// parsed is the result of parsing a file.
type parsed struct {
	list     []*scenarios.Scenario
	problems diag.List
}

func parse(name string, src []byte) *parsed {
	return parsedFiles.get(file{name, string(src)}, len(src), func() *parsed {
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
