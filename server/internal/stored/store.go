// Package stored is the store of the Responses API and of chat completions: it keeps responses, from which
// it can make their event streams again, completions, and conversations, until clients ask for them by
// their ids. Each belongs to the API key that made it. The package knows no HTTP.
package stored

import (
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/lru"
)

// Store keeps responses and conversations, and forgets the oldest when it is full. It is safe
// for concurrent use.
type Store struct {
	limits Limits

	mu        sync.Mutex // mu guards the fields below.
	entries   *lru.Map[name, *entry]
	bytes     int64 // bytes is the sum of the sizes of all entries.
	forgotten int   // forgotten is the number of entries dropped because the store was full.
	running   int   // running is the number of responses that are being made in the background.
	// connections are the open WebSocket connections.
	connections map[*Connection]bool
}

// Limits bound what a store keeps.
type Limits struct {
	// Count is the most responses and conversations together; 0 keeps none.
	Count int
	// Bytes is roughly the most memory that they take. The newest is kept whatever its size.
	Bytes int64
	// AnyID lets requests go on from unknown responses and conversations, and name unknown items.
	AnyID bool
}

// maxRunning is the most responses that are made in the background at the same time. Each has a
// goroutine.
const maxRunning = 1000

// name is the key under which a response or conversation is kept.
type name struct{ kind, apiKey, id string }

// The kinds of names. Error texts contain them.
const (
	kindResponse     = "Response"
	kindConversation = "Conversation"
	kindCompletion   = "Completion"
	kindDeletedModel = "Deleted model"
)

// deletedModel is kept under the id of a model that a client has deleted.
type deletedModel struct{}

func (deletedModel) items() []ojson.Value { return nil }
func (deletedModel) end()                 {}

// DeleteModel keeps that the model does not exist for the API key any more.
func (s *Store) DeleteModel(apiKey, id string) {
	s.put(name{kindDeletedModel, apiKey, id}, deletedModel{}, int64(len(id)))
}

// HasDeleted reports whether the API key has deleted the model.
func (s *Store) HasDeleted(apiKey, id string) bool {
	return s.get(name{kindDeletedModel, apiKey, id}) != nil
}

// kept is a [Response] or a [Conversation].
type kept interface {
	items() []ojson.Value // items returns the items; nil for a response that is not complete.
	end()                 // end stops making it in the background.
}

type entry struct {
	kept
	size int64
}

// New returns an empty store.
func New(limits Limits) *Store {
	return &Store{limits: limits, entries: lru.New[name, *entry](0), connections: map[*Connection]bool{}}
}

// Keeps reports whether the store keeps anything at all.
func (s *Store) Keeps() bool { return s.limits.Count > 0 }

// put keeps a value under its name, in place of the one that had the name, and then drops the
// oldest entries beyond the limits. A replaced response that is still being made goes on: its
// client may be reading it.
func (s *Store) put(n name, value kept, size int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(n)
	s.entries.Put(n, &entry{value, size})
	s.bytes += size
	s.forget()
}

// grow adds to the size of an entry, if the value is still kept under this name.
func (s *Store) grow(n name, value kept, by int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.entries.Get(n)
	if !ok || e.kept != value {
		return
	}
	e.size += by
	s.bytes += by
	s.forget()
}

func (s *Store) touch(n name) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entries.Use(n)
}

// forget drops the oldest entries beyond the limits, but never the newest.
func (s *Store) forget() {
	for n, e := range s.entries.All() {
		full := s.entries.Len() > s.limits.Count || s.bytes > s.limits.Bytes
		if !full || s.entries.Len() == 1 {
			return
		}
		s.forgotten++
		s.remove(n)
		e.end()
	}
}

func (s *Store) remove(n name) {
	if e, ok := s.entries.Get(n); ok {
		s.entries.Delete(n)
		s.bytes -= e.size
	}
}

func (s *Store) get(n name) kept {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, ok := s.entries.Get(n); ok {
		return e.kept
	}
	return nil
}

// drop removes the entry of a name if it holds this value.
func (s *Store) drop(n name, value kept) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, ok := s.entries.Get(n); ok && e.kept == value {
		s.remove(n)
		e.end()
	}
}

// Reset forgets what belongs to an API key, or everything if it is "". Responses that are being
// made in the background end.
func (s *Store) Reset(apiKey string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n, e := range s.entries.All() {
		if apiKey == "" || n.apiKey == apiKey {
			s.remove(n)
			e.end()
		}
	}
	for c := range s.connections {
		c.reset(apiKey)
	}
	if apiKey == "" {
		s.forgotten = 0
	}
}

// Forgotten returns how many responses and conversations were dropped because the store was full.
func (s *Store) Forgotten() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.forgotten
}

// Response returns the response with this id that belongs to the API key. In place of an unknown
// one it is the error of the real service.
func (s *Store) Response(apiKey, id string) (*Response, *apierror.Error) {
	if r := s.response(apiKey, id); r != nil {
		return r, nil
	}
	return nil, apierror.NotStored(kindResponse, id)
}

func (s *Store) response(apiKey, id string) *Response {
	r, _ := s.get(name{kindResponse, apiKey, id}).(*Response)
	return r
}

// Conversation returns the conversation with this id that belongs to the API key. In place of
// an unknown one it is the error of the real service.
func (s *Store) Conversation(apiKey, id string) (*Conversation, *apierror.Error) {
	if c, ok := s.get(name{kindConversation, apiKey, id}).(*Conversation); ok {
		return c, nil
	}
	return nil, apierror.NotStored(kindConversation, id)
}
