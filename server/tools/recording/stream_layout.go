package recording

import (
	"cmp"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server"
)

// sampled is how many of the first events the layout is chosen by.
const sampled = 40

// chooseLayout sets the layout in which most of the first events come out as recorded, if need be
// with edits of all chunks. Chunks whose members stand in an order that no layout has get that order.
func (s *stream) chooseLayout() {
	sample := *s
	sample.frames, sample.done = s.frames[:min(sampled, len(s.frames))], 0
	sample.base.End = scenarios.End{}
	best := score{-1, -1}
	layouts := layoutsOn(s.base.When.Surface)
	edits := make([][]edit, len(layouts)) // edits are those that most chunks need in a layout.
	for round := range 4 {
		if round == 2 {
			if best.readable == len(sample.frames) || !scenarios.LayoutMinimal.IsOn(cmp.Or(s.base.When.Surface, scenarios.DefaultSurface)) {
				return
			}
			layouts, edits, sample.order = []scenarios.Layout{scenarios.LayoutMinimal}, make([][]edit, 1), orderIn(sample.values())
		}
		for i, layout := range layouts {
			sample.layout, sample.common = layout, edits[i]
			answer, reached := sample.tried()
			if cmp.Or(reached.readable-best.readable, reached.right-best.right) > 0 {
				s.layout, s.common, s.order, best = layout, edits[i], sample.order, reached
			}
			if best.right == len(sample.frames) {
				return
			}
			if answer != nil && !s.isResponses() {
				m := sample.mender(answer)
				edits[i] = m.common()
			}
		}
	}
}

// score says how well a layout fits.
type score struct {
	readable int // readable is how many events need no literal chunk.
	right    int // right is how many of them come out as recorded, without an edit.
}

// extraIn are the members beside those of every layout that all chunks have with the same value; absent
// if there are none.
func extraIn(chunks []ojson.Value) (extra ojson.Value) {
	chunks = slices.DeleteFunc(slices.Clone(chunks), func(v ojson.Value) bool { return v.Get("choices").Kind() != ojson.ArrayKind })
	if len(chunks) < 2 {
		return extra
	}
	for _, m := range extraOf(chunks[0]).Members() {
		if !slices.ContainsFunc(chunks, func(v ojson.Value) bool { return !ojson.Equal(v.Get(m.Name), m.Value) }) {
			put(&extra, m)
		}
	}
	return extra
}

// orderIn is the order of the members of chunks, of their choices and of their deltas.
func orderIn(chunks []ojson.Value) (order []string) {
	var names [3][]string
	for _, chunk := range chunks {
		object := chunk
		for level, in := range []ojson.Path{{{Name: "choices"}, {IsIndex: true}}, {{Name: "delta"}}, nil} {
			names[level] = merged(names[level], object.Members())
			object = object.Find(in)
		}
	}
	for _, name := range slices.Concat(names[:]...) {
		if !slices.Contains(order, name) {
			order = append(order, name)
		}
	}
	return order
}

// merged is a list of names with those of members, each behind the one before it; the first one
// stands before the next one that is known.
func merged(names []string, members []ojson.Member) []string {
	at := len(names)
	for _, m := range slices.Backward(members) {
		if i := slices.Index(names, m.Name); i >= 0 {
			at = i
		}
	}
	for _, m := range members {
		if i := slices.Index(names, m.Name); i >= 0 {
			at = i
		} else {
			names = slices.Insert(names, at, m.Name)
		}
		at++
	}
	return names
}

// tried plays typed steps for all events, and returns how well they come out.
func (s *stream) tried() (answer *server.Plan, reached score) {
	s.propose(len(s.frames))
	sc := s.scenario()
	answer, same, err := s.play(&sc)
	if err != nil || answer == nil {
		return nil, score{-1, -1}
	}
	m := s.mender(answer)
	for i, ok := range same {
		switch {
		case ok:
			reached.right++
			reached.readable++
		case !s.isResponses() && m.isReadable(i):
			reached.readable++
		}
	}
	return answer, reached
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

// envelope returns the envelope of the stream in its layout. For responses it is empty if no step is typed,
// because literal events have all their members.
func (s *stream) envelope(anyTyped bool) scenarios.Envelope {
	if s.isResponses() {
		if !anyTyped {
			return scenarios.Envelope{}
		}
		return responseEnvelope(s.values(), s.layout, requestOf(s.exchange).IncludeObfuscation)
	}
	first := s.firstChunk()
	if !s.isAPI() || first.Get("choices").Kind() != ojson.ArrayKind {
		return scenarios.Envelope{}
	}
	env := chatEnvelope(first, s.layout)
	env.Order, env.Extra = s.order, s.extra
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
