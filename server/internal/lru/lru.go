// Package lru keeps values in the order of their last use, so that the others can be dropped when
// there are too many.
package lru

import (
	"container/list"
	"iter"
)

// Map has values by their keys. It is not safe for concurrent use.
type Map[K comparable, V any] struct {
	most     int
	order    list.List // order is a list of *entry, the last used first.
	elements map[K]*list.Element
}

type entry[K comparable, V any] struct {
	key   K
	value V
}

// New returns a map for as many values as most, or for any number if that is 0.
func New[K comparable, V any](most int) *Map[K, V] {
	return &Map[K, V]{most: most, elements: map[K]*list.Element{}}
}

// Len returns the number of values.
func (m *Map[K, V]) Len() int { return len(m.elements) }

// Get returns the value under a key, or false if there is none. It does not count as a use of the value.
func (m *Map[K, V]) Get(key K) (value V, ok bool) {
	e, ok := m.elements[key]
	if !ok {
		return value, false
	}
	return e.Value.(*entry[K, V]).value, true
}

// Use returns the value under a key, which is then the last used, or false if there is none.
func (m *Map[K, V]) Use(key K) (value V, ok bool) {
	if e, ok := m.elements[key]; ok {
		m.order.MoveToFront(e)
	}
	return m.Get(key)
}

// Put sets the value under a key, which is then the last used. If there are too many values,
// Put removes the one whose last use is the longest ago, and returns it.
func (m *Map[K, V]) Put(key K, value V) (removed V, full bool) {
	if e, ok := m.elements[key]; ok {
		e.Value.(*entry[K, V]).value = value
		m.order.MoveToFront(e)
		return removed, false
	}
	m.elements[key] = m.order.PushFront(&entry[K, V]{key, value})
	if m.most == 0 || m.Len() <= m.most {
		return removed, false
	}
	oldest := m.order.Back().Value.(*entry[K, V])
	m.Delete(oldest.key)
	return oldest.value, true
}

// Delete removes the value under a key, if there is one.
func (m *Map[K, V]) Delete(key K) {
	if e, ok := m.elements[key]; ok {
		m.order.Remove(e)
		delete(m.elements, key)
	}
}

// All returns the values with their keys, the last used last. The loop can delete the value that
// it is at.
func (m *Map[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for e := m.order.Back(); e != nil; {
			at := e.Value.(*entry[K, V])
			e = e.Prev()
			if !yield(at.key, at.value) {
				return
			}
		}
	}
}
