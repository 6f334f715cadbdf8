package answer

import (
	"cmp"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// maxPrograms is how many programs a cache holds. Only a client that varies its
// requests to the same reply without end comes near it.
const maxPrograms = 4096

// maxProgramBytes is about how much memory the programs of a cache take together. A
// larger program is cached alone.
const maxProgramBytes = 256 << 20

// key identifies a program. It holds everything that a program is made of: the reply,
// with its scenario and manner, what the request wants, and the seed. A program is built
// without any other part of a request.
type key struct {
	reply *scenarios.Reply
	want  script.Want
	seed  int64
	// struck says that the reply has a fault laid over it.
	struck bool
}

// cache holds programs. The zero value is ready to use.
type cache struct {
	mu           sync.Mutex // mu guards entries, faults, bytes, hits and misses.
	entries      map[key]*entry
	faults       map[faultKey]*faulty
	bytes        int64 // bytes is the size of the entries.
	limit        int64 // limit is the maximum of bytes; 0 stands for maxProgramBytes.
	hits, misses int
}

// entry is a program that one goroutine builds while others wait for it.
type entry struct {
	once    sync.Once
	program *program
	err     error
	size    int64 // size is the size of the program once it is built; it is guarded by the cache's mu.
}

// get returns the program that is shared by all requests which want the same of a reply. The
// first caller builds it.
func (c *cache) get(a *Asked) (*program, error) {
	k := key{a.Reply, a.Want, a.Seed, a.struck}
	c.mu.Lock()
	e := c.entries[k]
	if e != nil {
		c.hits++
	} else {
		c.misses++
		if c.entries == nil || len(c.entries) >= maxPrograms {
			c.entries, c.bytes = make(map[key]*entry), 0
		}
		e = new(entry)
		c.entries[k] = e
	}
	c.mu.Unlock()
	e.once.Do(func() {
		if e.program, e.err = build(a); e.program != nil {
			c.measure(k, e, e.program.size())
		}
	})
	return e.program, e.err
}

// measure records the size of a new entry, and evicts other entries if all together are
// too large. Evicted programs are built again when they are needed.
func (c *cache) measure(k key, e *entry, size int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries[k] != e {
		return // it was evicted while it was built
	}
	e.size = size
	c.bytes += size
	for other, old := range c.entries {
		if c.bytes <= cmp.Or(c.limit, maxProgramBytes) {
			return
		}
		if old != e && old.size > 0 {
			delete(c.entries, other)
			c.bytes -= old.size
		}
	}
}
