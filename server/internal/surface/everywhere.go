package surface

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
)

// AmendEverywhere takes out and overwrites what the envelope says, in a finished
// chunk or in a whole answer; places are those that a path means in it. A value is
// set only where there is something around its place, so that a member of usage
// does not make a usage in every chunk.
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

// NullUsage reports whether the chunks of a stream that have no usage say so: as the
// envelope says, or else as the request asks.
func (o *Options) NullUsage() bool {
	if null := o.Envelope.UsageNull; null != nil {
		return *null && o.Want.Stream
	}
	return o.Want.Usage && o.Want.Stream
}

// InChoices is a path that goes on inside a choice, in full, for each of so many
// choices.
func InChoices(p ojson.Path, count int) []ojson.Path {
	list := make([]ojson.Path, count)
	for i := range list {
		list[i] = slices.Concat(ojson.Path{{Name: "choices"}, {IsIndex: true, Index: i}}, p)
	}
	return list
}

// KeepLast keeps in kept the members of a choice beside those that are known, as
// clients do: the last counts, but null and an empty object take nothing away.
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
