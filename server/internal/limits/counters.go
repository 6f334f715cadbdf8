package limits

import (
	"crypto/sha256"
	"maps"
	"sync"

	"github.com/fakeopenai/fakeopenai/server/internal/lru"
)

// maxRequests bounds the requests whose attempts are counted, and the answers. Beyond it and
// maxKeys, the counts that were used longest ago are forgotten.
const maxRequests = 100_000

// Counters count how often each reply was given, for times, how often each request was made, for
// attempt, and equal answers, for their ids. All counts are by API key, which those who count for
// each request give as its [Sum]. Counters are safe for concurrent use.
type Counters struct {
	warn func(text string)

	mu sync.Mutex // guards what follows
	// taken counts how often replies were given, by API key.
	taken     *lru.Map[Sum, map[replyKey]int]
	seen      *lru.Map[requestKey, int] // seen counts how often requests were made.
	drawn     *lru.Map[requestKey, int] // drawn counts how often the ids of equal answers were drawn.
	forgotten Forgotten
}

// Sum is the SHA-256 hash of an API key, a name or a body. A key can be as long as a header; its
// hash is short.
type Sum = [sha256.Size]byte

// SumOf is the hash of an API key or a name.
func SumOf(text string) Sum { return sha256.Sum256([]byte(text)) }

// Forgotten counts the counts that were dropped to make room, since the last reset of all keys.
type Forgotten struct {
	Keys     int64 `json:"keys"`     // Keys counts the API keys whose counts of replies with times began anew.
	Attempts int64 `json:"attempts"` // Attempts counts the requests whose attempts began anew.
}

// Forgotten returns how many counts were dropped.
func (c *Counters) Forgotten() Forgotten {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.forgotten
}

// What the log says when something is forgotten.
const (
	timesForgotten    = "too many API keys have taken replies with times: the counts of the keys that asked longest ago start again; GET /_fake/scenarios shows how many under forgotten"
	attemptsForgotten = "too many different requests: those that came longest ago count as attempt 1 again; GET /_fake/scenarios shows how many under forgotten"
)

// forget adds 1 to one of the numbers in forgotten, and warns if it was 0.
func (c *Counters) forget(number *int64, warning string) {
	if *number == 0 && c.warn != nil {
		c.warn(warning)
	}
	*number++
}

type replyKey struct {
	scenario string
	reply    int
}

// requestKey names equal requests of an API key, or equal answers that it got.
type requestKey struct {
	apiKey Sum
	body   Sum // body is the hash of a request's body, or of what an answer is made from.
}

// NewCounters makes counters at zero. Warn is called when something is forgotten for the first time, with
// what that means; it may be nil.
func NewCounters(warn func(text string)) *Counters {
	return &Counters{warn: warn, taken: lru.New[Sum, map[replyKey]int](maxKeys), seen: lru.New[requestKey, int](maxRequests), drawn: lru.New[requestKey, int](maxRequests)}
}

// Available reports whether the API key can still [Counters.Take] the reply. A limit of 0 or
// less is none.
func (c *Counters) Available(apiKey Sum, scenario string, reply, limit int) bool {
	if limit <= 0 {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	counts, _ := c.taken.Get(apiKey)
	return counts[replyKey{scenario, reply}] < limit
}

// Take uses up one of the limit times that the reply is given to the API key, and
// reports whether there was one left. A limit of 0 or less is none.
func (c *Counters) Take(apiKey Sum, scenario string, reply, limit int) bool {
	if limit <= 0 {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	key := replyKey{scenario, reply}
	counts, ok := c.taken.Use(apiKey)
	if !ok {
		counts = map[replyKey]int{}
		if _, full := c.taken.Put(apiKey, counts); full {
			c.forget(&c.forgotten.Keys, timesForgotten)
		}
	}
	if counts[key] >= limit {
		return false
	}
	counts[key]++
	return true
}

// Given is how often the API key took the reply, or all keys together if it is "".
func (c *Counters) Given(apiKey, scenario string, reply int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, of := 0, SumOf(apiKey)
	for key, counts := range c.taken.All() {
		if apiKey == "" || key == of {
			n += counts[replyKey{scenario, reply}]
		}
	}
	return n
}

// Forget forgets how often the replies of scenarios were given to an API key, or to all if it is "", and
// how often answers of these names were counted.
func (c *Counters) Forget(apiKey string, names ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	of, gone, drawn := SumOf(apiKey), map[string]bool{}, map[Sum]bool{}
	for _, name := range names {
		gone[name], drawn[SumOf(name)] = true, true
	}
	for key, counts := range c.taken.All() {
		if apiKey == "" || key == of {
			maps.DeleteFunc(counts, func(k replyKey, _ int) bool { return gone[k.scenario] })
		}
	}
	for key := range c.drawn.All() {
		if drawn[key.body] && (apiKey == "" || key.apiKey == of) {
			c.drawn.Delete(key)
		}
	}
}

// Attempt counts a request, given by the hash of its body, and returns how often the API key
// has sent it by now.
func (c *Counters) Attempt(apiKey, body Sum) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := requestKey{apiKey, body}
	n, _ := c.seen.Get(key)
	if _, full := c.seen.Put(key, n+1); full {
		c.forget(&c.forgotten.Attempts, attemptsForgotten)
	}
	return n + 1
}

// Draw counts an answer that is kept, given by the hash of what its ids are drawn from, and
// returns how often the API key got an equal one by now. An answer that resumes a stream does
// not count: it has the ids of the one before.
func (c *Counters) Draw(apiKey, from Sum, resumes bool) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := requestKey{apiKey, from}
	n, ok := c.drawn.Get(key)
	if !ok || !resumes {
		n++
	}
	c.drawn.Put(key, n)
	return n
}

// Reset forgets the counts of one API key, or of all if it is "".
func (c *Counters) Reset(apiKey string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if apiKey == "" {
		fresh := NewCounters(c.warn)
		c.taken, c.seen, c.drawn, c.forgotten = fresh.taken, fresh.seen, fresh.drawn, fresh.forgotten
		return
	}
	of := SumOf(apiKey)
	c.taken.Delete(of)
	for _, counts := range []*lru.Map[requestKey, int]{c.seen, c.drawn} {
		for key := range counts.All() {
			if key.apiKey == of {
				counts.Delete(key)
			}
		}
	}
}
