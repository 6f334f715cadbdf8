package recording

import (
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// mender finds edits with which the ranges of a stream send the recorded events.
type mender struct {
	*stream
	want, got []ojson.Value
	// all are the edits, as type and path, that the envelope makes in all events of a
	// type, so that they are not added again for the other events of the type.
	all map[string]bool
}

// mend adds edits for the events that do not come out as recorded, and reports whether
// it added one for the first of them.
func (s *stream) mend(want []ojson.Value, same []bool, answer *played) bool {
	m := mender{stream: s, want: want, got: make([]ojson.Value, len(want)), all: map[string]bool{}}
	for i := range m.got {
		m.got[i] = answer.event(i)
	}
	first := s.firstWrong(same)
	mended := false
	for i := range want {
		if same[i] || s.rangeOf(i) < 0 || typeOf(want[i]) == "" || typeOf(m.got[i]) != typeOf(want[i]) {
			continue
		}
		edits, ok := editsBetween(m.got[i], want[i])
		if !ok {
			continue
		}
		for _, e := range edits {
			if m.edit(i, ofWholeMember(e, want[i])) && i == first {
				mended = true
			}
		}
	}
	return mended
}

func typeOf(event ojson.Value) string { return event.Get("type").Text() }

// edit adds an edit of an event at a place where it changes no other event: to its step,
// to the envelope if all events of the type or all snapshots of the response have the
// value, or else to the damage. It reports whether the edit is new.
func (m *mender) edit(i int, e edit) bool {
	kind := typeOf(m.want[i])
	ofType := func(event ojson.Value) bool { return typeOf(event) == kind }
	if m.all[kind+" "+e.Path.String()] {
		return false
	}
	if e.Path[0].Name == "response" && len(e.Path) > 1 {
		if m.agree(e, func(event ojson.Value) bool { return event.Get("response").Kind() == ojson.ObjectKind }) {
			return m.editAll(ofAnswer(e.Path, m.got[i]), e.Value)
		}
		return m.agree(e, ofType) && m.editAll(behindType(kind, ofAnswer(e.Path, m.got[i])), e.Value)
	}
	several := strings.Contains(kind, ".") && m.count(ofType) > 1 && m.agree(e, ofType)
	sp := &m.ranges[m.rangeOf(i)]
	if !several && m.alone(sp, i, e) {
		return addEdit(&sp.step.Omit, &sp.step.Set, e.Path, e.Value)
	}
	if strings.Contains(kind, ".") && m.agree(e, ofType) {
		m.all[kind+" "+e.Path.String()] = true
		return m.editAll(behindType(kind, e.Path), e.Value)
	}
	return m.replace(i, e)
}

// replace adds damage that changes one event alone, for an edit that in its step or in
// the envelope would change other events, too.
func (m *mender) replace(i int, e edit) bool {
	at := scenarios.Selector{Position: i + 1}
	again := func(d scenarios.Damage) bool { return d.Frames.Position == i+1 && d.From.String() == e.Path.String() }
	if e.Value.IsAbsent() || m.got[i].Find(e.Path).IsAbsent() || slices.ContainsFunc(m.base.Damage, again) {
		return false
	}
	d := scenarios.Damage{Op: "replace", Frames: at, From: scenarios.Path{Path: e.Path}, Value: e.Value}
	m.base.Damage = append(slices.Clip(m.base.Damage), d)
	return true
}

// agree reports whether all recorded events for which of holds have the value of an edit.
func (m *mender) agree(e edit, of func(ojson.Value) bool) bool {
	for i := range m.want {
		if of(m.want[i]) && !ojson.Equal(m.want[i].Find(e.Path), e.Value) {
			return false
		}
	}
	return true
}

func (m *mender) count(of func(ojson.Value) bool) (n int) {
	for _, event := range m.want {
		if of(event) {
			n++
		}
	}
	return n
}

// alone reports whether an edit in the step of a range changes only the event at i.
func (m *mender) alone(sp *stepRange, i int, e edit) bool {
	around := e.Path
	if !e.Value.IsAbsent() && m.got[i].Find(e.Path).IsAbsent() {
		around = e.Path[:len(e.Path)-1]
	}
	for j := sp.first; j < sp.end; j++ {
		if j != i && (len(around) == 0 || !m.got[j].Find(around).IsAbsent()) && !ojson.Equal(m.want[j].Find(e.Path), e.Value) {
			return false
		}
	}
	return true
}

// editAll adds an edit to the envelope.
func (m *mender) editAll(p ojson.Path, v ojson.Value) bool {
	return addEdit(&m.base.Envelope.Omit, &m.base.Envelope.Set, p, v)
}

// event is the JSON of the event at a position; absent if there is none.
func (p *played) event(i int) (v ojson.Value) {
	if p == nil || i >= len(p.frames) {
		return v
	}
	if f := framesOf(&Exchange{Pieces: []Piece{{Data: p.frames[i].bytes}}}); len(f) == 1 {
		v, _ = f[0].json()
	}
	return v
}

// mostEdits is how many edits a chunk may have; with more, the chunk itself is easier to
// read.
const mostEdits = 3

// editChunk finds the edits that turn a chunk of chat completions into the recorded one,
// and reports whether it found some.
func (s *stream) editChunk(i int, answer *played) bool {
	f := &s.frames[i]
	got := answer.event(i)
	want, ok := f.json()
	if !ok || s.edits[f] != nil || want.Get("choices").Kind() != ojson.ArrayKind || got.Get("choices").Kind() != ojson.ArrayKind {
		return false
	}
	edits, ok := editsBetween(got, want)
	if !ok || len(edits) == 0 || len(edits) > mostEdits {
		return false
	}
	if s.edits == nil {
		s.edits = map[*frame][]edit{}
	}
	s.edits[f] = edits
	return true
}
