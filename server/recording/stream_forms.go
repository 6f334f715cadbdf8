package recording

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// form is how an event of a stream is written in a scenario. An event that does not come
// out with its bytes is written in the next form.
type form int

const (
	typed   form = iota // typed is a step such as content or finish.
	counted             // counted is typed, with all members of the usage, even those that are sent by default.
	edited              // edited is typed, with set and omit.
	whole               // whole is the chunk as a JSON value.
	field               // field is an event step, with the SSE fields one by one.
	bare                // bare is a raw step with the bytes of the event.
)

// step is the step for the event at a position, in the first form from s.forms[i] on that
// it has.
func (s *stream) step(i int) scenarios.Step {
	f := &s.frames[i]
	for ; s.forms[i] < bare; s.forms[i]++ {
		if st, ok := s.inForm(f, s.forms[i]); ok {
			return st
		}
	}
	raw := literal(string(f.Raw))
	return scenarios.Step{Raw: &raw}
}

// inForm is the step for an event in a form; ok says that the event has the form.
func (s *stream) inForm(f *frame, as form) (st scenarios.Step, ok bool) {
	v, isJSON := f.json()
	switch {
	case as == field:
		return fieldsStep(f)
	case f.data == "[DONE]":
		yes := true
		return scenarios.Step{Done: &yes, Wire: s.stepWire(f)}, true
	case !f.hasData:
		return commentStep(f)
	case !isJSON:
		return st, false
	case as == whole:
		return scenarios.Step{Chunk: &v, Wire: s.stepWire(f)}, true
	}
	if v.Get("choices").Kind() == ojson.ArrayKind {
		if s.obfuscated { // The envelope has the obfuscation.
			v = v.Clone()
			v.Remove(ojson.Path{{Name: "obfuscation"}})
		}
		st, ok = chunkStep(v)
		counts := st.Usage != nil && !st.Usage.Null
		if as == counted && !counts || as == edited && s.edits[f] == nil {
			return st, false
		}
		if as == typed && counts {
			st.Usage = shortUsage(st.Usage.Object)
		}
	} else if e := v.Get("error"); e.Kind() == ojson.ObjectKind {
		st, ok = errorStep(v), true
	}
	if as == edited {
		for _, e := range s.edits[f] {
			addEdit(&st.Omit, &st.Set, inChoice(e.Path), e.Value)
		}
	}
	st.Wire = s.stepWire(f)
	return st, ok
}

// stepWire is the comment, event, id and retry lines of an event, without those that the
// server writes by itself; nil if there are none.
func (s *stream) stepWire(f *frame) *scenarios.StepWire {
	var w scenarios.StepWire
	for _, field := range []struct {
		of   func() (string, bool)
		into *scenarios.Opt[scenarios.Text]
	}{{f.Comment, &w.Comment}, {f.Event, &w.Event}, {f.ID, &w.ID}, {f.Retry, &w.Retry}} {
		if value, ok := field.of(); ok {
			*field.into = scenarios.Some(literal(value))
		}
	}
	if s.base.Wire.IDs != nil {
		w.ID = scenarios.Opt[scenarios.Text]{}
	}
	if s.base.Wire.Retry != nil && f.Raw != nil && &f.Raw[0] == &s.frames[0].Raw[0] { // The wire of the scenario has it.
		w.Retry = scenarios.Opt[scenarios.Text]{}
	}
	if v, _ := f.json(); s.isResponses() && v.Get("type").Kind() == ojson.StringKind {
		w.Event = s.unlessNamed(w.Event, v.Get("type").Text())
	}
	if w == (scenarios.StepWire{}) {
		return nil
	}
	return &w
}

// unlessNamed is the name of an event, or absent if the server sends that name by itself.
func (s *stream) unlessNamed(name scenarios.Opt[scenarios.Text], own string) scenarios.Opt[scenarios.Text] {
	switch unnamed := s.base.Wire.EventName.Null; {
	case !name.Present && !unnamed:
		return scenarios.NullOf[scenarios.Text]()
	case name.Present && !unnamed && name.Value.Source == own:
		return scenarios.Opt[scenarios.Text]{}
	}
	return name
}

// commentStep is the step for an event that has only comments.
func commentStep(f *frame) (scenarios.Step, bool) {
	text, ok := f.Comment()
	comment := literal(text)
	return scenarios.Step{Comment: &comment}, ok
}

// fieldsStep is the step for an event with its SSE fields one by one.
func fieldsStep(f *frame) (scenarios.Step, bool) {
	e := new(scenarios.Event)
	any := false
	for _, field := range []struct {
		of   func() (string, bool)
		into *scenarios.Opt[scenarios.Text]
	}{{f.Event, &e.Event}, {f.ID, &e.ID}, {f.Retry, &e.Retry}, {f.Data, &e.Data}} {
		if value, ok := field.of(); ok {
			*field.into, any = scenarios.Some(literal(value)), true
		}
	}
	return scenarios.Step{Event: e}, any
}
