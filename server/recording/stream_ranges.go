package recording

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// stretch is a step that sends the events from first to before end, or a step that sends
// its event only after certain others.
type stretch struct {
	first, end int
	step       scenarios.Step
}

// stretchOf is the position of the stretch that an event belongs to; -1 for none.
func (s *stream) stretchOf(i int) int {
	n, found := slices.BinarySearchFunc(s.stretches, i, func(sp stretch, i int) int {
		switch {
		case sp.end <= i:
			return -1
		case sp.first > i:
			return 1
		}
		return 0
	})
	if !found {
		return -1
	}
	return n
}

// tellEvents finds steps for the events of the Responses API, from the first event on and
// as far as they give the recorded bytes, in the layout that fits most events. Edits mend
// differences. All other events are written literally.
func (s *stream) tellEvents() {
	values := make([]ojson.Value, len(s.frames)-s.done)
	for i := range values {
		s.forms[i] = whole
		if v, ok := s.frames[i].json(); ok && v.Kind() == ojson.ObjectKind {
			values[i] = v
		}
	}
	var stretches []stretch
	at := 0
	for _, t := range responseSteps(values) {
		if !t.Literal {
			st := t.Step
			st.Wire = s.commonWire(at, at+t.Events)
			stretches = append(stretches, stretch{at, at + t.Events, st})
		}
		at += t.Events
	}
	if len(stretches) == 0 {
		return
	}
	s.stretches = stretches
	literal := s.base.Envelope
	told := s.bestLayout(values)
	for range maxTries {
		if len(s.stretches) > 0 && s.keepRight(values) {
			return
		}
		s.base.Envelope, s.base.Damage = told, nil
	}
	s.base.Envelope, s.base.Damage, s.stretches = literal, nil, nil
}

// maxTries is how often edits, or the removal of stretches, are tried.
const maxTries = 8

// commonWire is the stepWire of the events if it is the same for all; else nil.
func (s *stream) commonWire(first, end int) *scenarios.StepWire {
	w := s.stepWire(&s.frames[first])
	for i := first + 1; i < end; i++ {
		if v := s.stepWire(&s.frames[i]); (w == nil) != (v == nil) || w != nil && *w != *v {
			return nil
		}
	}
	return w
}

// bestLayout sets and returns the envelope with the layout in which most events come out
// as recorded.
func (s *stream) bestLayout(values []ojson.Value) scenarios.Envelope {
	req, err := read(s.exchange, s.base.When.Surface)
	padded := err == nil && req.IncludeObfuscation
	most, best := -1, scenarios.Envelope{}
	for _, layout := range responseLayouts {
		s.base.Envelope = responseEnvelope(values, layout, padded)
		same, _, err := s.compare()
		if err != nil {
			continue
		}
		n := count(same)
		if n > most {
			most, best = n, s.base.Envelope
		}
		if n == len(same) {
			break
		}
	}
	s.base.Envelope = best
	return best
}

// keepRight adds edits until all stretches send what was recorded, and reports true. If
// that is impossible it restores the stretches without edits, removes those from the
// first wrong event on, and reports false.
func (s *stream) keepRight(values []ojson.Value) bool {
	before, wrong := slices.Clone(s.stretches), 0
	for range maxTries {
		same, answer, err := s.compare()
		if err != nil || answer == nil {
			break // The language refuses an edit.
		}
		if wrong = s.firstWrong(same); wrong < 0 {
			return true
		}
		if !s.mend(values, same, answer) {
			break
		}
	}
	s.stretches = before
	s.dissolve(wrong)
	return false
}

// firstWrong is the position of the first event of a stretch that does not come out as
// it was recorded; -1 for none.
func (s *stream) firstWrong(same []bool) int {
	for i, ok := range same {
		if !ok && s.stretchOf(i) >= 0 {
			return i
		}
	}
	return -1
}

// dissolve removes the stretch of an event. On responses it removes those after it, too,
// because their events depend on all events before.
func (s *stream) dissolve(i int) {
	s.stretches = slices.DeleteFunc(s.stretches, func(sp stretch) bool {
		return sp.end > i && (sp.first <= i || s.isResponses())
	})
	if n := len(s.stretches); s.isResponses() && n > 0 && s.stretches[n-1].step.Finish.Present && s.stretches[n-1].end <= i {
		s.stretches = s.stretches[:n-1] // After its finish the server would send the last event.
	}
}

// tellCalls finds the steps for tool calls that several chunks send in fragments.
func (s *stream) tellCalls() {
	steps := make([]scenarios.Step, len(s.frames)-s.done)
	for i := range steps {
		if st, ok := s.inForm(&s.frames[i], typed); ok {
			steps[i] = st
		}
	}
	for _, run := range callRuns(steps) {
		s.stretches = append(s.stretches, stretch{run.First, run.First + run.Steps, run.Step})
	}
}
