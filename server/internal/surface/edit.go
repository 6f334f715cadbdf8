package surface

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// Edit is a place that omit or set changes: that of a step in a finished chunk, that of
// the envelope in a chunk or a whole answer.
type Edit struct {
	Group  *script.Group // Group is the group of the step; nil for the envelope.
	Word   string        // Word is omit or set.
	Path   scenarios.Path
	Full   ojson.Path  // Full is the path from the top of the chunk.
	Chunk  ojson.Value // Chunk is the chunk before the change; Absent if chunks of its kind never have the place.
	Struck bool        // Struck says that the chunk has the place, or that only a request can tell.
}

// Amend applies the omit and set of a group's step to its finished chunk. The function
// complete returns full paths.
func (o *Options) Amend(v ojson.Value, g *script.Group, complete func(ojson.Path) ojson.Path) ojson.Value {
	if g.Edit == nil {
		return v
	}
	return o.amend(v, g, g.Edit.Omit, g.Edit.Set, func(p ojson.Path) []ojson.Path { return []ojson.Path{complete(p)} })
}

// AmendEverywhere applies the envelope's omit and set to v, a finished chunk or a whole
// answer. The function places lists the full paths that a written path stands for in v.
// A value is set only where its parent exists: setting a member of usage does not add a
// usage to every chunk.
func (o *Options) AmendEverywhere(v ojson.Value, places func(ojson.Path) []ojson.Path) ojson.Value {
	return o.amend(v, nil, o.Envelope.Omit, o.Envelope.Set, places)
}

func (o *Options) amend(v ojson.Value, g *script.Group, omit []scenarios.Path, set []scenarios.Assignment, places func(ojson.Path) []ojson.Path) ojson.Value {
	if len(omit)+len(set) == 0 {
		return v
	}
	v = v.Clone()
	tell := func(word string, p scenarios.Path, edit func(ojson.Path) bool) {
		e, at := Edit{Group: g, Word: word, Path: p}, places(p.Path)
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
		tell("set", a.Path, func(p ojson.Path) bool {
			return (g != nil || !v.Find(p[:len(p)-1]).IsAbsent()) && v.Put(p, a.Value)
		})
	}
	return v
}

// InOrder puts the members of a finished chunk, and of the objects at these places in it, into the
// order of the envelope. Other members follow in their own order.
func (o *Options) InOrder(v ojson.Value, objects ...ojson.Path) ojson.Value {
	if len(o.Envelope.Order) == 0 {
		return v
	}
	v = ordered(v, o.Envelope.Order)
	for _, p := range objects {
		if object := v.Find(p); object.Kind() == ojson.ObjectKind {
			v.Put(p, ordered(object, o.Envelope.Order))
		}
	}
	return v
}

// ordered is an object with the members that have these names first.
func ordered(v ojson.Value, names []string) ojson.Value {
	var list []ojson.Member
	for _, name := range names {
		if value := v.Get(name); !value.IsAbsent() {
			list = append(list, ojson.M(name, value))
		}
	}
	object := ojson.Object(list...)
	object.SetMissing(v.Members())
	return object
}
