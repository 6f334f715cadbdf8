// Package counters counts replies that were given and requests that were made, for times and
// attempt, and equal answers, for their ids. All counts are per API key, and bounded.
package counters

import (
	"crypto/sha256"
	"maps"
	"sync"
)

// The bounds of the counts. Beyond them the least recently used counts are forgotten.
const (
	maxKeys     = 10_000  // maxKeys bounds the API keys whose replies are counted.
	maxRequests = 100_000 // maxRequests bounds the requests whose attempts are counted, and the answers.
)

// Counters count how often each reply was given, and how often each request was
// made. They are safe for concurrent use.
type Counters struct {
	mu sync.Mutex // guards what follows
	// taken counts how often replies were given, by API key.
	taken *lru[sum, map[replyKey]int]
	seen  *lru[requestKey, int] // seen counts how often requests were made.
	drawn *lru[requestKey, int] // drawn counts how often the ids of equal answers were drawn.
	// lost are the API keys whose counts of replies were forgotten.
	lost marks
}

// sum is the SHA-256 hash of an API key or a body. A key can be as long as a header; its
// hash is short.
type sum [sha256.Size]byte

func sumOf(apiKey string) sum { return sha256.Sum256([]byte(apiKey)) }

// Forgotten counts what was forgotten because there is too much to count.
type Forgotten struct {
	Keys     int64 // Keys counts the API keys whose counts of replies with times began anew.
	Attempts int64 // Attempts counts the requests whose attempts began anew.
	// OfKey says that one API key is among the Keys. It is wrong for one in 80 of the other
	// keys when Keys is a million.
	OfKey bool
}

// Forgotten returns what was forgotten since the last reset of all keys. OfKey of the result
// is about the API key.
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

// requestKey names equal requests of an API key, or equal answers that it got.
type requestKey struct {
	apiKey sum
	body   sum // body is the hash of a request's body, or of what an answer is made from.
}

// New makes counters at zero.
func New() *Counters {
	c := &Counters{
		taken: newLRU[sum, map[replyKey]int](maxKeys),
		seen:  newLRU[requestKey, int](maxRequests),
		drawn: newLRU[requestKey, int](maxRequests),
	}
	c.taken.gone = func(key sum) { c.lost.add(key) }
	return c
}

// Available reports whether the API key can still [Counters.Take] the reply. A limit of 0 or
// less is none.
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

// Given is how often the API key took the reply, or all keys together if it is "".
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

// Attempt counts a request, given by the hash of its body, and returns how often the API key
// has sent it by now.
func (c *Counters) Attempt(apiKey string, body [sha256.Size]byte) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.seen.at(requestKey{sumOf(apiKey), body})
	*n++
	return *n
}

// Draw counts an answer that is kept, given by the hash of what its ids are drawn from, and
// returns how often the API key got an equal one by now. An answer that resumes a stream does
// not count: it has the ids of the one before.
func (c *Counters) Draw(apiKey string, from [sha256.Size]byte, resumes bool) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.drawn.at(requestKey{sumOf(apiKey), from})
	if !resumes || *n == 0 {
		*n++
	}
	return *n
}

// Reset forgets the counts of one API key, or of all if it is "".
func (c *Counters) Reset(apiKey string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	of := sumOf(apiKey)
	c.taken.removeFunc(func(key sum) bool { return apiKey == "" || key == of })
	c.seen.removeFunc(func(k requestKey) bool { return apiKey == "" || k.apiKey == of })
	c.drawn.removeFunc(func(k requestKey) bool { return apiKey == "" || k.apiKey == of })
	if apiKey == "" {
		c.taken.forgotten, c.seen.forgotten, c.lost = 0, 0, marks{}
	}
}
