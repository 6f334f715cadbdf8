package surface

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
)

// AmendEverywhere applies the envelope's omit and set to v, a finished chunk or a whole
// answer. The function places lists the full paths that a written path stands for in v.
// A value is set only where its parent exists: setting a member of usage does not add a
// usage to every chunk.
func (o *Options) AmendEverywhere(v ojson.Value, places func(ojson.Path) []ojson.Path) ojson.Value {
	omit, set := o.Envelope.Omit, o.Envelope.Set
	if len(omit) == 0 && len(set) == 0 {
		return v
	}
	v = v.Clone()
	tell := func(word string, p scenarios.Path, edit func(ojson.Path) bool) {
		e, at := Edit{Word: word, Path: p}, places(p.Path)
		if o.Edits != nil && len(at) > 0 {
			e.Chunk = v.Clone()
		}
		for _, e.Full = range at {
			e.Struck = edit(e.Full) || hole.On(e.Chunk, e.Full) || e.Struck
		}
		if o.Edits != nil {
			o.Edits(e)
		}
	}
	for _, p := range omit {
		tell("omit", p, v.Remove)
	}
	for _, a := range set {
		tell("set", a.Path, func(p ojson.Path) bool { return !v.Find(p[:len(p)-1]).IsAbsent() && v.Put(p, a.Value) })
	}
	return v
}

// NullUsage reports whether chunks without usage have "usage": null. The envelope
// decides; if it does not, the request's stream_options do.
func (o *Options) NullUsage() bool {
	if null := o.Envelope.UsageNull; null != nil {
		return *null && o.Want.Stream
	}
	return o.Want.Usage && o.Want.Stream
}

// InChoices turns a path inside a choice into full paths, one for each of count
// choices.
func InChoices(p ojson.Path, count int) []ojson.Path {
	list := make([]ojson.Path, count)
	for i := range list {
		list[i] = slices.Concat(ojson.Path{{Name: "choices"}, {IsIndex: true, Index: i}}, p)
	}
	return list
}

// KeepLast copies the members of a choice into kept, except the known ones. As clients
// do, it keeps the last value of each, but null and an empty object replace nothing.
func KeepLast(kept *ojson.Value, choice ojson.Value, known ...string) {
	for _, m := range choice.Members() {
		if slices.Contains(known, m.Name) {
			continue
		}
		if kept.IsAbsent() {
			*kept = ojson.Object()
		}
		empty := m.Value.IsNull() || m.Value.Kind() == ojson.ObjectKind && len(m.Value.Members()) == 0
		if !empty || kept.Get(m.Name).IsAbsent() {
			kept.Set(m.Name, m.Value)
		}
	}
}
