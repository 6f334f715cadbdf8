package responses

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
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

type item struct {
	kind   string
	id     ojson.Value
	index  int
	status string
	role   ojson.Value

	parts []*part // parts are the parts of a message or of reasoning, or the text of a call. Only the last can be open.

	raw bool // raw says that the item is opened for raw reasoning.

	// encrypted is the encrypted_content so far, if the request includes it. sealed is the one
	// that the author wrote for the closed item.
	encrypted, sealed ojson.Value

	call         int         // call is the index of the call in the script.
	callID, name ojson.Value // callID and name are the members of a call.

	// more are further members that the author wrote. ends is the status that the author wrote;
	// "" if it follows from the answer.
	more ojson.Value
	ends string
	// told is an item that the author wrote whole; finished says that its last event was
	// written.
	told     *ToldItem
	finished bool
}

func (i *item) isOpen() bool { return i.status == statusInProgress }

func (i *item) isCall() bool { return i.kind == Function || i.kind == Custom }

func (i *item) lastPart() *part {
	if n := len(i.parts); n > 0 {
		return i.parts[n-1]
	}
	return nil
}

func (i *item) value() ojson.Value {
	switch {
	case i.told != nil && i.finished:
		return i.told.Done
	case i.told != nil:
		return i.told.Added
	}
	v := ojson.Object(ojson.M("id", i.id), ojson.M("type", ojson.String(i.kind)))
	if i.kind != Reasoning {
		v.Set("status", ojson.String(i.status))
	}
	v.SetAll(i.typeMembers())
	v.SetAll(i.more.Members())
	return inItemOrder(v)
}

// typeMembers returns the members that items of the type have. Reasoning has content only if it is opened
// for raw text, or has some.
func (i *item) typeMembers() []ojson.Member {
	switch i.kind {
	case Message:
		return []ojson.Member{ojson.M("content", ojson.Array(i.partsIn("content")...)), ojson.M("role", i.role)}
	case Reasoning:
		members := []ojson.Member{ojson.M("encrypted_content", i.encrypted), ojson.M("summary", ojson.Array(i.partsIn("summary")...))}
		if content := i.partsIn("content"); i.raw || len(content) > 0 {
			members = append(members, ojson.M("content", ojson.Array(content...)))
		}
		return members
	}
	text := ojson.String("")
	if p := i.lastPart(); p != nil {
		text = p.wholeText()
	}
	return []ojson.Member{ojson.M("call_id", i.callID), ojson.M("name", i.name), ojson.M(alwaysIn(i.kind).member, text)}
}

// partsIn returns the parts in one of the lists, as they are by now.
func (i *item) partsIn(list string) (values []ojson.Value) {
	for _, p := range i.parts {
		if p.of.list() == list {
			values = append(values, p.value(roundedLogprobs(p.logprobs)))
		}
	}
	return values
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
	s.closeItems(s.At, statusCompleted)
	i := &item{kind: kind, index: len(s.items), status: statusInProgress, role: s.role.Or(ojson.String("assistant"))}
	fill(i)
	if i.id.IsAbsent() {
		i.id = s.newID(ItemNamed(kind).Prefix)
	}
	s.items = append(s.items, i)
	u := s.emit("response.output_item.added", "", wholeItem(i)...)
	if i.isCall() {
		u.Also = append(u.Also, kindTool)
	}
	return i
}

// newID returns the id of the next item: the one that the envelope has for it, or else a new
// one with this prefix.
func (s *speaker) newID(prefix string) ojson.Value {
	if written := s.Options.Envelope.ItemIDs; len(s.items) < len(written) {
		return ojson.String(written[len(s.items)])
	}
	return s.Options.NewID(prefix)
}

// closeItems closes the open items with this status. Calls that the group at this position or a
// later one goes on with stay open.
func (s *speaker) closeItems(at int, status string) {
	for s.past < len(s.items) && !s.items[s.past].isOpen() {
		s.past++
	}
	for _, i := range s.items[s.past:] {
		if i.isOpen() && (!i.isCall() || s.Ends[i.call] < at) {
			s.closeItem(i, status)
		}
	}
}

func (s *speaker) closeItem(i *item, status string) {
	if of := alwaysIn(i.kind); of != nil && len(i.parts) == 0 {
		s.partIn(i, of)
	}
	s.closePart(i)
	i.status = cmp.Or(i.ends, status)
	s.seal(i)
	s.emit("response.output_item.done", "", wholeItem(i)...)
}

func wholeItem(i *item) []ojson.Member {
	return []ojson.Member{ojson.M("item", i.value()), ojson.M("output_index", ojson.Int(int64(i.index)))}
}

// itemReference returns the members by which an event names its item.
func (s *speaker) itemReference(i *item) []ojson.Member {
	return []ojson.Member{ojson.M("item_id", i.id), ojson.M("output_index", ojson.Int(int64(i.index)))}
}

func (s *speaker) output() ojson.Value {
	list := ojson.Array()
	for _, i := range s.items {
		list.Push(i.value())
	}
	return list
}

var _ script.Itemizer = Surface{}

// CheckItem finds the mistakes in an item as the author wrote it.
func (Surface) CheckItem(item *scenarios.Item) (list diag.List) {
	var members []ojson.Member
	at := map[string]diag.Pos{"": item.Pos}
	for _, m := range item.Members {
		if !m.Foreign {
			members = append(members, ojson.M(m.Name, m.Value))
		}
		at[m.Name] = m.Pos
	}
	for _, p := range ItemProblems(ojson.Object(members...)) {
		list = append(list, diag.Problem{Pos: at[p.In], Message: p.Message, Hint: p.Hint})
	}
	return list
}

// Streamed returns the texts of an item that are sent in pieces.
func (Surface) Streamed(members ojson.Value) (list []script.StreamedText) {
	for _, text := range ItemNamed(members.Get("type").Text()).Streamed(members) {
		list = append(list, script.StreamedText{Value: text.Value, Whole: text.Whole})
	}
	return list
}

func includesOf(req *scenarios.Request) string {
	var names []string
	for _, v := range req.Body.Get("include").Items() {
		names = append(names, v.Text())
	}
	return includes(names)
}

// Include returns the want with more values of include.
func (Surface) Include(want script.Want, names []string) script.Want {
	want.Includes = includes(append(strings.Split(want.Includes, ","), names...))
	want.Logprobs = want.Logprobs || slices.Contains(names, includeLogprobs)
	return want
}

// includes returns the known names among the given ones, in the order of the service, for [script.Want].
func includes(names []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(included), func(name string) bool { return !slices.Contains(names, name) }), ",")
}

func (s *speaker) asks(include string) bool {
	return slices.Contains(strings.Split(s.Options.Want.Includes, ","), include)
}

// saysItem writes all events of an item, or opens one that the steps after it fill.
func (s *speaker) saysItem(beat *script.Item) {
	t := ItemNamed(beat.Members.Get("type").Text())
	told := t.Tell(beat.Members, ItemOptions{ID: s.newID, Draw: s.Options.NewID, Asks: s.asks, Call: s.lastCall, Pieces: beat.Pieces})
	if t.Opens {
		s.openWritten(t, beat.Members, told.Added)
		return
	}
	if id := told.Done.Get("call_id"); !id.IsAbsent() {
		s.lastCall = id
	}
	i := s.openItem(t.Name, func(i *item) { i.id, i.told = told.Done.Get("id"), &told })
	for _, said := range told.Events {
		members := slices.Concat(s.itemReference(i), said.Members)
		if said.NoID {
			members = members[1:]
		}
		kind := ""
		if said.IsDelta {
			kind = kindTool
		}
		s.emitPaced("response."+said.Name, kind, members...)
	}
	i.finished = true
	i.status = statusCompleted
	s.emitPaced("response.output_item.done", "", wholeItem(i)...)
}

// openWritten opens an item with the members that the author wrote.
func (s *speaker) openWritten(t *ItemType, written, added ojson.Value) {
	s.openItem(t.Name, func(i *item) {
		i.id, i.ends = added.Get("id"), written.Get("status").Text()
		i.more = ojson.Object()
		for _, m := range added.Members() {
			switch m.Name {
			case "id", "type", "status", "content", "summary":
			case "role":
				i.role = m.Value
			default:
				i.more.Set(m.Name, m.Value)
			}
		}
	})
}
