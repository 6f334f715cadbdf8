package recording

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/sse"
)

// stream is a recorded stream while it is turned into a scenario.
type stream struct {
	how      Writing
	exchange *Exchange
	base     scenarios.Scenario
	frames   []frame
	forms    []form
	done     int // done is how many of the last frames the server sends by itself: [DONE] or none.
	ranges   []stepRange
	edits    map[*frame][]edit // edits are the edits of chunks in the form edited.
	// obfuscated says that the envelope, not each step, has the obfuscation of the chunks.
	obfuscated bool
}

// streamScenario turns a stream into a scenario, in the layout that fits most chunks.
func (how Writing) streamScenario(x *Exchange, base scenarios.Scenario) (*scenarios.Scenario, error) {
	s := &stream{how: how, exchange: x, base: base, frames: framesOf(x)}
	s.base.Wire = wireOf(x, s.frames)
	if s.isResponses() && unnamed(s.frames) {
		s.base.Wire.EventName = scenarios.NullOf[scenarios.Text]()
	}
	if !asksForStream(x) {
		s.base.Wire.Format = "sse"
	}
	if s.base.Wire.BOM != nil && len(s.frames) == 0 {
		return nil, errors.New("the stream is nothing but a byte order mark")
	}
	s.forms = make([]form, len(s.frames))
	s.ordinaryEnd()
	s.ending()
	s.chooseLayout()
	if s.isResponses() {
		s.tellEvents()
	} else {
		s.tellCalls()
	}
	if how.AsMessage {
		if sc, ok := s.asMessage(); ok {
			return sc, nil
		}
	}
	return s.settle()
}

// ordinaryEnd leaves the [DONE] at the end of the stream, if there is one, to the server.
func (s *stream) ordinaryEnd() {
	if n := len(s.frames); n == 0 || !isDone(&s.frames[n-1]) {
		s.noOrdinaryEnd()
		return
	}
	if s.done = 1; s.isResponses() { // There the server sends no [DONE] by default.
		s.base.Wire.Done = &s.done
	}
}

// noOrdinaryEnd makes the server send no [DONE] by itself.
func (s *stream) noOrdinaryEnd() {
	s.done, s.base.Wire.Done = 0, nil
	if !s.isResponses() {
		none := 0
		s.base.Wire.Done = &none
	}
}

func (s *stream) isResponses() bool { return speaksItems(s.base.When.Surface) }

// asksForStream reports whether the request asks for a stream.
func asksForStream(x *Exchange) bool {
	surface, _ := surfaceOf(x.Path)
	req, err := read(x, surface)
	return err == nil && req.Stream
}

// isDone reports whether a frame is the [DONE] event as the server sends it.
func isDone(f *frame) bool {
	for l := range f.Lines() {
		if l.Name != "data" && l.Name != "id" && !l.Blank() { // If the scenario has no ids, settle finds that the event differs.
			return false
		}
	}
	return f.data == "[DONE]" && f.Whole
}

// sampled is how many of the first events the layout is chosen by.
const sampled = 40

// chooseLayout sets the layout in which most of the first events come out as recorded.
func (s *stream) chooseLayout() {
	first := s.firstChunk()
	if first.Get("choices").Kind() != ojson.ArrayKind {
		return // The other APIs have no such layouts.
	}
	layouts := scenarios.Layouts()
	if first.Get("object").Text() == "text_completion" {
		layouts = layouts[:1] // Legacy completions have one layout.
	}
	var envelopes []scenarios.Envelope
	for _, l := range layouts {
		envelopes = append(envelopes, chatEnvelope(first, l.Name))
	}
	sample := *s
	sample.frames, sample.done = s.frames[:min(sampled, len(s.frames))], 0
	sample.forms = make([]form, len(sample.frames))
	sample.base.End = scenarios.End{}
	most := sample.chooseEnvelope(envelopes)
	s.base.Envelope = sample.base.Envelope
	if sample.obfuscated = s.allObfuscated(); sample.obfuscated {
		s.obfuscated = most <= sample.chooseEnvelope([]scenarios.Envelope{s.base.Envelope})
	}
}

// chooseEnvelope sets the envelope with which most events come out as recorded, and
// returns how many do; -1 if the scenario can be played with none of them.
func (s *stream) chooseEnvelope(envelopes []scenarios.Envelope) (most int) {
	forms, best := s.forms, scenarios.Envelope{}
	most = -1
	for _, env := range envelopes {
		s.base.Envelope, s.forms = env, slices.Clone(forms)
		same, _, err := s.compare()
		if n := count(same); err == nil && n > most {
			most, best = n, env
		}
		if most == len(s.frames) {
			break
		}
	}
	s.base.Envelope, s.forms = best, forms
	return most
}

// allObfuscated reports whether all chunks that steps can send have obfuscation.
func (s *stream) allObfuscated() bool {
	n := 0
	for i := range s.frames {
		v, isJSON := s.frames[i].json()
		if _, ok := chunkStep(v); !isJSON || !ok {
			continue
		}
		if v.Get("obfuscation").Kind() != ojson.StringKind {
			return false
		}
		n++
	}
	return n > 0
}

func count(same []bool) (n int) {
	for _, ok := range same {
		if ok {
			n++
		}
	}
	return n
}

// firstChunk is the first data that is an object with an id or, if there is none, the
// first that is an object: Azure sends a chunk about the request first, without an id.
func (s *stream) firstChunk() (first ojson.Value) {
	for i := range s.frames {
		v, ok := s.frames[i].json()
		if !ok || v.Kind() != ojson.ObjectKind {
			continue
		}
		if v.Get("id").Text() != "" {
			return v
		}
		if first.IsAbsent() {
			first = v
		}
	}
	return first
}

// settle finds the first form of each event that gives its bytes.
func (s *stream) settle() (*scenarios.Scenario, error) {
	for range bare + 2 { // Once for each form, once for the ordinary end, once to compare.
		same, answer, err := s.compare()
		if err != nil {
			return nil, err
		}
		wrong := 0
		for i, ok := range same {
			if ok {
				continue
			}
			if wrong++; s.rangeOf(i) >= 0 {
				s.dissolve(i)
				break
			}
			if i < len(s.frames)-s.done {
				if s.forms[i] = min(s.forms[i]+1, bare); s.forms[i] <= edited && s.editChunk(i, answer) {
					s.forms[i] = edited
				}
				if i == 0 && s.forms[i] == bare {
					s.base.Wire.Retry = nil // The bytes of the event hold the line already.
				}
				continue
			}
			s.noOrdinaryEnd()
		}
		if wrong == 0 {
			return s.timed()
		}
	}
	return nil, errors.New("the scenario does not give the recorded bytes")
}

// compare plays the scenario and reports for each event whether it comes out as recorded.
// If the language refuses the scenario, no event does, and answer is nil.
func (s *stream) compare() (same []bool, answer *played, err error) {
	sc, _ := s.scenario()
	answer, err = s.how.replay(&sc, s.exchange)
	same = make([]bool, len(s.frames))
	switch {
	case err != nil && slices.Min(append(slices.Clone(s.forms), bare)) == bare:
		return nil, nil, fmt.Errorf("as bytes alone: %w", err)
	case err != nil:
		return same, nil, nil
	}
	s.base.Quirks = sc.Quirks
	for i := range s.frames {
		want := s.frames[i].Raw
		if i == 0 && s.base.Wire.BOM != nil {
			want = append([]byte(sse.ByteOrderMark), want...)
		}
		same[i] = i < len(answer.frames) && bytes.Equal(answer.frames[i].bytes, want)
	}
	return same, answer, nil
}

// scenario is the scenario with the current forms and ranges, and the position of the
// first event of each step.
func (s *stream) scenario() (sc scenarios.Scenario, first []int) {
	sc = s.base
	sc.Quirks = slices.Clone(s.base.Quirks)
	steps := make([]scenarios.Step, 0, len(s.frames))
	if s.obfuscated {
		defer func() { sc.Envelope.Obfuscations = s.obfuscation() }()
	}
	for i := 0; i < len(s.frames)-s.done; i++ {
		first = append(first, i)
		if n := s.rangeOf(i); n >= 0 {
			steps = append(steps, s.ranges[n].step)
			i = s.ranges[n].end - 1
			continue
		}
		steps = append(steps, s.step(i))
	}
	sc.Replies = []scenarios.Reply{{Stream: &steps}}
	return sc, first
}

// obfuscation are the values of obfuscation of all chunks that are not literal.
func (s *stream) obfuscation() (list []string) {
	for i := range s.frames[:len(s.frames)-s.done] {
		if v, ok := s.frames[i].json(); ok && s.forms[i] <= edited && v.Get("choices").Kind() == ojson.ArrayKind {
			list = append(list, v.Get("obfuscation").Text())
		}
	}
	return list
}

// ending sets the end of the scenario if the answer has no regular end.
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
