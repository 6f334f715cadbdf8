package scenarios

import (
	"reflect"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Overlay returns m with another manner laid over it, field by field: what over sets
// wins. Damage is appended; End is replaced as a whole. Neither manner is changed. The
// result is one of the two, and must not be changed, if the other says nothing.
func (m *Manner) Overlay(over *Manner) *Manner {
	switch {
	case saysNothing(over) && len(m.Envelope.Omit) == 0:
		return m
	case saysNothing(m):
		return over
	}
	result := Manner{
		Envelope: m.Envelope.overlay(over.Envelope),
		Pace:     m.Pace.overlay(over.Pace),
		Wire:     m.Wire.overlay(over.Wire),
		Damage:   slices.Concat(m.Damage, over.Damage),
		End:      m.End,
	}
	if over.End.Kind != "" {
		result.End = over.End
	}
	return &result
}

func saysNothing(m *Manner) bool { return reflect.ValueOf(m).Elem().IsZero() }

func (e Envelope) overlay(over Envelope) Envelope {
	if over.Created.Present || over.CreatedPerChunk || !over.CreatedAs.IsAbsent() { // three ways to say one thing
		e.Created, e.CreatedPerChunk, e.CreatedAs = Opt[int64]{}, false, ojson.Value{}
	}
	if over.Obfuscation != nil || over.Obfuscations != nil { // two ways
		e.Obfuscation, e.Obfuscations = nil, nil
	}
	extra := e.Extra.Clone()
	result := overlayFields(e, over)
	if extra.Kind() == ojson.ObjectKind && over.Extra.Kind() == ojson.ObjectKind {
		extra.SetAll(over.Extra.Members())
		result.Extra = extra
	}
	anew := func(p Path) bool { return over.edits(p) }
	omit := slices.DeleteFunc(slices.Clone(e.Omit), anew)
	set := slices.DeleteFunc(slices.Clone(e.Set), func(a Assignment) bool { return anew(a.Path) })
	result.Omit, result.Set = slices.Concat(omit, over.Omit), slices.Concat(set, over.Set)
	for i, p := range result.Omit {
		result.Omit[i].Undoes = p.Undoes || e.puts(p)
	}
	return result
}

// puts reports whether the envelope overwrites a place, or already removes what an
// envelope below it puts there.
func (e *Envelope) puts(p Path) bool {
	return slices.ContainsFunc(e.Set, func(a Assignment) bool { return a.Path.String() == p.String() }) ||
		slices.ContainsFunc(e.Omit, func(o Path) bool { return o.Undoes && o.String() == p.String() })
}

// edits reports whether the envelope removes or overwrites a place.
func (e *Envelope) edits(p Path) bool {
	same := func(other Path) bool { return other.String() == p.String() }
	return slices.ContainsFunc(e.Omit, same) || slices.ContainsFunc(e.Set, func(a Assignment) bool { return same(a.Path) })
}

func (p Pace) overlay(over Pace) Pace {
	if over.Every != nil || over.Recorded != nil || over.TokensPerSecond != 0 { // three ways to say one thing
		p.Every, p.Recorded, p.TokensPerSecond = nil, nil, 0
	}
	return overlayFields(p, over)
}

func (w Wire) overlay(over Wire) Wire {
	var headers []Header
	for _, h := range w.Headers {
		if !slices.ContainsFunc(over.Headers, func(o Header) bool { return strings.EqualFold(o.Name, h.Name) }) {
			headers = append(headers, h)
		}
	}
	if over.Newline != "" || over.Newlines != nil { // two ways to say one thing
		w.Newline, w.Newlines = "", nil
	}
	if over.MultilineData != nil || over.DataLines != 0 { // here, too
		w.MultilineData, w.DataLines = nil, 0
	}
	result := overlayFields(w, over)
	result.Headers = append(headers, over.Headers...)
	return result
}
