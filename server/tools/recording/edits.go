package recording

import (
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server"
)

// mostEdits is how many edits a chunk may have; with more, the chunk itself is easier to
// read.
const mostEdits = 3

// mend adds edits to the typed steps that do not send the recorded events, or to the
// envelope, and reports for each part whether it added one.
func (s *stream) mend(same []bool, answer *server.Plan) []bool {
	mended := make([]bool, len(s.parts))
	if answer == nil {
		return mended
	}
	m := s.mender(answer)
	for n := range s.parts {
		p := &s.parts[n]
		for i := p.first; i < p.end && p.form == typed; i++ {
			if same[i] || typeOf(m.got[i]) != typeOf(m.want[i]) {
				continue
			}
			if edits, ok := m.edits(i); ok && m.add(p, i, edits) {
				mended[n] = true
			}
		}
	}
	return mended
}

// mender compares the recorded events with those of an answer.
func (s *stream) mender(answer *server.Plan) mender {
	m := mender{stream: s, want: s.values()}
	m.got = make([]ojson.Value, len(m.want))
	for i := range min(len(m.want), len(answer.Frames)) {
		if f := framesOf(&Exchange{Pieces: []Piece{{Data: answer.Frames[i].Bytes}}}); len(f) == 1 {
			m.got[i] = f[0].value
		}
	}
	return m
}

// common are the edits that most chunks need, for the envelope.
func (m *mender) common() (list []edit) {
	times := map[string]int{}
	chunks := 0
	for i, want := range m.want {
		if want.Get("choices").Kind() != ojson.ArrayKind {
			continue
		}
		chunks++
		edits, _ := m.edits(i)
		for _, e := range edits {
			key := e.Path.String() + " " + e.Value.String()
			if times[key]++; times[key] == 1 {
				list = append(list, e)
			}
		}
	}
	return slices.DeleteFunc(list, func(e edit) bool {
		return len(e.Path) == 0 || 2*times[e.Path.String()+" "+e.Value.String()] <= chunks
	})
}

// edits are the edits that turn an event of the answer into the recorded one; ok says that they do.
func (m *mender) edits(i int) (list []edit, ok bool) {
	if m.order == nil || m.got[i].Kind() != ojson.ObjectKind {
		return editsBetween(m.got[i], m.want[i])
	}
	return editsInAnyOrder(nil, m.got[i], m.want[i]), true
}

// editsInAnyOrder are the edits after which a chunk has the members of another one, which the
// envelope puts into their order.
func editsInAnyOrder(at ojson.Path, from, to ojson.Value) (list []edit) {
	for _, m := range from.Members() {
		if to.Get(m.Name).IsAbsent() {
			list = append(list, edit{Path: append(slices.Clip(at), ojson.PathElement{Name: m.Name})})
		}
	}
	for _, m := range to.Members() {
		path, old := append(slices.Clip(at), ojson.PathElement{Name: m.Name}), from.Get(m.Name)
		switch was, is := old.Items(), m.Value.Items(); {
		case m.Name == "choices" && len(was) == 1 && len(is) == 1:
			list = append(list, editsInAnyOrder(append(path, ojson.PathElement{IsIndex: true}), was[0], is[0])...)
		case m.Name == "delta" && old.Kind() == ojson.ObjectKind && m.Value.Kind() == ojson.ObjectKind:
			list = append(list, editsInAnyOrder(path, old, m.Value)...)
		default:
			list = append(list, editsAt(path, old, m.Value)...)
		}
	}
	return list
}

// isReadable reports whether few edits, none of them of a whole choice, turn a chunk of the answer into
// the recorded one.
func (m *mender) isReadable(i int) bool {
	list, ok := m.edits(i)
	whole := func(e edit) bool {
		return slices.Contains([]string{"choices", "choices[0]", "choices[0].delta"}, e.Path.String())
	}
	return ok && m.want[i].Get("choices").Kind() == ojson.ArrayKind && len(list) <= mostEdits && !slices.ContainsFunc(list, whole)
}

// typeOf is the type of an event; "" for a chunk.
func typeOf(event ojson.Value) string { return event.Get("type").Text() }

// mender adds edits with which the steps of a stream send the recorded events.
type mender struct {
	*stream
	want, got []ojson.Value
}

// add adds the edits of an event, and reports whether one is new.
func (m *mender) add(p *part, i int, edits []edit) (added bool) {
	if typeOf(m.want[i]) != "" {
		for _, e := range edits {
			added = m.edit(p, i, ofWholeMember(e, m.want[i])) || added
		}
		return added
	}
	st := &p.step
	isChunk := m.want[i].Get("choices").Kind() == ojson.ArrayKind && p.end == p.first+1
	if !isChunk || len(edits) == 0 || len(edits) > mostEdits || len(st.Omit)+len(st.Set) > 0 {
		return false
	}
	for _, e := range edits {
		addEdit(&st.Omit, &st.Set, inChoice(e.Path), e.Value)
	}
	return true
}

// edit adds an edit of an event of the Responses API at a place where it changes no other
// event: to the envelope if all snapshots of the response or all events of the type have the
// value, or else to the step. It reports whether the edit is new.
func (m *mender) edit(p *part, i int, e edit) bool {
	kind, path := typeOf(m.want[i]), e.Path
	inSnapshot := path[0].Name == "response" && len(path) > 1
	if inSnapshot {
		path = ofAnswer(path, m.got[i])
	}
	isSnapshot := func(event ojson.Value) bool { return event.Get("response").Kind() == ojson.ObjectKind }
	_, allSnapshots := m.agree(e, isSnapshot)
	several, ofType := m.agree(e, func(event ojson.Value) bool { return typeOf(event) == kind })
	alone := !inSnapshot && m.changesOnly(p, i, e)
	env := &m.base.Envelope
	switch {
	case inSnapshot && allSnapshots:
		return addEdit(&env.Omit, &env.Set, path, e.Value)
	case ofType && strings.Contains(kind, ".") && (several || !alone):
		return addEdit(&env.Omit, &env.Set, behindType(kind, path), e.Value)
	case alone:
		return addEdit(&p.step.Omit, &p.step.Set, path, e.Value)
	}
	return false
}

// agree reports whether all recorded events for which of holds have the value of an edit, and
// whether there are several.
func (m *mender) agree(e edit, of func(ojson.Value) bool) (several, agree bool) {
	n := 0
	for _, event := range m.want {
		if !of(event) {
			continue
		}
		if n++; !ojson.Equal(event.Find(e.Path), e.Value) {
			return n > 1, false
		}
	}
	return n > 1, true
}

// changesOnly reports whether an edit in the step of a part changes only the event at i.
func (m *mender) changesOnly(p *part, i int, e edit) bool {
	around := e.Path
	if !e.Value.IsAbsent() && m.got[i].Find(e.Path).IsAbsent() {
		around = e.Path[:len(e.Path)-1]
	}
	for j := p.first; j < p.end; j++ {
		if j != i && (len(around) == 0 || !m.got[j].Find(around).IsAbsent()) && !ojson.Equal(m.want[j].Find(e.Path), e.Value) {
			return false
		}
	}
	return true
}

// mostMembers is how many members an object has at most that is compared with another member by member.
const mostMembers = 1000

// isWide reports whether an object in a value has more members than that.
func isWide(v ojson.Value) bool {
	return len(v.Members()) > mostMembers || slices.ContainsFunc(v.Items(), isWide) ||
		slices.ContainsFunc(v.Members(), func(m ojson.Member) bool { return isWide(m.Value) })
}

// edit changes the value at a path: it sets the value, or removes it if Value is absent.
type edit struct {
	Path  ojson.Path
	Value ojson.Value
}

// editsBetween are the edits that turn one JSON object into another, even in the order of its
// members. It is not ok if none do, for example because the members have another order.
func editsBetween(from, to ojson.Value) (list []edit, ok bool) {
	list = editsAt(nil, from, to)
	return list, !slices.ContainsFunc(list, func(e edit) bool { return len(e.Path) == 0 })
}

// editsAt are the edits that turn the value at a path into another one: of its parts or, if
// these do not suffice, of the whole value.
func editsAt(at ojson.Path, from, to ojson.Value) (list []edit) {
	if ojson.Equal(from, to) {
		return nil
	}
	inside := func(e ojson.PathElement) ojson.Path { return append(slices.Clip(at), e) }
	switch items := to.Items(); {
	case from.Kind() == ojson.ObjectKind && to.Kind() == ojson.ObjectKind:
		for _, m := range from.Members() {
			if to.Get(m.Name).IsAbsent() {
				list = append(list, edit{Path: inside(ojson.PathElement{Name: m.Name})})
			}
		}
		for _, m := range to.Members() {
			list = append(list, editsAt(inside(ojson.PathElement{Name: m.Name}), from.Get(m.Name), m.Value)...)
		}
	case from.Kind() == ojson.ArrayKind && to.Kind() == ojson.ArrayKind && len(items) == len(from.Items()):
		for i, item := range from.Items() {
			list = append(list, editsAt(inside(ojson.PathElement{Index: i, IsIndex: true}), item, items[i])...)
		}
	}
	edited := from.Clone()
	for _, e := range list {
		if p := e.Path[len(at):]; e.Value.IsAbsent() {
			edited.Remove(p)
		} else {
			edited.Put(p, e.Value)
		}
	}
	if !ojson.Equal(edited, to) {
		return []edit{{Path: at, Value: to}}
	}
	return list
}

// ofAnswer is a path to a member of the response in the form for set and omit of the
// envelope: without the leading response, unless events have a member of this name, too.
func ofAnswer(p ojson.Path, event ojson.Value) ojson.Path {
	name := p[1].Name
	if event.Get("response").Get(name).IsAbsent() || slices.Contains([]string{"text", "error", "conversation", "system_fingerprint"}, name) {
		return p
	}
	return p[1:]
}

// addEdit adds an edit, and reports false if there is one of this path already.
func addEdit(omit *[]scenarios.Path, set *[]scenarios.Assignment, p ojson.Path, v ojson.Value) bool {
	same := func(other scenarios.Path) bool { return other.String() == p.String() }
	if slices.ContainsFunc(*set, func(a scenarios.Assignment) bool { return same(a.Path) }) || slices.ContainsFunc(*omit, same) {
		return false
	}
	if v.IsAbsent() {
		*omit = append(slices.Clip(*omit), scenarios.Path{Path: p})
	} else {
		*set = append(slices.Clip(*set), scenarios.Assignment{Path: scenarios.Path{Path: p}, Value: v})
	}
	return true
}

// behindType is a path that applies only to events of one type, with the type as prefix.
func behindType(kind string, p ojson.Path) ojson.Path {
	var long ojson.Path
	for word := range strings.SplitSeq(kind, ".") {
		long = append(long, ojson.PathElement{Name: word})
	}
	return append(long, p...)
}

// inChoice is a path into a chunk in the form for set and omit: a path into the choice
// has no leading choices[0].
func inChoice(p ojson.Path) ojson.Path {
	if len(p) > 2 && p[0].Name == "choices" && slices.Contains([]string{"delta", "finish_reason", "logprobs"}, p[2].Name) {
		return p[2:]
	}
	return p
}

// ofWholeMember widens an edit inside a member of the response that repeats the request to the
// whole member, because its contents depend on the request.
func ofWholeMember(e edit, want ojson.Value) edit {
	if len(e.Path) > 2 && e.Path[0].Name == "response" && e.Path[1].Name != "output" && e.Path[1].Name != "usage" {
		p := e.Path[:2:2]
		return edit{Path: p, Value: want.Find(p)}
	}
	return e
}
