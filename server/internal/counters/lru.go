package counters

import "container/list"

// lru is a map that forgets its least recently used entries beyond a limit.
type lru[K comparable, V any] struct {
	limit   int        // limit is the most entries that there can be.
	order   *list.List // order is a list of *lruEntry, the most recently used first.
	entries map[K]*list.Element
	// forgotten counts the entries that were dropped beyond the limit. The function gone is
	// called with the key of each; it may be nil.
	forgotten int64
	gone      func(K)
}

type lruEntry[K comparable, V any] struct {
	key   K
	value V
}

func newLRU[K comparable, V any](limit int) *lru[K, V] {
	return &lru[K, V]{limit: limit, order: list.New(), entries: make(map[K]*list.Element)}
}

// at returns the value under key, and adds a zero V if there is none. The pointer is valid
// until the next call.
func (c *lru[K, V]) at(key K) *V {
	if e, ok := c.entries[key]; ok {
		c.order.MoveToFront(e)
		return &e.Value.(*lruEntry[K, V]).value
	}
	added := &lruEntry[K, V]{key: key}
	c.entries[key] = c.order.PushFront(added)
	if c.order.Len() > c.limit {
		c.forgotten++
		if oldest := c.order.Back(); c.gone != nil {
			c.gone(oldest.Value.(*lruEntry[K, V]).key)
		}
		c.remove(c.order.Back())
	}
	return &added.value
}

// peek returns the value under key, or false if there is none. It does not count as a use.
func (c *lru[K, V]) peek(key K) (value V, ok bool) {
	e, ok := c.entries[key]
	if !ok {
		return value, false
	}
	return e.Value.(*lruEntry[K, V]).value, true
}

// each calls do for every entry. It does not count as a use.
func (c *lru[K, V]) each(do func(K, V)) {
	for key, e := range c.entries {
		do(key, e.Value.(*lruEntry[K, V]).value)
	}
}

func (c *lru[K, V]) remove(e *list.Element) {
	delete(c.entries, c.order.Remove(e).(*lruEntry[K, V]).key)
}

// removeFunc removes the entries for whose keys doomed returns true.
func (c *lru[K, V]) removeFunc(doomed func(K) bool) {
	for key, e := range c.entries {
		if doomed(key) {
			c.remove(e)
		}
	}
}
