package scenarios

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
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
	for i, a := range result.Set {
		result.Set[i].Path.Undoes = a.Path.Undoes || over.edits(a.Path) && e.edits(a.Path)
	}
	return result
}

// puts reports whether the envelope overwrites a place, or already removes what an
// envelope below it puts there.
func (e *Envelope) puts(p Path) bool {
	return slices.ContainsFunc(e.Set, func(a Assignment) bool { return a.Path.String() == p.String() }) ||
		slices.ContainsFunc(e.Omit, func(o Path) bool { return o.Undoes && o.String() == p.String() })
}

func (e *Envelope) edits(p Path) bool {
	same := func(other Path) bool { return other.String() == p.String() }
	return slices.ContainsFunc(e.Omit, same) || slices.ContainsFunc(e.Set, func(a Assignment) bool { return same(a.Path) })
}

func (p Pace) overlay(over Pace) Pace {
	if over.Every != nil || over.Recorded != nil { // two ways to say one thing
		p.Every, p.Recorded = nil, nil
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
	if over.Newline != "" || over.Newlines[0] != "" { // two ways to say one thing
		w.Newline, w.Newlines = "", [2]string{}
	}
	if over.MultilineData != nil || over.DataLines != 0 { // here, too
		w.MultilineData, w.DataLines = nil, 0
	}
	result := overlayFields(w, over)
	result.Headers = append(headers, over.Headers...)
	return result
}

// Copies and overlays are made by reflection, so that a new field of a scenario needs
// no line in this file.

// ourPackage is the path of the package whose struct types are copied field by field.
var ourPackage = reflect.TypeFor[Scenario]().PkgPath()

// Clone returns a deep copy of s. The two share only JSON values and compiled regular
// expressions, which are immutable.
func (s *Scenario) Clone() *Scenario {
	c := new(*s)
	copyInside(reflect.ValueOf(c).Elem())
	return c
}

// copyInside replaces all that a value points to by copies.
func copyInside(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		if v.Type().PkgPath() != ourPackage {
			return
		}
		for i := range v.NumField() { //nolint:modernize // Fields allocates for each field.
			if field := v.Field(i); field.CanSet() { // it can be set if it is exported
				copyInside(field)
			}
		}
	case reflect.Pointer:
		if v.IsNil() || v.Type().Elem().PkgPath() == "regexp" {
			return
		}
		to := reflect.New(v.Type().Elem())
		to.Elem().Set(v.Elem())
		v.Set(to)
		copyInside(to.Elem())
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		to := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(to, v)
		v.Set(to)
		for i := range v.Len() {
			copyInside(v.Index(i))
		}
	}
}

// overlayFields returns base with the fields of over that are not zero. Places are those of
// both.
func overlayFields[T any](base, over T) T {
	to, from := reflect.ValueOf(&base).Elem(), reflect.ValueOf(over)
	for i := range from.NumField() {
		places, ok := reflect.TypeAssert[Places](from.Field(i))
		switch {
		case from.Field(i).IsZero():
		case ok:
			both := maps.Clone(to.Field(i).Interface().(Places))
			if both == nil {
				both = Places{}
			}
			maps.Copy(both, places)
			to.Field(i).Set(reflect.ValueOf(both))
		default:
			to.Field(i).Set(from.Field(i))
		}
	}
	return base
}

// resolveExtends resolves the extends of scenarios and keeps their order. A scenario
// that extends one that is neither in the list nor in base is a problem and left out.
func resolveExtends(list []*Scenario, base *Set) ([]*entry, diag.List) {
	x := extender{base: base, own: map[string]*Scenario{}, resolved: map[string]*entry{}}
	if base != nil {
		x.names = slices.Clone(base.names)
	}
	for _, s := range list {
		x.own[s.Name], x.names = s, append(x.names, s.Name)
	}
	var entries []*entry
	for _, s := range list {
		if e := x.resolve(s, nil); e != nil {
			entries = append(entries, e)
		}
	}
	return entries, x.diags
}

type extender struct {
	base  *Set
	own   map[string]*Scenario
	names []string
	// resolved is the scenarios that were resolved so far, nil if that failed.
	resolved map[string]*entry
	diags    diag.List
}

// resolve resolves one scenario. Chain is the names of the scenarios on the way to it,
// each of which extends the next; a name that comes twice is a circle.
func (x *extender) resolve(s *Scenario, chain []string) *entry {
	if done, ok := x.resolved[s.Name]; ok {
		return done
	}
	if slices.Contains(chain, s.Name) {
		x.report(s, "extends goes in a circle: "+strings.Join(append(chain, s.Name), " -> "), "")
		return nil
	}
	x.resolved[s.Name] = x.extend(s, append(chain, s.Name))
	return x.resolved[s.Name]
}

func (x *extender) extend(s *Scenario, chain []string) *entry {
	if s.Extends == "" {
		return newEntry(s, nil)
	}
	from := x.base.entry(s.Extends)
	if own := x.own[s.Extends]; own != nil {
		if from = x.resolve(own, chain); from == nil {
			return nil
		}
	}
	if from == nil {
		x.report(s, fmt.Sprintf("extends %q, but there is no scenario of that name", s.Extends), diag.DidYouMean(s.Extends, x.names))
		return nil
	}
	return from.extendedBy(s)
}

func (e *entry) extendedBy(s *Scenario) *entry {
	extended := newEntry(s.extending(e.scenario), slices.Concat(e.scenario.Quirks, e.inherited))
	for i := range extended.replies {
		under := &e.scenario.Manner
		if len(s.Replies) == 0 {
			under = e.replies[i].manner
		}
		extended.replies[i].under = append(extended.replies[i].under, under)
	}
	return extended
}

func (x *extender) report(s *Scenario, message, hint string) {
	x.diags = append(x.diags, diag.Problem{Pos: *cmp.Or(s.ExtendsPos, &s.Pos), Message: message, Hint: hint})
}

// extending returns s with the members that it does not have and base has. Replies,
// conditions and tags of s replace those of base, and its replies also the expectations. The
// manner of s is laid over the manner of base and of its replies.
func (s *Scenario) extending(base *Scenario) *Scenario {
	from := base.Clone()
	result := overlayFields(*from, *s)
	result.Description, result.Quirks = s.Description, s.Quirks
	if len(s.Replies) > 0 {
		result.Expect = s.Expect
		if !slices.ContainsFunc(s.Replies, func(r Reply) bool { return r.Error == nil }) {
			from.Wire.ContentType = nil // It is the type of the base's answers, not that of errors.
		}
		result.Manner = *from.Manner.Overlay(&s.Manner)
	} else {
		result.Replies = from.Replies
		result.Manner = *from.Manner.Overlay(&s.Manner)
		result.Damage = from.Damage // the damage of s is added to each reply below
		for i := range result.Replies {
			r := &result.Replies[i]
			r.Manner = *r.Manner.Overlay(&s.Manner)
		}
	}
	if s.When.IsZero() {
		result.When = from.When
	}
	if s.Limits.IsZero() {
		result.Limits = from.Limits
	}
	return &result
}

// IsZero reports whether w holds for every request.
func (w *When) IsZero() bool { return len(w.conditions()) == 0 }
