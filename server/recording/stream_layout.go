package recording

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server"
)

// sampled is how many of the first events the layout is chosen by.
const sampled = 40

// chooseLayout sets the layout in which most of the first events come out as recorded, if need be
// with edits of all chunks.
func (s *stream) chooseLayout() {
	sample := *s
	sample.frames, sample.done = s.frames[:min(sampled, len(s.frames))], 0
	sample.base.End = scenarios.End{}
	most := -1
	layouts := layoutsOn(s.base.When.Surface)
	edits := make([][]edit, len(layouts)) // edits are those that most chunks need in a layout.
	for range 2 {
		for i, layout := range layouts {
			sample.layout, sample.common = layout, edits[i]
			answer, right := sample.tried()
			if right > most {
				s.layout, s.common, most = layout, edits[i], right
			}
			if most == len(sample.frames) {
				return
			}
			if answer != nil && !s.isResponses() {
				m := sample.mender(answer)
				edits[i] = m.common()
			}
		}
	}
}

// tried plays typed steps for all events, and returns how many come out as recorded.
func (s *stream) tried() (answer *server.Plan, right int) {
	s.propose(len(s.frames))
	sc := s.scenario()
	answer, same, err := s.play(&sc)
	if err != nil {
		return nil, -1
	}
	for _, ok := range same {
		if ok {
			right++
		}
	}
	return answer, right
}

// layoutsOn are the layouts of answers on a surface, the most frequent one first: "" on all
// but the default surface, where that depends on the model.
func layoutsOn(surface string) (list []scenarios.Layout) {
	if surface == "" {
		surface = scenarios.DefaultSurface
	} else {
		list = append(list, "")
	}
	for _, l := range scenarios.Layouts() {
		if l.Name.IsOn(surface) {
			list = append(list, l.Name)
		}
	}
	return list
}

// envelope is the envelope of the stream in its layout. Without a typed step it is empty where
// literal events have none.
func (s *stream) envelope(anyTyped bool) scenarios.Envelope {
	if s.isResponses() {
		if !anyTyped {
			return scenarios.Envelope{}
		}
		return responseEnvelope(s.values(), s.layout, asked(s.exchange).IncludeObfuscation)
	}
	first := s.firstChunk()
	if first.Get("choices").Kind() != ojson.ArrayKind {
		return scenarios.Envelope{}
	}
	env := chatEnvelope(first, s.layout)
	for _, e := range s.common {
		addEdit(&env.Omit, &env.Set, inChoice(e.Path), e.Value)
	}
	return env
}

// obfuscation are the values of obfuscation of all events that have typed steps; nil if a chunk
// has none.
func (s *stream) obfuscation() (list []string) {
	for _, p := range s.parts {
		for i := p.first; i < p.end && p.form == typed; i++ {
			v := s.frames[i].value
			switch text := v.Get("obfuscation"); {
			case text.Kind() == ojson.StringKind:
				list = append(list, text.Text())
			case v.Get("choices").Kind() == ojson.ArrayKind:
				return nil
			}
		}
	}
	return list
}

// firstChunk is the first data that is an object with an id or, if there is none, the
// first that is an object: Azure sends a chunk about the request first, without an id.
func (s *stream) firstChunk() ojson.Value {
	objects := slices.DeleteFunc(s.values(), func(v ojson.Value) bool { return v.Kind() != ojson.ObjectKind })
	if len(objects) == 0 {
		return ojson.Value{}
	}
	i := slices.IndexFunc(objects, func(v ojson.Value) bool { return v.Get("id").Text() != "" })
	return objects[max(0, i)]
}
