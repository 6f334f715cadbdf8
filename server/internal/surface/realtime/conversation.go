package realtime

import (
	"fmt"
	"slices"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
)

// entry is one item of a conversation.
type entry struct {
	id    string
	item  ojson.Value
	lasts time.Duration // lasts is how long the sound of a message is.
	audio []byte        // audio is the sound that the client sent, in base64.
	// unheard says that the item is sound of the client of which no reply has said yet what it says.
	unheard bool
}

// conversation is the list of items of a session.
type conversation struct {
	entries []*entry
	bytes   int // bytes is about how much memory the items take.
}

// mostItems and mostBytes bound a conversation.
const (
	mostItems = 10_000
	mostBytes = 32 << 20
)

func (c *conversation) find(id string) *entry {
	if i := c.index(id); i >= 0 {
		return c.entries[i]
	}
	return nil
}

// index returns the position of the last item with this id; -1 if there is none.
func (c *conversation) index(id string) int {
	for i := range slices.Backward(c.entries) {
		if c.entries[i].id == id {
			return i
		}
	}
	return -1
}

// last returns the id of the last item; null if there is none.
func (c *conversation) last() ojson.Value {
	if n := len(c.entries); n > 0 {
		return ojson.String(c.entries[n-1].id)
	}
	return ojson.Null()
}

// room returns the error for an item of this size that the conversation has no room for; nil if it has.
func (c *conversation) room(size int) *apierror.Error {
	if len(c.entries) >= mostItems || c.bytes+size > mostBytes {
		return apierror.Bad("", apierror.CodeTurns, "The conversation is full: this server keeps at most %d items and %d bytes for a session. Delete items, or begin another session.", mostItems, mostBytes)
	}
	return nil
}

// insert adds an item behind the one at a position, -1 being the front.
func (c *conversation) insert(behind int, e *entry) {
	c.entries = slices.Insert(c.entries, behind+1, e)
	c.bytes += e.size()
}

func (e *entry) size() int { return e.item.Size() + len(e.audio) }

// set replaces an item.
func (c *conversation) set(e *entry, item ojson.Value) {
	c.bytes -= e.size()
	e.item = item
	c.bytes += e.size()
}

func (c *conversation) remove(i int) {
	c.bytes -= c.entries[i].size()
	c.entries = slices.Delete(c.entries, i, i+1)
}

// input returns the items as the input of a request.
func (c *conversation) input() ojson.Value {
	list := ojson.Array()
	for _, e := range c.entries {
		list.Push(e.item)
	}
	return list
}

// readClientItem checks an item that the client creates, and returns it as the service sends it back: with its id, its status
// if it has one, and without its sound, which is returned apart.
func readClientItem(v ojson.Value, id string) (e *entry, _ *apierror.Error) {
	if v.Kind() != ojson.ObjectKind {
		return nil, missing("item")
	}
	e = &entry{id: v.Get("id").Text()}
	if e.id == "" {
		e.id = id
	}
	text := func(name string) ojson.Value { return v.Get(name).Or(ojson.String("")) }
	out := ojson.Object(ojson.M("id", ojson.String(e.id)), ojson.M("type", v.Get("type")))
	switch kind := v.Get("type").Text(); kind {
	case itemMessage:
		content, err := e.content(v)
		if err != nil {
			return nil, err
		}
		out.SetAll([]ojson.Member{ojson.M("status", v.Get("status").Or(ojson.String(statusCompleted))), ojson.M("role", v.Get("role")), ojson.M("content", content)})
	case itemCall:
		out.SetAll([]ojson.Member{
			ojson.M("status", v.Get("status").Or(ojson.String(statusCompleted))), ojson.M("name", text("name")),
			ojson.M("call_id", text("call_id")), ojson.M("arguments", text("arguments")),
		})
	case itemResult:
		if v.Get("call_id").Text() == "" {
			return nil, missing("item.call_id")
		}
		out.SetAll([]ojson.Member{ojson.M("call_id", text("call_id")), ojson.M("output", text("output"))})
	case "":
		return nil, missing("item.type")
	default:
		if slices.Contains(itemsUnplayed, kind) {
			return nil, notPlayed("items of the type " + kind)
		}
		return nil, request.NotOneOf("item.type", kind, []string{itemMessage, itemCall, itemResult})
	}
	e.item = out.Detached()
	return e, nil
}

// partsOf are the types of the parts of a message, by its role.
var partsOf = map[string][]string{
	"user": {"input_text", "input_audio", "input_image"}, "system": {"input_text"}, "assistant": {"output_text", "output_audio"},
}

// content checks the parts of a message. The sound of the client is kept apart.
func (e *entry) content(v ojson.Value) (ojson.Value, *apierror.Error) {
	role := v.Get("role").Text()
	types, known := partsOf[role]
	if !known {
		return ojson.Value{}, request.NotOneOf("item.role", role, []string{"user", "assistant", "system"})
	}
	list := ojson.Array()
	for i, part := range v.Get("content").Items() {
		kind := part.Get("type").Text()
		if !slices.Contains(types, kind) {
			return ojson.Value{}, request.NotOneOf(fmt.Sprintf("item.content[%d].type", i), kind, types)
		}
		if kind == "input_audio" {
			e.audio, e.unheard = []byte(part.Get("audio").Text()), part.Get("transcript").IsNullOrAbsent()
			part = ojson.Object(ojson.M("type", ojson.String(kind)), ojson.M("transcript", part.Get("transcript").Or(ojson.Null())))
		}
		list.Push(part)
	}
	return list, nil
}

// soundAt returns the position of the part with the sound of the client; -1 for an item without.
func (e *entry) soundAt() int {
	for i, part := range slices.Backward(e.item.Get("content").Items()) {
		if part.Get("type").Text() == "input_audio" {
			return i
		}
	}
	return -1
}

// retrieved returns the item as conversation.item.retrieved has it, with its sound.
func (e *entry) retrieved() ojson.Value {
	v := e.item.Clone()
	v.Set("object", ojson.String("realtime.item"))
	if at := e.soundAt(); at >= 0 {
		v.Put(ojson.Path{{Name: "content"}, {IsIndex: true, Index: at}, {Name: "audio"}}, ojson.String(string(e.audio)))
	}
	return v.First("id", "object", "type")
}

func missing(path string) *apierror.Error {
	return apierror.Bad(path, "missing_required_parameter", "Missing required parameter: '%s'.", path)
}

func notPlayed(what string) *apierror.Error {
	return apierror.Bad("", apierror.CodeNotPlayed, "This fake does not play %s.", what)
}
