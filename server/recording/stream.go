package recording

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/recording/internal/wording"
)

// form is how an event of a stream is written in a scenario. An event whose form
// does not give its bytes is written in the next one.
type form int

const (
	typed  form = iota // typed is a step with the words of the language.
	edited             // edited is such a step without the refusal that a role brings.
	whole              // whole is the chunk as a JSON value.
	field              // field is the event, field by field.
	bare               // bare is the event's bytes.
)

// stream is a recorded stream on its way to be a scenario.
type stream struct {
	exchange *Exchange
	base     scenarios.Scenario
	frames   []frame
	forms    []form
	done     int // done is how many of the last frames are the ordinary end of a stream.
}

// streamScenario writes a stream. The layout that gives the bytes of most chunks is
// its layout.
func (how Writing) streamScenario(x *Exchange, base scenarios.Scenario) (*scenarios.Scenario, error) {
	s := &stream{exchange: x, base: base, frames: framesOf(x)}
	s.base.Wire = wireOf(x, s.frames)
	if !asksForStream(x) {
		s.base.Wire.Format = "sse"
	}
	if s.base.Wire.BOM != nil && len(s.frames) == 0 {
		return nil, errors.New("the stream is nothing but a byte order mark")
	}
	s.forms = make([]form, len(s.frames))
	if n := len(s.frames); n > 0 && isDone(&s.frames[n-1]) {
		s.done = 1
	}
	if s.done == 0 {
		s.noOrdinaryEnd()
	}
	s.ending()
	if err := s.chooseLayout(); err != nil {
		return nil, err
	}
	if how.KeepWrites {
		s.keepWrites()
	} else if how.AsMessage {
		if sc, ok := s.asMessage(); ok {
			return sc, nil
		}
	}
	return s.settle()
}

// noOrdinaryEnd has the stream end as its steps say.
func (s *stream) noOrdinaryEnd() {
	none := 0
	s.done, s.base.Wire.Done = 0, &none
}

// asksForStream reports whether the request is one that is answered with a stream.
func asksForStream(x *Exchange) bool {
	surface, _ := surfaceOf(x.Path)
	req, err := read(x, surface)
	return err == nil && req.Stream
}

// isDone reports whether a frame is the event that completes a stream.
func isDone(f *frame) bool {
	data, ok := f.field("data")
	return ok && data == "[DONE]" && len(f.lines) == 2 && f.whole
}

// sampled is how many events the layout is chosen by.
const sampled = 40

// chooseLayout takes the layout in which most of the first events come out as they
// were recorded.
func (s *stream) chooseLayout() error {
	first := s.firstChunk()
	if first.Get("choices").Kind() != ojson.ArrayKind {
		return nil // another API, which has no layouts
	}
	candidates := scenarios.Layouts
	if first.Get("object").Text() == "text_completion" {
		candidates = candidates[:1] // legacy completions have no others
	}
	sample := *s
	sample.frames, sample.done = s.frames[:min(sampled, len(s.frames))], 0
	sample.base.End = scenarios.End{}
	most := -1
	for _, l := range candidates {
		sample.forms = make([]form, len(sample.frames))
		sample.base.Envelope = wording.Envelope(first, l.Name)
		same, err := sample.right()
		if err != nil {
			return err
		}
		n := 0
		for _, ok := range same {
			if ok {
				n++
			}
		}
		if n > most {
			most, s.base.Envelope = n, sample.base.Envelope
		}
		if n == len(same) {
			break
		}
	}
	return nil
}

// firstChunk is the first event's data that is an object.
func (s *stream) firstChunk() ojson.Value {
	for i := range s.frames {
		if v, ok := s.frames[i].json(); ok && v.Kind() == ojson.ObjectKind {
			return v
		}
	}
	return ojson.Value{}
}

// settle finds for each event the first form that gives its bytes.
func (s *stream) settle() (*scenarios.Scenario, error) {
	for range bare + 2 { // one more for the ordinary end
		same, err := s.right()
		if err != nil {
			return nil, err
		}
		wrong := 0
		for i, ok := range same {
			if ok {
				continue
			}
			if wrong++; i < len(s.frames)-s.done {
				s.forms[i] = min(s.forms[i]+1, bare)
				continue
			}
			s.noOrdinaryEnd()
		}
		if wrong == 0 {
			return s.timed()
		}
	}
	return nil, errors.New("the scenario does not give the recorded bytes") // not even as they are
}

// right reports for each event whether it comes out as it was recorded. Where an
// event is in a form that the language refuses, all are in the next one.
func (s *stream) right() ([]bool, error) {
	sc := s.scenario()
	answer, err := replay(&sc, s.exchange)
	same := make([]bool, len(s.frames))
	switch {
	case err != nil && slices.Min(append(slices.Clone(s.forms), bare)) == bare:
		return nil, fmt.Errorf("as bytes alone: %w", err)
	case err != nil:
		return same, nil
	}
	s.base.Quirks = sc.Quirks
	for i := range s.frames {
		want := s.frames[i].raw
		if i == 0 && s.base.Wire.BOM != nil {
			want = append([]byte(bom), want...)
		}
		same[i] = i < len(answer.frames) && bytes.Equal(answer.frames[i].bytes, want)
	}
	return same, nil
}

// scenario is the stream as its events are written now.
func (s *stream) scenario() scenarios.Scenario {
	sc := s.base
	sc.Quirks = slices.Clone(s.base.Quirks)
	steps := make([]scenarios.Step, 0, len(s.frames))
	for i := range s.frames[:len(s.frames)-s.done] {
		steps = append(steps, s.step(i))
	}
	sc.Replies = []scenarios.Reply{{Stream: &steps}}
	return sc
}

// step is the event at a position in its form.
func (s *stream) step(i int) scenarios.Step {
	f := &s.frames[i]
	for ; s.forms[i] < bare; s.forms[i]++ {
		if st, ok := s.inForm(f, s.forms[i]); ok {
			return st
		}
	}
	raw := wording.Literal(string(f.raw))
	return scenarios.Step{Raw: &raw}
}

// inForm is an event in a form; ok says that it can be said so.
func (s *stream) inForm(f *frame, as form) (st scenarios.Step, ok bool) {
	v, isJSON := f.json()
	data, hasData := f.field("data")
	switch {
	case as == field:
		return fieldsStep(f)
	case data == "[DONE]":
		yes := true
		return scenarios.Step{Done: &yes, Wire: stepWire(f)}, true
	case !hasData:
		return commentStep(f)
	case !isJSON:
		return st, false
	case as == whole:
		return scenarios.Step{Chunk: &v, Wire: stepWire(f)}, true
	}
	if v.Get("choices").Kind() == ojson.ArrayKind {
		st, ok = wording.Chunk(v)
	} else if e := v.Get("error"); e.Kind() == ojson.ObjectKind {
		st, ok = errorStep(v), true
	}
	if as == edited {
		if !st.Role.Present {
			return st, false
		}
		st.Omit = []scenarios.Path{{Path: ojson.Path{{Name: "delta"}, {Name: "refusal"}}}}
	}
	st.Wire = stepWire(f)
	return st, ok
}

// stepWire is what stands around the data of an event; nil is nothing.
func stepWire(f *frame) *scenarios.StepWire {
	var w scenarios.StepWire
	for _, field := range []struct {
		name string
		into *scenarios.Opt[scenarios.Text]
	}{{"", &w.Comment}, {"event", &w.Event}, {"id", &w.ID}, {"retry", &w.Retry}} {
		if value, ok := f.field(field.name); ok {
			*field.into = scenarios.Some(wording.Literal(value))
		}
	}
	if w == (scenarios.StepWire{}) {
		return nil
	}
	return &w
}

// commentStep is an event of nothing but comments.
func commentStep(f *frame) (scenarios.Step, bool) {
	text, ok := f.field("")
	comment := wording.Literal(text)
	return scenarios.Step{Comment: &comment}, ok
}

// fieldsStep is an event field by field.
func fieldsStep(f *frame) (scenarios.Step, bool) {
	e := new(scenarios.Event)
	any := false
	for _, field := range []struct {
		name string
		into *scenarios.Opt[scenarios.Text]
	}{{"event", &e.Event}, {"id", &e.ID}, {"retry", &e.Retry}, {"data", &e.Data}} {
		if value, ok := f.field(field.name); ok {
			*field.into, any = scenarios.Some(wording.Literal(value)), true
		}
	}
	return scenarios.Step{Event: e}, any
}

// errorStep is an error in mid-stream.
func errorStep(v ojson.Value) scenarios.Step {
	e := &scenarios.ErrorStep{APIError: wording.Error(v)}
	return scenarios.Step{Error: e}
}

// ending is how the answer ended that did not end in order.
func (s *stream) ending() {
	switch s.exchange.Ending {
	case EndedCut, EndedByClient:
		s.base.End = scenarios.End{Kind: scenarios.EndCut, All: true}
	case EndedReset:
		s.base.End = scenarios.End{Kind: scenarios.EndReset, All: true}
	case EndedStall:
		s.base.End = scenarios.End{Kind: scenarios.EndStall, All: true}
	}
}
