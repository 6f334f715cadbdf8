// Package counters counts what was given and asked: the only memory of a server
// that decides an answer. Everything is counted per API key, and bounded.
package counters

import (
	"crypto/sha256"
	"maps"
	"sync"
)

// The bounds of what is counted. Keys beyond them lose their counts, those that
// were used longest ago first.
const (
	maxKeys     = 10_000
	maxRequests = 100_000
)

// Counters count how often each reply was given, and how often each request was
// made. They are safe for concurrent use.
type Counters struct {
	mu sync.Mutex // guards what follows
	// taken counts how often replies were given, by API key.
	taken *lru[string, map[replyKey]int]
	seen  *lru[requestKey, int] // seen counts how often requests were made.
}

// replyKey names a reply.
type replyKey struct {
	scenario string
	reply    int
}

// requestKey names requests that are the same.
type requestKey struct {
	apiKey string
	body   [sha256.Size]byte
}

// New makes counters at zero.
func New() *Counters {
	return &Counters{
		taken: newLRU[string, map[replyKey]int](maxKeys),
		seen:  newLRU[requestKey, int](maxRequests),
	}
}

// Available reports whether the API key can still [Counters.Take] the reply,
// and takes nothing. A limit of 0 or less is none.
func (c *Counters) Available(apiKey, scenario string, reply, limit int) bool {
	if limit <= 0 {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	counts, _ := c.taken.peek(apiKey)
	return counts[replyKey{scenario, reply}] < limit
}

// Take uses up one of the limit times that the reply is given to the API key, and
// reports whether there was one left. A limit of 0 or less is none.
func (c *Counters) Take(apiKey, scenario string, reply, limit int) bool {
	if limit <= 0 {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	counts := c.taken.at(apiKey)
	if *counts == nil {
		*counts = make(map[replyKey]int)
	}
	key := replyKey{scenario, reply}
	if (*counts)[key] >= limit {
		return false
	}
	(*counts)[key]++
	return true
}

// Given is how often the reply was taken by the API key, or by all if it is "".
func (c *Counters) Given(apiKey, scenario string, reply int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	c.taken.each(func(key string, counts map[replyKey]int) {
		if apiKey == "" || key == apiKey {
			n += counts[replyKey{scenario, reply}]
		}
	})
	return n
}

// Forget forgets how often the replies of a scenario were given to an API key, or
// to all if it is "".
func (c *Counters) Forget(apiKey, scenario string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.taken.each(func(key string, counts map[replyKey]int) {
		if apiKey == "" || key == apiKey {
			maps.DeleteFunc(counts, func(k replyKey, _ int) bool { return k.scenario == scenario })
		}
	})
}

// Attempt counts a request and says how many times the same API key has sent
// the same body by now. The body is given by its hash.
func (c *Counters) Attempt(apiKey string, body [sha256.Size]byte) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.seen.at(requestKey{apiKey, body})
	*n++
	return *n
}

// Reset forgets the counts of one API key, or of all if it is "".
func (c *Counters) Reset(apiKey string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.taken.removeFunc(func(key string) bool { return apiKey == "" || key == apiKey })
	c.seen.removeFunc(func(k requestKey) bool { return apiKey == "" || k.apiKey == apiKey })
}
