package recording

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// stepRange is a step that sends the events from first to before end, or a step that sends
// its event only after certain others.
type stepRange struct {
	first, end int
	step       scenarios.Step
}

// rangeOf is the position of the range that an event belongs to; -1 for none.
func (s *stream) rangeOf(i int) int {
	n, found := slices.BinarySearchFunc(s.ranges, i, func(sp stepRange, i int) int {
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
	var ranges []stepRange
	at := 0
	for _, t := range responseSteps(values) {
		if !t.Literal {
			st := t.Step
			st.Wire = s.commonWire(at, at+t.Events)
			ranges = append(ranges, stepRange{at, at + t.Events, st})
		}
		at += t.Events
	}
	if len(ranges) == 0 {
		return
	}
	s.ranges = ranges
	literal := s.base.Envelope
	s.chooseEnvelope(s.envelopes(values))
	told := s.base.Envelope
	for range maxTries {
		if len(s.ranges) > 0 && s.keepRight(values) {
			return
		}
		s.base.Envelope, s.base.Damage = told, nil
	}
	s.base.Envelope, s.base.Damage, s.ranges = literal, nil, nil
}

// maxTries is how often edits, or the removal of ranges, are tried.
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

// envelopes are the envelopes that a stream of the Responses API may have, one for each
// layout.
func (s *stream) envelopes(values []ojson.Value) (list []scenarios.Envelope) {
	req, err := read(s.exchange, s.base.When.Surface)
	padded := err == nil && req.IncludeObfuscation
	for _, layout := range responseLayouts {
		list = append(list, responseEnvelope(values, layout, padded))
	}
	return list
}

// keepRight adds edits until all ranges send what was recorded, and reports true. If
// that is impossible it restores the ranges without edits, removes those from the
// first wrong event on, and reports false.
func (s *stream) keepRight(values []ojson.Value) bool {
	before, wrong := slices.Clone(s.ranges), 0
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
	s.ranges = before
	s.dissolve(wrong)
	return false
}

// firstWrong is the position of the first event of a range that does not come out as
// it was recorded; -1 for none.
func (s *stream) firstWrong(same []bool) int {
	for i, ok := range same {
		if !ok && s.rangeOf(i) >= 0 {
			return i
		}
	}
	return -1
}

// dissolve removes the range of an event. On responses it removes those after it, too,
// because their events depend on all events before.
func (s *stream) dissolve(i int) {
	s.ranges = slices.DeleteFunc(s.ranges, func(sp stepRange) bool {
		return sp.end > i && (sp.first <= i || s.isResponses())
	})
	if n := len(s.ranges); s.isResponses() && n > 0 && s.ranges[n-1].step.Finish.Present && s.ranges[n-1].end <= i {
		s.ranges = s.ranges[:n-1] // After its finish the server would send the last event.
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
		s.ranges = append(s.ranges, stepRange{run.First, run.First + run.Steps, run.Step})
	}
}
