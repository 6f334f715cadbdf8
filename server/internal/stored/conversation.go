package stored

import (
	"fmt"
	"slices"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
)

// Conversation is a list of items. Requests go on from them, and complete responses add theirs.
type Conversation struct {
	store   *Store
	name    name
	created int64 // created is in seconds since 1970.

	mu       sync.Mutex // mu guards the fields below.
	metadata ojson.Value
	list     []ojson.Value // list has the items in the order in which they came.
	added    int           // added counts the calls of add, so that the items of each get ids of their own.
	// pending are responses that are not complete yet; their items are added when they are.
	pending []*Response
}

// conversationSize is roughly how many bytes a conversation takes beside its items.
const conversationSize = 512

func (s *Store) newConversation(n name, created int64, metadata ojson.Value, items ojson.Value) *Conversation {
	metadata = metadata.Detached()
	c := &Conversation{store: s, name: n, created: created, metadata: metadata}
	s.put(n, c, conversationSize+int64(metadata.Size()))
	c.add(items)
	return c
}

// Expect adds the items of a response and of its request as soon as the response is complete.
func (c *Conversation) Expect(r *Response) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending = append(c.pending, r)
	c.store.touch(c.name)
}

// add adds items as a client sends them, and returns them as they are kept.
func (c *Conversation) add(items ojson.Value) []ojson.Value {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settle()
	c.added++
	list := Normalised(items, fmt.Sprintf("%s %d", c.name.id, c.added))
	c.append(list)
	return list
}

func (c *Conversation) append(list []ojson.Value) {
	size := 0
	for _, item := range list {
		item = item.Detached() // without this the whole request body would stay in memory
		size += item.Size()
		c.list = append(c.list, item)
	}
	c.store.grow(c.name, c, int64(size))
	c.store.touch(c.name)
}

// items returns the items by now, the oldest first. The caller must not change the list.
func (c *Conversation) items() []ojson.Value {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settle()
	return slices.Clip(c.list)
}

// end does nothing: a conversation is not made.
func (c *Conversation) end() {}

// settle adds the items of the pending responses that are complete. Those of failed and
// cancelled ones are dropped.
func (c *Conversation) settle() {
	c.pending = slices.DeleteFunc(c.pending, func(r *Response) bool {
		if !r.IsOver() {
			return false
		}
		if output, err := r.Output(); err == nil && !r.Cancelled() && !r.failed() {
			c.append(slices.Concat(r.Input(), output))
		}
		return true
	})
}

func (c *Conversation) remove(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settle()
	i := slices.IndexFunc(c.list, func(item ojson.Value) bool { return item.Get("id").Text() == id })
	if i < 0 {
		return
	}
	c.store.grow(c.name, c, -int64(c.list[i].Size()))
	c.list = slices.Delete(slices.Clone(c.list), i, i+1) // other goroutines may read the old list
}

func (c *Conversation) setMetadata(metadata ojson.Value) {
	c.mu.Lock()
	defer c.mu.Unlock()
	metadata = metadata.Detached()
	c.store.grow(c.name, c, int64(metadata.Size()-c.metadata.Size()))
	c.metadata = metadata
}

func (c *Conversation) json() ojson.Value {
	c.mu.Lock()
	defer c.mu.Unlock()
	metadata := c.metadata
	if metadata.IsNullOrAbsent() {
		metadata = ojson.Object()
	}
	return ojson.Object(
		ojson.M("id", ojson.String(c.name.id)), ojson.M("object", ojson.String("conversation")),
		ojson.M("created_at", ojson.Int(c.created)), ojson.M("metadata", metadata),
	)
}

// item returns the item with this id. In place of an unknown one it is the error of the real
// service.
func (c *Conversation) item(id string) (ojson.Value, *apierror.Error) {
	for _, item := range c.items() {
		if item.Get("id").Text() == id {
			return item, nil
		}
	}
	return ojson.Value{}, apierror.NotStored("Item", id)
}
