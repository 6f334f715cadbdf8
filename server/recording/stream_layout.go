package recording

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// sampled is how many of the first events the layout is chosen by.
const sampled = 40

// chooseLayout sets the layout in which most of the first events come out as recorded.
func (s *stream) chooseLayout() {
	sample := *s
	sample.frames, sample.done = s.frames[:min(sampled, len(s.frames))], 0
	sample.base.End = scenarios.End{}
	most := -1
	for _, sample.layout = range layoutsOn(s.base.When.Surface) {
		sample.propose(len(sample.frames))
		sc := sample.scenario()
		_, same, err := sample.play(&sc)
		right := 0
		for _, ok := range same {
			if ok {
				right++
			}
		}
		if err == nil && right > most {
			s.layout, most = sample.layout, right
		}
		if most == len(sample.frames) {
			return
		}
	}
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
	return chatEnvelope(first, s.layout)
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
