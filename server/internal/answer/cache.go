package answer

import (
	"sync"
	"sync/atomic"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// maxPrograms bounds the cache. Only a client that asks for the same reply in
// ever other ways comes near it.
const maxPrograms = 4096

// key is all that a program is made of: the reply, which brings the scenario and
// its manner along, and what a request wants. Nothing else of a request is there
// when a program is built.
type key struct {
	reply *scenarios.Reply
	want  script.Want
}

// cache remembers programs. The zero value is ready to use.
type cache struct {
	mu      sync.Mutex
	entries map[key]*entry // entries is guarded by mu.

	hits, misses atomic.Int64
}

// entry is a program that one goroutine builds while others wait for it.
type entry struct {
	once    sync.Once
	program *program
	err     error
}

// get is the program under a key. The first who asks builds it.
func (c *cache) get(k key, build func() (*program, error)) (*program, error) {
	e := c.entry(k)
	e.once.Do(func() { e.program, e.err = build() })
	return e.program, e.err
}

func (c *cache) entry(k key) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.entries[k]; e != nil {
		c.hits.Add(1)
		return e
	}
	c.misses.Add(1)
	if c.entries == nil || len(c.entries) >= maxPrograms {
		c.entries = make(map[key]*entry)
	}
	e := new(entry)
	c.entries[k] = e
	return e
}
