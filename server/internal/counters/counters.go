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
	taken *lru[sum, map[replyKey]int]
	seen  *lru[requestKey, int] // seen counts how often requests were made.
	// lost are the API keys whose counts of replies were forgotten.
	lost marks
}

// sum stands for an API key or a body. A key may be as long as a header can be: its
// sum is not.
type sum [sha256.Size]byte

func sumOf(apiKey string) sum { return sha256.Sum256([]byte(apiKey)) }

// Forgotten is what was forgotten because there is too much to count.
type Forgotten struct {
	Keys     int64 // Keys counts the API keys whose replies with times began anew.
	Attempts int64 // Attempts counts the requests whose attempts began anew.
	// OfKey says that the API key that was asked for is among the Keys. When they are
	// a million, one in 80 of the other keys is taken for one of them.
	OfKey bool
}

// Forgotten is what was forgotten since the last reset of all keys.
func (c *Counters) Forgotten(apiKey string) Forgotten {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Forgotten{c.taken.forgotten, c.seen.forgotten, apiKey != "" && c.lost.has(sumOf(apiKey))}
}

// replyKey names a reply.
type replyKey struct {
	scenario string
	reply    int
}

// requestKey names requests that are the same.
type requestKey struct {
	apiKey sum
	body   sum
}

// New makes counters at zero.
func New() *Counters {
	c := &Counters{
		taken: newLRU[sum, map[replyKey]int](maxKeys),
		seen:  newLRU[requestKey, int](maxRequests),
	}
	c.taken.gone = func(key sum) { c.lost.add(key) }
	return c
}

// Available reports whether the API key can still [Counters.Take] the reply,
// and takes nothing. A limit of 0 or less is none.
func (c *Counters) Available(apiKey, scenario string, reply, limit int) bool {
	if limit <= 0 {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	counts, _ := c.taken.peek(sumOf(apiKey))
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
	counts := c.taken.at(sumOf(apiKey))
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
	n, of := 0, sumOf(apiKey)
	c.taken.each(func(key sum, counts map[replyKey]int) {
		if apiKey == "" || key == of {
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
	of := sumOf(apiKey)
	c.taken.each(func(key sum, counts map[replyKey]int) {
		if apiKey == "" || key == of {
			maps.DeleteFunc(counts, func(k replyKey, _ int) bool { return k.scenario == scenario })
		}
	})
}

// Attempt counts a request and says how many times the same API key has sent
// the same body by now. The body is given by its hash.
func (c *Counters) Attempt(apiKey string, body [sha256.Size]byte) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.seen.at(requestKey{sumOf(apiKey), body})
	*n++
	return *n
}

// Reset forgets the counts of one API key, or of all if it is "".
func (c *Counters) Reset(apiKey string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	of := sumOf(apiKey)
	c.taken.removeFunc(func(key sum) bool { return apiKey == "" || key == of })
	c.seen.removeFunc(func(k requestKey) bool { return apiKey == "" || k.apiKey == of })
	if apiKey == "" {
		c.taken.forgotten, c.seen.forgotten, c.lost = 0, 0, marks{}
	}
}
