package chat

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// Fold combines chunks into one completion, by the rules of the clients' accumulators.
func (on Surface) Fold(units []compile.Unit, o surface.Options) ojson.Value {
	o.Object, o.Envelope.Object = "", scenarios.Opt[scenarios.Text]{}
	objects := on.Info().Objects
	f := folder{dialect: on.dialect(), head: map[string]ojson.Value{}}
	for i := range units {
		if u := &units[i]; u.Paced && u.Kind != "error" {
			f.add(u.JSON)
		}
	}
	return f.completion(on.newSpeaker(&o, objects[len(objects)-1]))
}

// folder accumulates chunks as clients do.
type folder struct {
	*dialect
	head    map[string]ojson.Value // head holds the members of the envelope that a chunk overwrites.
	choices []*foldedChoice
	usage   ojson.Value
	extra   []ojson.Member
}

// foldedChoice is what the chunks so far say for one choice.
type foldedChoice struct {
	index int64
	role  string
	// members holds content, refusal and the members that other providers add.
	members            map[string]*foldedMember
	order              []string // order lists the members other than content and refusal, as they appear.
	calls              []*foldedCall
	function           *foldedCall
	audio, annotations ojson.Value
	// audioTexts holds the members of audio that are sent in pieces.
	audioTexts map[string]*strings.Builder
	logprobs   ojson.Value
	finish     ojson.Value
	others     ojson.Value // others holds what providers add beside the delta.
}

type foldedCall struct {
	index          int64
	id, kind, name ojson.Value
	payload        strings.Builder // payload is the call's arguments or input.
	custom         bool
	extra, inner   ojson.Value // extra and inner hold what providers add to a call and to its function.
}

func (f *folder) add(chunk ojson.Value) {
	if usage := chunk.Get("usage"); usage.Kind() == ojson.ObjectKind {
		f.usage = usage
	}
	for _, m := range chunk.Members() {
		f.member(m)
	}
	for _, c := range chunk.Get("choices").Items() {
		if c.Kind() == ojson.ObjectKind {
			f.choice(c).add(c, f.dialect)
		}
	}
}

// member keeps a member of a chunk other than choices: the first id, created and model,
// the last of everything else.
func (f *folder) member(m ojson.Member) {
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
		f.extra = slices.DeleteFunc(f.extra, func(old ojson.Member) bool { return old.Name == m.Name })
		f.extra = append(f.extra, m)
		return
	}
	f.head[m.Name] = m.Value
}

func empty(v ojson.Value) bool {
	return v.IsAbsent() || v.IsNull() || v.Text() == "" || v.Text() == "0"
}

func (f *folder) choice(c ojson.Value) *foldedChoice {
	index, _ := c.Get("index").Int()
	for _, old := range f.choices {
		if old.index == index {
			return old
		}
	}
	added := &foldedChoice{index: index, members: map[string]*foldedMember{}, audioTexts: map[string]*strings.Builder{}}
	f.choices = append(f.choices, added)
	return added
}

func (c *foldedChoice) add(choice ojson.Value, of *dialect) {
	for _, m := range choice.Get("delta").Members() {
		c.member(m)
	}
	if text := choice.Get("text"); of.delta == "text" && !text.IsAbsent() {
		c.addMember(ojson.M("content", text))
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

func (c *foldedChoice) member(m ojson.Member) {
	switch m.Name {
	case "role":
		if c.role == "" {
			c.role = m.Value.Text()
		}
	case "tool_calls":
		for _, fragment := range m.Value.Items() {
			c.call(fragment).add(fragment)
		}
	case "function_call":
		if c.function == nil {
			c.function = &foldedCall{}
		}
		c.function.addPart(m.Value, "arguments")
	case "audio":
		c.addAudio(m.Value)
	case "annotations":
		appendItems(&c.annotations, m.Value)
	default:
		c.addMember(m)
	}
}

func (c *foldedChoice) addMember(m ojson.Member) {
	kept := c.members[m.Name]
	if kept == nil {
		kept = &foldedMember{}
		c.members[m.Name] = kept
		if m.Name != "content" && m.Name != "refusal" {
			c.order = append(c.order, m.Name)
		}
	}
	kept.add(m.Value)
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
	added := &foldedCall{index: index}
	c.calls = append(c.calls, added)
	return added
}

// isEndedBy reports whether a fragment without an index starts another call.
func (k *foldedCall) isEndedBy(fragment ojson.Value) bool {
	another := func(known, said ojson.Value) bool { return !empty(said) && !empty(known) && !ojson.Equal(known, said) }
	name := fragment.Get("function").Get("name")
	if name.IsAbsent() {
		name = fragment.Get("custom").Get("name")
	}
	return another(k.id, fragment.Get("id")) || empty(fragment.Get("id")) && another(k.name, name)
}

func (k *foldedCall) add(fragment ojson.Value) {
	keepFirst(&k.id, fragment.Get("id"))
	keepFirst(&k.kind, fragment.Get("type"))
	keepOthers(&k.extra, fragment, "index", "id", "type", "function", "custom")
	if custom := fragment.Get("custom"); !custom.IsAbsent() {
		k.custom = true
		k.addPart(custom, "input")
		return
	}
	k.addPart(fragment.Get("function"), "arguments")
}

func (k *foldedCall) addPart(v ojson.Value, payload string) {
	keepFirst(&k.name, v.Get("name"))
	k.payload.WriteString(v.Get(payload).Text())
	keepOthers(&k.inner, v, "name", payload)
}

// keepFirst keeps the first value that is not null or empty.
func keepFirst(v *ojson.Value, next ojson.Value) {
	if empty(*v) && !empty(next) {
		*v = next
	}
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

// addAudio appends data and transcript, keeps the last expires_at, and the first of all
// other members.
func (c *foldedChoice) addAudio(v ojson.Value) {
	if c.audio.IsAbsent() {
		c.audio = ojson.Object()
	}
	for _, m := range v.Members() {
		switch {
		case m.Name == "data" || m.Name == "transcript":
			if c.audioTexts[m.Name] == nil {
				c.audioTexts[m.Name] = &strings.Builder{}
			}
			c.audioTexts[m.Name].WriteString(m.Value.Text())
		case m.Name == "expires_at" || empty(c.audio.Get(m.Name)):
			c.audio.Set(m.Name, m.Value)
		}
	}
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
	v.SetAll(f.extra)
	if s.sorted {
		v = sorted(v)
	}
	return s.options.AmendEverywhere(v, func(p ojson.Path) []ojson.Path { return s.on.placesOf(p, f.message, len(f.choices)) })
}

func (c *foldedChoice) value(s *speaker) ojson.Value {
	said := c.message()
	if s.on.legacy {
		said = ojson.String(c.members["content"].json().Text())
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
	case !c.audio.IsAbsent():
		return ojson.String("stop")
	}
	return ojson.Null()
}

// message has its members in the recorded order: role, content, tool_calls, refusal,
// audio, annotations.
func (c *foldedChoice) message() ojson.Value {
	v := ojson.Object(
		ojson.M("role", ojson.String(cmp.Or(c.role, "assistant"))),
		ojson.M("content", c.content()),
	)
	for _, name := range c.order {
		v.Set(name, c.members[name].json())
	}
	if c.function != nil {
		v.Set("function_call", c.function.body("arguments"))
	}
	if len(c.calls) > 0 {
		v.Set("tool_calls", c.toolCalls())
	}
	v.Set("refusal", c.members["refusal"].json())
	v.Set("audio", c.audioInOrder())
	v.Set("annotations", orElse(c.annotations, ojson.Array()))
	return v
}

// content is null if no chunk had any, and beside calls if the content is empty.
func (c *foldedChoice) content() ojson.Value {
	content := c.members["content"]
	called := len(c.calls) > 0 || c.function != nil || !c.audio.IsAbsent()
	if content.isEmptyText() && (called || c.members["refusal"].json().Text() != "") {
		return ojson.Null()
	}
	return content.json()
}

func (c *foldedChoice) toolCalls() ojson.Value {
	slices.SortStableFunc(c.calls, func(a, b *foldedCall) int { return cmp.Compare(a.index, b.index) })
	calls := ojson.Array()
	for _, k := range c.calls {
		member, payload := "function", "arguments"
		if k.custom {
			member, payload = "custom", "input"
		}
		call := ojson.Object(ojson.M("id", k.id), ojson.M("type", orElse(k.kind, ojson.String(member))), ojson.M(member, k.body(payload)))
		call.SetAll(k.extra.Members())
		calls.Push(call)
	}
	return calls
}

// body is the function member of a call, or the custom member of a call of a custom
// tool.
func (k *foldedCall) body(payload string) ojson.Value {
	v := ojson.Object(ojson.M("name", orElse(k.name, ojson.String(""))), ojson.M(payload, ojson.String(k.payload.String())))
	v.SetAll(k.inner.Members())
	return v
}

func (c *foldedChoice) audioInOrder() ojson.Value {
	if c.audio.IsAbsent() {
		return c.audio
	}
	for name, t := range c.audioTexts {
		c.audio.Set(name, ojson.String(t.String()))
	}
	ordered := ojson.Object()
	for _, name := range []string{"id", "data", "expires_at", "transcript"} {
		ordered.Set(name, c.audio.Get(name))
	}
	ordered.SetAll(c.audio.Members())
	return ordered
}
