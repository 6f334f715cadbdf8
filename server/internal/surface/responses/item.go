package responses

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses/hosted"
)

// The statuses of items and responses.
const (
	statusQueued     = "queued"
	statusInProgress = "in_progress"
	statusCompleted  = "completed"
	statusIncomplete = "incomplete"
	statusFailed     = "failed"
	statusCancelled  = "cancelled"
)

// item is one output item.
type item struct {
	kind   string
	id     ojson.Value
	index  int
	status string
	role   ojson.Value

	parts []*part // parts are the parts of a message or of reasoning. Only the last can be open.

	// encrypted is the encrypted_content so far, if the request includes it. sealed is the one
	// that the author wrote for the closed item.
	encrypted, sealed ojson.Value

	call         int         // call is the index of the call in the script.
	callID, name ojson.Value // callID and name are the members of a call.
	arguments    buffer      // arguments are the arguments of a call so far.

	// more are further members that the author wrote. ends is the status that the author wrote;
	// "" if it follows from the answer.
	more ojson.Value
	ends string
	// told is an item that the author wrote whole; finished says that its last event was
	// written.
	told     *hosted.Told
	finished bool
}

func (i *item) isOpen() bool { return i.status == statusInProgress }

func (i *item) isCall() bool { return i.kind == hosted.Function || i.kind == hosted.Custom }

// part is one part of an item.
type part struct {
	kind        string
	index       int
	text        buffer
	annotations []ojson.Value
	logprobs    []ojson.Value
	closed      bool
}

// The types of parts.
const (
	partText      = "output_text"
	partRefusal   = "refusal"
	partSummary   = "summary_text"
	partReasoning = "reasoning_text"
)

// buffer is a text to which pieces are added.
type buffer struct {
	text strings.Builder
	open ojson.Value // open is a hole that only a request fills; Absent if there is none.
}

// add adds a piece.
func (b *buffer) add(v ojson.Value) {
	if _, isHole := hole.In(v); isHole {
		b.open = v
		return
	}
	b.text.WriteString(v.Text())
}

// value returns the whole text, or the hole that stands for it.
func (b *buffer) value() ojson.Value {
	if !b.open.IsAbsent() {
		return b.open
	}
	return ojson.String(b.text.String())
}

// value returns the item as it is by now.
func (i *item) value() ojson.Value {
	switch {
	case i.told != nil && i.finished:
		return i.told.Done
	case i.told != nil:
		return i.told.Added
	}
	v := i.filled()
	if len(i.more.Members()) == 0 {
		return v
	}
	v.SetAll(i.more.Members())
	return hosted.InOrder(v)
}

// filled returns an item that steps fill, as it is by now.
func (i *item) filled() ojson.Value {
	status := ojson.M("status", ojson.String(i.status))
	id, kind := ojson.M("id", i.id), ojson.M("type", ojson.String(i.kind))
	switch i.kind {
	case hosted.Message:
		return ojson.Object(id, kind, status, ojson.M("content", i.list(partText, partRefusal)), ojson.M("role", i.role))
	case hosted.Reasoning:
		return i.reasoning(id, kind)
	case hosted.Custom:
		return ojson.Object(id, kind, status, ojson.M("call_id", i.callID), ojson.M("input", i.arguments.value()), ojson.M("name", i.name))
	}
	return ojson.Object(id, kind, status, ojson.M("arguments", i.arguments.value()), ojson.M("call_id", i.callID), ojson.M("name", i.name))
}

// list returns the parts of these kinds.
func (i *item) list(kinds ...string) ojson.Value {
	list := ojson.Array()
	for _, p := range i.parts {
		if slices.Contains(kinds, p.kind) {
			list.Push(p.value(roundedLogprobs(p.logprobs)))
		}
	}
	return list
}

// next returns the index for the next part of a kind. Parts of a summary are counted apart from
// all others, which are content.
func (i *item) next(kind string) (n int) {
	for _, p := range i.parts {
		if (p.kind == partSummary) == (kind == partSummary) {
			n++
		}
	}
	return n
}

// value returns the part with its text so far. Parts have log-probabilities only inside of
// items.
func (p *part) value(logprobs ojson.Value) ojson.Value {
	kind := ojson.M("type", ojson.String(p.kind))
	switch p.kind {
	case partText:
		return ojson.Object(kind, ojson.M("annotations", ojson.Array(p.annotations...)), ojson.M("logprobs", logprobs), ojson.M("text", p.text.value()))
	case partRefusal:
		return ojson.Object(kind, ojson.M("refusal", p.text.value()))
	}
	return ojson.Object(kind, ojson.M("text", p.text.value()))
}

// current returns the open item; nil if there is none.
func (s *speaker) current() *item {
	if n := len(s.items); n > 0 && s.items[n-1].isOpen() {
		return s.items[n-1]
	}
	return nil
}

// openItem opens an item of this type; fill sets its members. The item before it is closed,
// unless it is a call that a later group goes on with.
func (s *speaker) openItem(kind string, fill func(*item)) *item {
	s.open()
	s.closeItems(s.at, statusCompleted)
	i := &item{kind: kind, index: len(s.items), status: statusInProgress, role: ojson.String("assistant")}
	if !s.role.IsAbsent() {
		i.role = s.role
	}
	if fill != nil {
		fill(i)
	}
	if i.id.IsAbsent() {
		i.id = s.newID(hosted.Named(kind).Prefix)
	}
	s.items = append(s.items, i)
	u := s.emit("response.output_item.added", "", ojson.M("item", i.value()), ojson.M("output_index", ojson.Int(int64(i.index))))
	if i.isCall() {
		u.Also = append(u.Also, kindTool)
	}
	return i
}

// newID returns the id of the next item: the one that the envelope has for it, or else a new
// one with this prefix.
func (s *speaker) newID(prefix string) ojson.Value {
	if written := s.options.Envelope.ItemIDs; len(s.items) < len(written) {
		return ojson.String(written[len(s.items)])
	}
	return s.options.NewID(prefix)
}

// closeItems closes the open items: the last with this status, the others completed. Calls that
// the group at this position or a later one goes on with stay open.
func (s *speaker) closeItems(at int, status string) {
	for _, i := range s.items {
		if !i.isOpen() || i.isCall() && s.ends[i.call] >= at {
			continue
		}
		end := statusCompleted
		if i.index == len(s.items)-1 {
			end = status
		}
		s.closeItem(i, end)
	}
}

func (s *speaker) closeItem(i *item, status string) {
	if i.kind == hosted.Message && len(i.parts) == 0 {
		s.part(hosted.Message, partText) // a message that nothing fills has an empty text
	}
	s.closePart(i)
	switch i.kind {
	case hosted.Function:
		s.emit("response.function_call_arguments.done", "", append(s.inside(i), ojson.M("arguments", i.arguments.value()))...)
	case hosted.Custom:
		s.emit("response.custom_tool_call_input.done", "", append(s.inside(i), ojson.M("input", i.arguments.value()))...)
	}
	i.status = cmp.Or(i.ends, status)
	s.seal(i)
	s.emit("response.output_item.done", "", ojson.M("item", i.value()), ojson.M("output_index", ojson.Int(int64(i.index))))
}

// inside returns the members by which an event names its item.
func (s *speaker) inside(i *item) []ojson.Member {
	return []ojson.Member{ojson.M("item_id", i.id), ojson.M("output_index", ojson.Int(int64(i.index)))}
}

// insidePart returns the members by which an event names its part.
func (s *speaker) insidePart(i *item, p *part) []ojson.Member {
	name := "content_index"
	if p.kind == partSummary {
		name = "summary_index"
	}
	return append(s.inside(i), ojson.M(name, ojson.Int(int64(p.index))))
}

// part returns the open part of this kind in an item of this type, and opens both if needed.
func (s *speaker) part(itemKind, kind string) (*item, *part) {
	i := s.current()
	if i == nil || i.kind != itemKind {
		i = s.openItem(itemKind, s.opening(itemKind))
	}
	if n := len(i.parts); n > 0 && !i.parts[n-1].closed {
		if i.parts[n-1].kind == kind {
			return i, i.parts[n-1]
		}
		s.closePart(i)
	}
	p := &part{kind: kind, index: i.next(kind)}
	i.parts = append(i.parts, p)
	s.emit(partEvent(p)+".added", "", append(s.insidePart(i, p), ojson.M("part", p.value(ojson.Array())))...)
	return i, p
}

// closePart closes the open part of an item, if it has one.
func (s *speaker) closePart(i *item) {
	n := len(i.parts)
	if n == 0 || i.parts[n-1].closed {
		return
	}
	p := i.parts[n-1]
	p.closed = true
	done := s.insidePart(i, p)
	switch p.kind {
	case partText:
		done = append(done, ojson.M("logprobs", ojson.Array(p.logprobs...)), ojson.M("text", p.text.value()))
	case partRefusal:
		done = append(done, ojson.M("refusal", p.text.value()))
	default:
		done = append(done, ojson.M("text", p.text.value()))
	}
	s.emit(textEvent(p)+".done", "", done...)
	s.emit(partEvent(p)+".done", "", append(s.insidePart(i, p), ojson.M("part", p.value(ojson.Array())))...)
}

// partEvent returns the type, without its last word, of the events that open and close a part.
func partEvent(p *part) string {
	if p.kind == partSummary {
		return "response.reasoning_summary_part"
	}
	return "response.content_part"
}

// textEvent returns the type, without its last word, of the events that bring the text of a
// part.
func textEvent(p *part) string {
	if p.kind == partSummary {
		return "response.reasoning_summary_text"
	}
	return "response." + p.kind
}

// output returns the items as they are by now.
func (s *speaker) output() ojson.Value {
	list := ojson.Array()
	for _, i := range s.items {
		list.Push(i.value())
	}
	return list
}
