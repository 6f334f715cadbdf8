package server

import (
	"crypto/sha256"
	"sync"
)

// The bounds of what is counted. Keys beyond them lose their counts, those that
// were used longest ago first.
const (
	maxCountedKeys     = 10_000
	maxCountedRequests = 100_000
)

// counters are the only memory that decides an answer: how often each reply was
// given, and how often each request was made. Both are kept per API key.
type counters struct {
	mu    sync.Mutex // guards what follows
	taken *lru[string, map[replyKey]int]
	seen  *lru[requestKey, int]
}

type replyKey struct {
	scenario string
	reply    int
}

type requestKey struct {
	apiKey string
	body   [sha256.Size]byte
}

func newCounters() *counters {
	return &counters{
		taken: newLRU[string, map[replyKey]int](maxCountedKeys),
		seen:  newLRU[requestKey, int](maxCountedRequests),
	}
}

// Take makes counters a [scenarios.Used].
func (c *counters) Take(apiKey, scenario string, reply, limit int) bool {
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

// giveBack undoes a Take whose reply was not given after all.
func (c *counters) giveBack(apiKey, scenario string, reply int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := replyKey{scenario, reply}
	if counts := *c.taken.at(apiKey); counts[key] > 0 {
		counts[key]--
	}
}

// attempt counts a request and says how many times the same API key has sent
// the same body by now.
func (c *counters) attempt(apiKey string, body [sha256.Size]byte) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.seen.at(requestKey{apiKey, body})
	*n++
	return *n
}

// reset forgets all counts.
func (c *counters) reset() {
	c.resetFunc(func(string) bool { return true })
}

// resetKey forgets the counts of one API key.
func (c *counters) resetKey(apiKey string) {
	c.resetFunc(func(key string) bool { return key == apiKey })
}

func (c *counters) resetFunc(doomed func(apiKey string) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.taken.removeFunc(doomed)
	c.seen.removeFunc(func(k requestKey) bool { return doomed(k.apiKey) })
}
