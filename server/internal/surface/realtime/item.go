package realtime

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// The types of items.
const (
	itemMessage = "message"
	itemCall    = "function_call"
	itemResult  = "function_call_output"
)

// itemsUnplayed are the types of items that sessions do not take.
var itemsUnplayed = []string{"mcp_approval_response", "mcp_call", "mcp_list_tools", "mcp_approval_request"}

// The statuses of items and responses.
const (
	statusInProgress = "in_progress"
	statusCompleted  = "completed"
	statusIncomplete = "incomplete"
	statusFailed     = "failed"
	statusCancelled  = "cancelled"
)

// item is one item of the output.
type item struct {
	kind   string
	id     ojson.Value
	index  int
	status string
	text   surface.Text // text is the words of a message, or the arguments of a call.
	spoken bool         // spoken says that the part of a message is sound.

	call         int         // call is the index of the call in the script.
	callID, name ojson.Value // callID and name are the members of a call.
}

// value returns the item as it is by now.
func (i *item) value(o *surface.Options) ojson.Value {
	v := ojson.Object(ojson.M("id", i.id), ojson.M("type", ojson.String(i.kind)), ojson.M("status", ojson.String(i.status)))
	if i.kind == itemCall {
		v.SetAll([]ojson.Member{ojson.M("name", i.name.Or(ojson.String(""))), ojson.M("call_id", i.callID), ojson.M("arguments", i.text.Value(o))})
		return v
	}
	content := ojson.Array()
	if i.status != statusInProgress {
		content.Push(i.part(o, "output_"))
	}
	v.SetAll([]ojson.Member{ojson.M("role", ojson.String("assistant")), ojson.M("content", content)})
	return v
}

// part returns the part of a message. In items the names of its types begin with output_, in events about parts they do not.
func (i *item) part(o *surface.Options, prefix string) ojson.Value {
	if i.spoken {
		return ojson.Object(ojson.M("type", ojson.String(prefix+"audio")), ojson.M("transcript", i.text.Value(o)))
	}
	return ojson.Object(ojson.M("type", ojson.String(prefix+"text")), ojson.M("text", i.text.Value(o)))
}

// message returns the open message with its part, and opens both if needed.
func (s *speaker) message() *item {
	n := len(s.items)
	if n == 0 || s.items[n-1].kind != itemMessage || s.items[n-1].status != statusInProgress {
		i := s.openItem(itemMessage, func(i *item) { i.spoken = s.options.Want.Voice != 0 })
		s.emit("response.content_part.added", "", s.partMembers(i)...)
	}
	return s.items[len(s.items)-1]
}

// partMembers returns the members of an event that carries a part of a message. On Azure such an event carries the part
// twice.
func (s *speaker) partMembers(i *item) []ojson.Member {
	part := i.part(s.options, "")
	members := append(s.insidePart(i), ojson.M("part", part))
	if s.options.Want.Layout == scenarios.LayoutAzure {
		members = append(members, ojson.M("content", part))
	}
	return members
}

// openItem opens an item of this type; fill sets its members. The items before it are closed, but for calls that a later
// group goes on with.
func (s *speaker) openItem(kind string, fill func(*item)) *item {
	s.open()
	s.closeItems(s.at, statusCompleted)
	i := &item{kind: kind, index: len(s.items), status: statusInProgress}
	fill(i)
	if written := s.options.Envelope.ItemIDs; len(s.items) < len(written) {
		i.id = ojson.String(written[len(s.items)])
	} else {
		i.id = s.options.NewID("item_")
	}
	previous := hole.Value(holePrevious)
	if n := len(s.items); n > 0 {
		previous = s.items[n-1].id
	}
	s.items = append(s.items, i)
	value := i.value(s.options)
	s.emit("response.output_item.added", "", s.whole(i, value)...)
	if s.options.Want.Conversation {
		s.emit("conversation.item.added", "", ojson.M("previous_item_id", previous), ojson.M("item", value))
	}
	return i
}

// closeItems closes the open items with this status. Calls that the group at this position or a later one goes on with
// stay open.
func (s *speaker) closeItems(at int, status string) {
	for n, i := range s.items {
		if i.status == statusInProgress && (i.kind != itemCall || s.ends[i.call] < at) {
			s.closeItem(n, i, status)
		}
	}
}

func (s *speaker) closeItem(n int, i *item, status string) {
	switch {
	case i.kind == itemCall:
		s.emit("response.function_call_arguments.done", "", append(s.inside(i),
			ojson.M("call_id", i.callID), ojson.M("name", i.name.Or(ojson.String(""))), ojson.M("arguments", i.text.Value(s.options)))...)
	case i.spoken:
		s.emit("response.output_audio.done", "", s.insidePart(i)...)
		s.emit("response.output_audio_transcript.done", "", append(s.insidePart(i), ojson.M("transcript", i.text.Value(s.options)))...)
	default:
		s.emit("response.output_text.done", "", append(s.insidePart(i), ojson.M("text", i.text.Value(s.options)))...)
	}
	if i.kind == itemMessage {
		s.emit("response.content_part.done", "", s.partMembers(i)...)
	}
	i.status = status
	value := i.value(s.options)
	if s.options.Want.Conversation {
		// Recordings name no item here if the one before is the first of the conversation.
		previous := hole.Value(holePreviousDone)
		if n > 0 {
			previous = s.items[n-1].id
		}
		s.emit("conversation.item.done", "", ojson.M("previous_item_id", previous), ojson.M("item", value))
	}
	s.emit("response.output_item.done", "", s.whole(i, value)...)
}

// inside returns the members by which an event names its item.
func (s *speaker) inside(i *item) []ojson.Member {
	return []ojson.Member{ojson.M("response_id", hole.Value(surface.HoleID)), ojson.M("item_id", i.id), ojson.M("output_index", ojson.Int(int64(i.index)))}
}

// insidePart returns the members by which an event names the part of a message.
func (s *speaker) insidePart(i *item) []ojson.Member {
	return append(s.inside(i), ojson.M("content_index", ojson.Int(0)))
}

// whole returns the members of an event of the response that has the whole item.
func (s *speaker) whole(i *item, value ojson.Value) []ojson.Member {
	return []ojson.Member{ojson.M("response_id", hole.Value(surface.HoleID)), ojson.M("output_index", ojson.Int(int64(i.index))), ojson.M("item", value)}
}

func (s *speaker) output() ojson.Value {
	list := ojson.Array()
	for _, i := range s.items {
		list.Push(i.value(s.options))
	}
	return list
}
