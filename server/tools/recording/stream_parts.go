package recording

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// part is a step of the scenario, and the events that it sends or after which it sends its
// own: those from first to before end.
type part struct {
	first, end int
	form       form
	step       scenarios.Step
}

// form is how events are written in a scenario. An event that does not come out with its
// bytes is written in the next form.
type form int

const (
	typed form = iota // typed is a step such as content or finish.
	whole             // whole is the event as a JSON value.
	bare              // bare is a raw step with the bytes of the event.
)

// propose proposes the steps for all events: typed ones, as far as there are, for those before
// the event at a position, literal ones for the others.
func (s *stream) propose(until int) {
	n := len(s.frames) - s.done
	until = min(until, n)
	var known []part
	switch {
	case s.isResponses():
		known = s.itemParts(until)
	case s.isAPI():
		known = s.chunkParts(until)
	}
	s.base.Envelope = s.envelope(len(known) > 0)
	s.parts = nil
	at := 0
	for _, p := range append(known, part{first: n, end: n}) {
		for ; at < p.first; at++ {
			s.parts = append(s.parts, s.literally(at, whole))
		}
		if at = p.end; p.first < n {
			s.parts = append(s.parts, p)
		}
	}
}

// chunkParts are the steps for the chunks before a position.
func (s *stream) chunkParts(until int) (parts []part) {
	for i := range until {
		parts = append(parts, s.typed(i))
	}
	return withCalls(parts)
}

// itemParts are the steps for the events of the Responses API before a position.
func (s *stream) itemParts(until int) []part {
	parts := withCalls(responseParts(s.values()))
	parts = slices.DeleteFunc(parts, func(p part) bool { return p.end > until })
	if n := len(parts); n > 0 && until < len(s.frames)-s.done && parts[n-1].step.Finish.Present {
		parts = parts[:n-1] // After its finish the server would send the last event.
	}
	for n := range parts {
		parts[n].step.Wire = s.commonWire(parts[n])
	}
	return parts
}

// values are the JSON of the events; absent for data that is none.
func (s *stream) values() []ojson.Value {
	values := make([]ojson.Value, len(s.frames)-s.done)
	for i := range values {
		values[i] = s.frames[i].value
	}
	return values
}

// typed returns the step that sends a single chunk or error; a literal step if no other does.
func (s *stream) typed(i int) part {
	v := s.frames[i].value
	var st scenarios.Step
	ok := false
	if v.Get("choices").Kind() == ojson.ArrayKind {
		v = v.Clone()
		for _, m := range s.extra.Members() { // The envelope has it, as it has obfuscation.
			v.Remove(ojson.Path{{Name: m.Name}})
		}
		if st, ok = chunkStep(v); st.Usage != nil {
			st.Usage = usageOf(st.Usage.Object)
		}
	} else if v.Get("error").Kind() == ojson.ObjectKind {
		st, ok = scenarios.Step{Error: &scenarios.ErrorStep{APIError: errorOf(v)}}, true
	}
	if !ok {
		return s.literally(i, whole)
	}
	st.Wire = s.stepWire(i)
	return part{i, i + 1, typed, st}
}

// literally is the step for an event in the first literal form from the given one on that the
// event has.
func (s *stream) literally(i int, as form) part {
	f := &s.frames[i]
	comment, hasComment := f.Comment()
	st := scenarios.Step{Wire: s.stepWire(i)}
	switch {
	case as == whole && f.data == "[DONE]":
		yes := true
		st.Done = &yes
	case as == whole && !f.hasData && hasComment:
		text := literal(comment)
		st = scenarios.Step{Comment: &text}
	case as == whole && !f.value.IsAbsent():
		st.Chunk = &f.value
	default:
		raw := literal(string(f.Raw))
		as, st = bare, scenarios.Step{Raw: &raw}
	}
	return part{i, i + 1, as, st}
}

// stepWire is the comment, event, id and retry lines of an event, without those that the
// server writes by itself; nil if there are none.
func (s *stream) stepWire(i int) *scenarios.StepWire {
	f := &s.frames[i]
	w := scenarios.StepWire{Comment: optional(f.Comment()), Event: optional(f.Event()), ID: optional(f.ID()), Retry: optional(f.Retry())}
	if s.base.Wire.IDs != nil {
		w.ID = scenarios.Opt[scenarios.Text]{}
	}
	if s.base.Wire.Retry != nil && i == 0 { // The wire of the scenario has it.
		w.Retry = scenarios.Opt[scenarios.Text]{}
	}
	if own := f.value.Get("type"); s.isResponses() && own.Kind() == ojson.StringKind {
		switch unnamed := s.base.Wire.EventName.Null; {
		case !w.Event.Present && !unnamed:
			w.Event = scenarios.NullOf[scenarios.Text]()
		case w.Event.Present && !unnamed && w.Event.Value.Source == own.Text(): // The server sends it by itself.
			w.Event = scenarios.Opt[scenarios.Text]{}
		}
	}
	if w == (scenarios.StepWire{}) {
		return nil
	}
	return &w
}

// optional is a text that is present if ok.
func optional(text string, ok bool) (o scenarios.Opt[scenarios.Text]) {
	if ok {
		o = scenarios.Some(literal(text))
	}
	return o
}

// commonWire is the stepWire of the events of a part if it is the same for all, else nil.
func (s *stream) commonWire(p part) *scenarios.StepWire {
	w := s.stepWire(p.first)
	for i := p.first + 1; i < p.end; i++ {
		if v := s.stepWire(i); (w == nil) != (v == nil) || w != nil && *w != *v {
			return nil
		}
	}
	return w
}
