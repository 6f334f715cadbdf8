package chat

import (
	"cmp"
	"maps"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// Fold combines chunks into one completion, by the rules of the clients' accumulators.
func (on Surface) Fold(units []compile.Unit, o surface.Options) ojson.Value {
	o.Envelope.Object = scenarios.Opt[scenarios.Text]{}
	objects := on.Info().Objects
	f := folder{dialect: on.dialect(), options: &o, head: map[string]ojson.Value{}}
	for i := range units {
		if u := &units[i]; u.Paced && u.Kind != "error" {
			f.add(f.chunkOf(u))
		}
	}
	return f.completion(on.newSpeaker(&o, objects[len(objects)-1]))
}

// chunkOf returns the chunk of a unit: for a series, the one chunk that has the texts of all pieces.
func (f *folder) chunkOf(u *compile.Unit) ojson.Value {
	if u.Series == 0 {
		return u.JSON
	}
	var text surface.Text
	text.Add(hole.Value(hole.Piece), u.Series)
	joined := text.Value(f.options)
	return hole.Fill(u.JSON, func(id hole.ID) (ojson.Value, bool) { return joined, id == hole.Piece })
}

// folder accumulates chunks as clients do.
type folder struct {
	*dialect
	options *surface.Options
	head    map[string]ojson.Value // head holds the members of the envelope that a chunk overwrites.
	choices []*foldedChoice
	usage   ojson.Value
	extra   []ojson.Member // extra holds all other members of all chunks.
}

// foldedChoice is what the chunks so far say for one choice.
type foldedChoice struct {
	index    int64
	said     folded // said is the delta, without tool_calls.
	calls    []*foldedCall
	logprobs ojson.Value
	finish   ojson.Value
	others   ojson.Value // others holds what providers add beside the delta.
}

type foldedCall struct {
	index int64
	folded
}

func (f *folder) add(chunk ojson.Value) {
	if usage := chunk.Get("usage"); usage.Kind() == ojson.ObjectKind {
		f.usage = usage
	}
	for _, m := range chunk.Members() {
		f.keepMember(m)
	}
	for _, c := range chunk.Get("choices").Items() {
		if c.Kind() == ojson.ObjectKind {
			f.choice(c).add(c, f.dialect)
		}
	}
}

// keepMember keeps a member of a chunk for the folded answer: the first id, created and model, and the last value of any
// other member. Choices are not kept here.
func (f *folder) keepMember(m ojson.Member) {
	switch m.Name {
	case "choices", "usage", "object", "obfuscation":
		return
	case "id", "created", "model":
		if old, ok := f.head[m.Name]; ok && !empty(old) {
			return
		}
	case "service_tier", "system_fingerprint":
		if m.Value.IsNull() {
			return
		}
	default:
		f.extra = append(f.extra, m)
		return
	}
	f.head[m.Name] = m.Value
}

func (f *folder) choice(c ojson.Value) *foldedChoice {
	index, _ := c.Get("index").Int()
	for _, old := range f.choices {
		if old.index == index {
			return old
		}
	}
	added := &foldedChoice{index: index, said: folded{options: f.options}}
	f.choices = append(f.choices, added)
	return added
}

func (c *foldedChoice) add(choice ojson.Value, of *dialect) {
	for _, m := range choice.Get("delta").Members() {
		if m.Name != "tool_calls" {
			c.said.addMember(m)
			continue
		}
		for _, fragment := range m.Value.Items() {
			c.call(fragment).add(fragment)
		}
	}
	if text := choice.Get("text"); of.delta == "text" && !text.IsAbsent() {
		c.said.addMember(ojson.M("content", text))
	}
	if more := choice.Get("logprobs"); more.Kind() == ojson.ObjectKind {
		c.addLogprobs(more, of.logprobs)
	}
	if reason := choice.Get("finish_reason"); reason.Text() != "" {
		c.finish = reason
	}
	c.keepOthers(choice, "index", of.delta, "logprobs", "finish_reason")
}

// keepOthers copies the members of a choice, except the known ones. As clients do, it keeps the
// last value of each, but null and an empty object replace nothing.
func (c *foldedChoice) keepOthers(choice ojson.Value, known ...string) {
	for _, m := range choice.Members() {
		if slices.Contains(known, m.Name) {
			continue
		}
		if c.others.IsAbsent() {
			c.others = ojson.Object()
		}
		empty := m.Value.IsNull() || m.Value.Kind() == ojson.ObjectKind && len(m.Value.Members()) == 0
		if !empty || c.others.Get(m.Name).IsAbsent() {
			c.others.Set(m.Name, m.Value)
		}
	}
}

// call returns the call that a fragment belongs to: the one with its index. A fragment
// without an index continues the last call, unless it starts one, with an id or another
// name.
func (c *foldedChoice) call(fragment ojson.Value) *foldedCall {
	index, indexed := fragment.Get("index").Int()
	switch last := len(c.calls) - 1; {
	case indexed:
		for _, old := range c.calls {
			if old.index == index {
				return old
			}
		}
	case last >= 0 && !c.calls[last].isEndedBy(fragment):
		return c.calls[last]
	case last >= 0:
		index = slices.MaxFunc(c.calls, func(a, b *foldedCall) int { return cmp.Compare(a.index, b.index) }).index + 1
	}
	added := &foldedCall{index: index, folded: folded{options: c.said.options}}
	c.calls = append(c.calls, added)
	return added
}

// isEndedBy reports whether a fragment without an index starts another call.
func (k *foldedCall) isEndedBy(fragment ojson.Value) bool {
	another := func(known, said ojson.Value) bool { return !empty(said) && !empty(known) && !ojson.Equal(known, said) }
	name := func(call ojson.Value) ojson.Value {
		return call.Get("function").Or(call.Get("custom")).Get("name")
	}
	id := fragment.Get("id")
	return another(k.get("id"), id) || empty(id) && another(name(k.json()), name(fragment))
}

func appendItems(list *ojson.Value, more ojson.Value) {
	if more.Kind() != ojson.ArrayKind {
		return
	}
	if list.Kind() != ojson.ArrayKind {
		*list = ojson.Array()
	}
	for _, item := range more.Items() {
		list.Push(item)
	}
}

// lastOfEach returns, of the members with the same name, the last in its place.
func lastOfEach(members []ojson.Member) (last []ojson.Member) {
	seen := map[string]bool{}
	for _, m := range slices.Backward(members) {
		if !seen[m.Name] {
			seen[m.Name] = true
			last = append(last, m)
		}
	}
	slices.Reverse(last)
	return last
}

// completion is the whole answer. The speaker has the members that no chunk overwrites.
func (f *folder) completion(s *speaker) ojson.Value {
	slices.SortFunc(f.choices, func(a, b *foldedChoice) int { return cmp.Compare(a.index, b.index) })
	choices := ojson.Array()
	for _, c := range f.choices {
		choices.Push(c.value(s))
	}
	members := s.head
	maps.Copy(members, f.head)
	members["choices"], members["usage"] = choices, f.usage
	v := ojson.Object()
	for _, name := range f.whole {
		v.Set(name, members[name])
	}
	v.SetAll(lastOfEach(f.extra))
	if s.sorted {
		v = sorted(v)
	}
	return s.options.AmendEverywhere(v, func(p ojson.Path) []ojson.Path { return s.on.placesOf(p, f.message, len(f.choices)) })
}

func (c *foldedChoice) value(s *speaker) ojson.Value {
	said := c.message()
	if s.on.legacy {
		said = asText(c.said.get("content"))
	}
	v := s.on.choice(c.index, s.on.dialect().message, said)
	switch {
	case !c.logprobs.IsAbsent():
		v.Set("logprobs", c.logprobs)
	case s.logprobs:
		v.Set("logprobs", ojson.Null())
	}
	v.Set("finish_reason", c.reason())
	v.SetAll(c.others.Members())
	return v
}

// reason is the finish reason; null if no chunk had one. The chunks of an audio answer
// have none, but the whole answer has stop.
func (c *foldedChoice) reason() ojson.Value {
	switch {
	case !c.finish.IsAbsent():
		return c.finish
	case !c.said.get("audio").IsAbsent():
		return ojson.String("stop")
	}
	return ojson.Null()
}

// message has its members in the recorded order: role, content, tool_calls, refusal,
// audio, annotations. Those of other providers follow the content.
func (c *foldedChoice) message() ojson.Value {
	said := c.said.json()
	v := ojson.Object(ojson.M("role", ojson.String(cmp.Or(said.Get("role").Text(), "assistant"))), ojson.M("content", c.content(said)))
	for _, m := range said.Members() {
		if known := memberNamed(m.Name); known.name == "" || known.unofficial {
			v.Set(m.Name, m.Value)
		}
	}
	if function := said.Get("function_call"); !function.IsAbsent() {
		v.Set("function_call", callBody(function, "arguments"))
	}
	v.Set("tool_calls", c.toolCalls())
	v.Set("refusal", said.Get("refusal").Or(ojson.Null()))
	if audio := said.Get("audio"); !audio.IsAbsent() {
		ordered := ojson.Object()
		for _, name := range []string{"id", "data", "expires_at", "transcript"} {
			ordered.Set(name, audio.Get(name))
		}
		ordered.SetMissing(audio.Members())
		v.Set("audio", ordered)
	}
	v.Set("annotations", said.Get("annotations").Or(ojson.Array()))
	return v
}

// content is null if no chunk had any, and beside calls if the content is empty.
func (c *foldedChoice) content(said ojson.Value) ojson.Value {
	content := said.Get("content").Or(ojson.Null())
	instead := len(c.calls) > 0 || said.Get("refusal").Text() != "" || !said.Get("function_call").IsAbsent() || !said.Get("audio").IsAbsent()
	if instead && content.Kind() == ojson.StringKind && content.Text() == "" {
		return ojson.Null()
	}
	return content
}

// toolCalls is the list of calls; Absent if there is none.
func (c *foldedChoice) toolCalls() ojson.Value {
	if len(c.calls) == 0 {
		return ojson.Value{}
	}
	slices.SortStableFunc(c.calls, func(a, b *foldedCall) int { return cmp.Compare(a.index, b.index) })
	calls := ojson.Array()
	for _, k := range c.calls {
		said := k.json()
		member, payload := "function", "arguments"
		if !said.Get("custom").IsAbsent() {
			member, payload = "custom", "input"
		}
		call := ojson.Object(
			ojson.M("id", unlessEmpty(said.Get("id"))), ojson.M("type", unlessEmpty(said.Get("type")).Or(ojson.String(member))),
			ojson.M(member, callBody(said.Get(member), payload)),
		)
		for _, m := range said.Members() {
			if !slices.Contains([]string{"index", "id", "type", "function", "custom"}, m.Name) {
				call.Set(m.Name, m.Value)
			}
		}
		calls.Push(call)
	}
	return calls
}

// callBody is the function member of a call, or the custom member of a call of a custom
// tool.
func callBody(said ojson.Value, payload string) ojson.Value {
	v := ojson.Object(ojson.M("name", unlessEmpty(said.Get("name")).Or(ojson.String(""))), ojson.M(payload, asText(said.Get(payload))))
	v.SetMissing(said.Members())
	return v
}

// asText returns a text or a hole for one; an empty text for anything else.
func asText(v ojson.Value) ojson.Value {
	if _, open := hole.In(v); open {
		return v
	}
	return ojson.String(v.Text())
}

func unlessEmpty(v ojson.Value) ojson.Value {
	if empty(v) {
		return ojson.Value{}
	}
	return v
}

// folded is the value of a member that comes in pieces: it joins texts and lists, and combines
// objects member by member. Of anything else the last value stays, but null replaces nothing. The
// Python client does the same with members that it does not know. The zero value has no piece yet.
type folded struct {
	options *surface.Options
	kind    ojson.Kind
	text    surface.Text
	value   ojson.Value // value is the value if it is no text, list or object.
	names   []string    // names are the names of an object's members, in order.
	members map[string]*folded
	items   []*folded
}

// saidOnce are members of which the first value that is not empty stays.
var saidOnce = []string{"role", "id", "type", "name"}

func (f *folded) add(v ojson.Value) {
	kind := v.Kind()
	if _, open := hole.In(v); open {
		kind = ojson.StringKind
	}
	switch {
	case v.IsNull() && f.kind != ojson.Absent:
		return
	case kind != f.kind:
		*f = folded{options: f.options, kind: kind}
	}
	switch kind {
	case ojson.StringKind:
		f.text.Add(v, 0)
	case ojson.ArrayKind:
		for _, item := range v.Items() {
			f.item(item).add(item)
		}
	case ojson.ObjectKind:
		for _, m := range v.Members() {
			f.addMember(m)
		}
	default:
		f.value = v
	}
}

func (f *folded) addMember(m ojson.Member) {
	f.kind = ojson.ObjectKind
	known := f.members[m.Name]
	switch {
	case known == nil:
		if f.members == nil {
			f.members = map[string]*folded{}
		}
		known = &folded{options: f.options}
		f.members[m.Name] = known
		f.names = append(f.names, m.Name)
	case slices.Contains(saidOnce, m.Name) && !empty(known.json()):
		return
	}
	known.add(m.Value)
}

// item returns what an item is added to: the item with its index or, if there is none, a new one.
func (f *folded) item(item ojson.Value) *folded {
	index := item.Get("index")
	for _, old := range f.items {
		if !index.IsAbsent() && ojson.Equal(old.get("index"), index) {
			return old
		}
	}
	added := &folded{options: f.options}
	f.items = append(f.items, added)
	return added
}

func (f *folded) get(name string) ojson.Value { return f.members[name].json() }

// json is the value; Absent if there was no piece.
func (f *folded) json() ojson.Value {
	if f == nil {
		return ojson.Value{}
	}
	switch f.kind {
	case ojson.StringKind:
		return f.text.Value(f.options)
	case ojson.ArrayKind:
		list := make([]ojson.Value, len(f.items))
		for i, item := range f.items {
			list[i] = item.json()
		}
		return ojson.Array(list...)
	case ojson.ObjectKind:
		list := make([]ojson.Member, len(f.names))
		for i, name := range f.names {
			list[i] = ojson.M(name, f.get(name))
		}
		return ojson.Object(list...)
	}
	return f.value
}

// empty reports whether a value says nothing.
func empty(v ojson.Value) bool {
	return v.IsNullOrAbsent() || v.Text() == "" || v.Text() == "0"
}
