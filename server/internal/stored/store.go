// Package stored keeps what clients of the Responses API ask for again by its id:
// answers, with the streams that they came in, and conversations. Each belongs to the
// API key that made it. It knows no HTTP.
package stored

import (
	"container/list"
	"sync"

	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
)

// Store keeps answers and conversations, the oldest of which it forgets. It is safe
// for concurrent use.
type Store struct {
	limits Limits

	mu        sync.Mutex // guards what follows
	order     *list.List // order has an *entry for each thing, the oldest first.
	entries   map[name]*list.Element
	bytes     int64          // bytes is the size of all entries.
	forgotten map[string]int // forgotten counts what was forgotten, by API key.
	running   int            // running counts the answers that are made in the background.
	// connections are the WebSocket connections that are open.
	connections map[*Connection]bool
}

// Limits bound what a store keeps.
type Limits struct {
	// Count is how many answers and conversations are kept; 0 is none.
	Count int
	// Bytes is about how much memory they take. The newest is kept whatever its size.
	Bytes int64
	// AnyID takes every id for that of something which is kept.
	AnyID bool
}

// maxRunning is how many answers can be made in the background at the same time: each
// has a goroutine.
const maxRunning = 1000

// maxForgotten bounds for how many API keys it is counted what was forgotten.
const maxForgotten = 1000

// name is by what a thing is found.
type name struct{ kind, apiKey, id string }

// The kinds of things that are kept.
const (
	kindResponse     = "Response"
	kindConversation = "Conversation"
)

// entry is a thing that is kept.
type entry struct {
	name  name
	value any // value is a *Response or a *Conversation.
	size  int64
}

// New makes a store that is empty.
func New(limits Limits) *Store {
	return &Store{limits: limits, order: list.New(), entries: map[name]*list.Element{}, forgotten: map[string]int{}, connections: map[*Connection]bool{}}
}

// Keeps reports whether there is room for anything.
func (s *Store) Keeps() bool { return s.limits.Count > 0 }

// put keeps a value in the place of the one that had its name, and forgets the oldest
// beyond the limits. An answer that is still made goes on: its client may be there.
func (s *Store) put(n name, value any, size int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.entries[n]; e != nil {
		s.remove(e)
	}
	s.entries[n] = s.order.PushBack(&entry{n, value, size})
	s.bytes += size
	s.forget()
}

// grow counts memory that a thing takes beside what it took before.
func (s *Store) grow(n name, value any, by int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.entries[n]
	if e == nil || e.Value.(*entry).value != value {
		return
	}
	e.Value.(*entry).size += by
	s.bytes += by
	s.forget()
}

// touch makes a thing the newest.
func (s *Store) touch(n name) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.entries[n]; e != nil {
		s.order.MoveToBack(e)
	}
}

// forget drops the oldest things beyond the limits, but not the newest.
func (s *Store) forget() {
	for s.order.Len() > 1 && (s.order.Len() > s.limits.Count || s.bytes > s.limits.Bytes) {
		oldest := s.order.Front()
		if key := oldest.Value.(*entry).name.apiKey; s.forgotten[key] > 0 || len(s.forgotten) < maxForgotten {
			s.forgotten[key]++
		}
		s.remove(oldest).end()
	}
}

func (s *Store) remove(e *list.Element) *entry {
	gone := s.order.Remove(e).(*entry)
	delete(s.entries, gone.name)
	s.bytes -= gone.size
	return gone
}

// end ends what is still being made of a thing.
func (e *entry) end() {
	if r, ok := e.value.(*Response); ok {
		r.stop(false)
	}
}

// get is the value of a name; nil if there is none.
func (s *Store) get(n name) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.entries[n]; e != nil {
		return e.Value.(*entry).value
	}
	return nil
}

// drop forgets the thing of a name, if it still is this one; nil is any.
func (s *Store) drop(n name, value any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.entries[n]; e != nil && (value == nil || e.Value.(*entry).value == value) {
		s.remove(e).end()
	}
}

// Reset forgets what belongs to an API key, or everything if it is "". What is still
// made in the background ends.
func (s *Store) Reset(apiKey string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var next *list.Element
	for e := s.order.Front(); e != nil; e = next {
		next = e.Next()
		if apiKey == "" || e.Value.(*entry).name.apiKey == apiKey {
			s.remove(e).end()
		}
	}
	for c := range s.connections {
		c.reset(apiKey)
	}
	if apiKey == "" {
		clear(s.forgotten)
	}
	delete(s.forgotten, apiKey)
}

// Forgotten is how many answers and conversations of an API key were forgotten because
// there were too many, or they were too large.
func (s *Store) Forgotten(apiKey string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.forgotten[apiKey]
}

// Len is how many answers and conversations there are, and about how much memory they
// take.
func (s *Store) Len() (count int, bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.order.Len(), s.bytes
}

// Response is the answer of an API key with an id. The error is that of the real
// service.
func (s *Store) Response(apiKey, id string) (*Response, *apierror.Error) {
	if r, ok := s.get(name{kindResponse, apiKey, id}).(*Response); ok {
		return r, nil
	}
	return nil, apierror.NotStored(kindResponse, id)
}

// Conversation is the conversation of an API key with an id. The error is that of the
// real service.
func (s *Store) Conversation(apiKey, id string) (*Conversation, *apierror.Error) {
	n := name{kindConversation, apiKey, id}
	if c, ok := s.get(n).(*Conversation); ok {
		return c, nil
	}
	if s.limits.AnyID {
		return &Conversation{store: s, name: n}, nil
	}
	return nil, apierror.NotStored(kindConversation, id)
}
