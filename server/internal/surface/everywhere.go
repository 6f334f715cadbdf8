package surface

import (
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
