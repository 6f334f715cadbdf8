package compile

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
)

// Place is a place in a stream that damage or an ending names.
type Place struct {
	Pos     diag.Pos
	Name    string // Name identifies the place: the word of the language, and what it names.
	Found   bool   // Found says that the place exists, or that only a request can tell.
	Missing string // Missing is the message for a place that does not exist.
	Hint    string
	InText  bool // InText says that the place is in a text, which the request may decide.
}

// places collects which frames damage and endings strike, and which of them do not exist.
type places struct {
	open   bool // open says that the number of units depends on the request.
	sample *player.Values
	list   []Place
}

// Places looks for the places that the manner names, among the units of a stream or in
// an answer of one piece. Whatever is left to chance is taken to happen.
func Places(units []Unit, o Options, stream bool) []Place {
	if stream {
		units = repeatFinal(units, &o.Manner.Wire)
	}
	l := &places{open: hasSeries(units), sample: o.Sample}
	if stream {
		l.wires(units)
	}
	units = (&draws{places: l}).damage(units, o.Manner.Damage, o.Complete)
	if o.Manner.End.After != nil {
		l.end(&o.Manner.End, units, stream)
	}
	const text = "write a text with one, such as é; json_style: ascii leaves none"
	if e := &o.Manner.End; e.InsideRune {
		after := 0
		if e.After != nil {
			after = countSent(units, *e.After)
		}
		l.wideRune(Place{Pos: e.Pos, Name: string(e.Kind) + " inside rune", Missing: "inside: rune: no frame that follows has a character of several bytes", Hint: text}, units, after, &o.Manner.Wire)
	}
	if s := o.Manner.Wire.Split; s != nil && s.By == "inside_rune" {
		l.wideRune(Place{Pos: s.Pos, Name: "split inside_rune", Missing: "split: inside_rune: no frame has a character of several bytes", Hint: text}, units, 0, &o.Manner.Wire)
	}
	return l.list
}

// Unsent returns the steps all of whose events damage takes away, whatever is left to chance.
func Unsent(units []Unit, o Options) map[int]bool {
	if hasSeries(units) {
		return nil // only a request tells where the frames are
	}
	units = slices.Clone(units)
	if last := len(units) - 1; last > 0 && units[last].Final && units[last].Step == units[last-1].Step {
		units[last].Step = -1 // the end of the stream follows the last step by itself
	}
	units = repeatFinal(units, &o.Manner.Wire)
	steps := map[int]bool{}
	for _, u := range units {
		steps[u.Step] = steps[u.Step] || u.sends()
	}
	for _, u := range (&draws{}).damage(units, o.Manner.Damage, o.Complete) {
		if u.sends() {
			delete(steps, u.Step)
		}
	}
	maps.DeleteFunc(steps, func(_ int, sent bool) bool { return !sent })
	return steps
}

// wires records which events the wire of a step names.
func (l *places) wires(units []Unit) {
	var seen *scenarios.StepWire
	for i := range units {
		w := units[i].Wire
		if w == nil || w.Frames == "" || w == seen {
			continue
		}
		seen = w
		own := slices.DeleteFunc(slices.Clone(units), func(u Unit) bool { return u.Wire != w })
		words, count := Missed(own, w.Frames)
		l.list = append(l.list, Place{
			Pos: w.Pos, Name: "wire " + w.Frames, Found: len(Named(own, w.Frames)) > 0 || l.open && count != "",
			Missing: "wire: the step has no event " + words, Hint: cmp.Or(count, "its events are "+strings.Join(kindsOf(own), ", ")),
		})
	}
}

// end records whether the frame exists after which an answer ends. An answer in one
// piece cannot end after its frame, since all of it is sent then.
func (l *places) end(e *scenarios.End, units []Unit, stream bool) {
	n, total := *e.After, countSent(units, math.MaxInt)
	p := Place{
		Pos: e.Pos, Name: fmt.Sprintf("%s after %d", e.Kind, n), Found: l.open || max(n, -n) <= total && (stream || n <= 0),
		Missing: fmt.Sprintf("%s after: there is no frame %d", e.Kind, n),
	}
	behind := "write after: all"
	if e.Kind == scenarios.EndClose {
		behind = "leave end out"
	}
	p.Hint = fmt.Sprintf("the last frame is %d: %s to end behind it", total, behind)
	if !stream && n == total {
		p.Missing = fmt.Sprintf("%s after: frame %d is the whole answer", e.Kind, n)
		p.Hint = behind + " to end behind it, or write after: 0 to end before it"
	}
	l.list = append(l.list, p)
}

// wideRune records whether there is a multi-byte character in the units after a frame, for a
// stream to end or to be split inside of.
func (l *places) wideRune(p Place, units []Unit, after int, w *scenarios.Wire) {
	p.Found, p.InText = l.open, true
	n, style := -1, Style(w.JSONStyle)
	for i := range units {
		u := &units[i]
		if !u.sends() {
			continue
		}
		n++
		bytes := append(u.style(style).Append(nil, u.JSON), u.Event.Data...)
		unknown := u.Raw != nil && *u.Raw == ""
		if u.Raw != nil {
			bytes = append(bytes, *u.Raw...)
		}
		p.Found = p.Found || n >= after && (unknown || firstWideRune(bytes) >= 0)
	}
	l.list = append(l.list, p)
}

// tellSelector says whether a selector of a damage has picked one of the units; again says that those
// before it have picked the same.
func (s *strikes) tellSelector(one scenarios.Selector, struck, again bool, units []Unit) {
	if s.places == nil {
		return
	}
	op := s.damage.Op
	words, count := Missed(units, one.Kind)
	p := Place{Pos: one.Pos, Name: op + " " + one.Kind, Found: struck || s.places.open && count != "", Missing: op + ": there is no frame " + words}
	if one.Pos.Line == 0 {
		p.Pos = s.damage.Pos // all frames, which nobody wrote
	}
	if one.Kind == "" {
		p.Name, p.Found = fmt.Sprint(op, " ", one.Position), struck || s.places.open
	}
	if countSent(units, math.MaxInt) == 0 {
		p.Missing, p.Hint = op+": the damage before it leaves no frame", "leave it out"
	} else if one.Kind == "" {
		p.Missing = fmt.Sprintf("%s: there is no frame %d", op, one.Position)
		p.Hint = fmt.Sprintf("the last frame is %d, which is also -1", countSent(units, math.MaxInt))
	} else if countSent(units, math.MaxInt) == 1 {
		p.Hint = "all is sent in one frame, which is frame 1"
	} else {
		kinds := kindsOf(units)
		if near := diag.Nearest(one.Kind, kinds); near != "" {
			count = fmt.Sprintf("did you mean %q?", near)
		}
		p.Hint = cmp.Or(count, "the kinds of frames are "+strings.Join(kinds, ", "))
	}
	s.places.list = append(s.places.list, p)
	if struck {
		s.places.list = append(s.places.list, Place{
			Pos: p.Pos, Name: p.Name + " again", Found: !again || s.places.open,
			Missing: op + ": its frames are named before it", Hint: "leave it out",
		})
	}
}

// Missed describes a name that fits none of the units. If it is one of several frames of a kind, count says
// what the last of them is called.
func Missed(units []Unit, name string) (words, count string) {
	kind, _, one := scenarios.OneOfKind(name)
	if n := len(Named(units, kind)); one && n > 0 {
		return name, fmt.Sprintf("the last is %s[%d], which is also %s[-1]", kind, n-1, kind)
	}
	return "of the kind " + kind, ""
}

// kindsOf lists the names of the units that send something, each once.
func kindsOf(units []Unit) (kinds []string) {
	for i := range units {
		if name := units[i].name(); units[i].sends() && !slices.Contains(kinds, name) {
			kinds = append(kinds, name)
		}
	}
	return kinds
}

// tellPath says whether one of the frames that were picked has the member that the damage
// names, if it names one.
func (s *strikes) tellPath(units []Unit, picked []bool) {
	from := s.damage.From
	if s.places == nil || len(from.Path) == 0 || !slices.Contains(picked, true) {
		return
	}
	p := Place{Pos: from.Pos, Name: s.damage.Op + " " + from.String(), Found: s.struckPath}
	if !p.Found {
		var seen []ojson.Value // one value of each kind of frame
		kinds := map[string]bool{}
		for i := range units {
			if picked[i] && !kinds[units[i].Kind] {
				kinds[units[i].Kind] = true
				seen = append(seen, units[i].JSON)
			}
		}
		p.Missing, p.Hint = fmt.Sprintf("%s: no frame that it changes has %s", s.damage.Op, from), NearestPath(from.Path, s.complete, seen)
	}
	s.places.list = append(s.places.list, p)
}

// tellMembers says which of the members that the damage keeps one of the frames has.
func (s *strikes) tellMembers() {
	if s.places == nil || !s.struckPath {
		return
	}
	for _, kept := range s.damage.Members {
		s.places.list = append(s.places.list, Place{
			Pos: s.damage.Pos, Name: "keep member " + kept, Found: slices.Contains(s.members, kept),
			Missing: fmt.Sprintf("keep: no frame that it changes has the member %s", kept), Hint: diag.DidYouMean(kept, s.members),
		})
	}
}

// tellChange says whether the damage makes a difference to the frames that it strikes.
func (s *strikes) tellChange() {
	if s.places == nil || !s.meets {
		return
	}
	op := s.damage.Op
	s.places.list = append(s.places.list, Place{
		Pos: s.damage.Pos, Name: op + " changes", Found: s.changes || s.places.open,
		Missing: op + " changes nothing: all is so already", Hint: "leave it out",
	})
}

// NearestPath returns the hint for a path that none of the values has: the nearest path in
// one of them, or the members at the last place of the path that exists.
func NearestPath(p ojson.Path, complete func(ojson.Path) ojson.Path, values []ojson.Value) string {
	full := complete(p)
	var known []string
	seen := map[string]bool{} // the chunks of a step have mostly the same paths
	for _, v := range values {
		eachPath(v, nil, func(at ojson.Path) {
			path := at.String()
			if seen[path] {
				return
			}
			seen[path] = true
			known = append(known, path)
			if len(at) > 2 && complete(at[2:]).String() == path {
				known = append(known, at[2:].String())
			}
		})
	}
	if near := diag.Nearest(p.String(), known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	deepest, at := ojson.Value{}, -1
	for _, v := range values {
		n := 0
		for n < len(full) && !v.Find(full[:n+1]).IsAbsent() {
			n++
		}
		if n > at {
			deepest, at = v.Find(full[:n]), n
		}
	}
	return whatThereIs(full[:max(at, 0)], deepest)
}

func whatThereIs(at ojson.Path, v ojson.Value) string {
	name := "the chunk"
	if len(at) > 0 {
		name = at.String()
	}
	var members []string
	for _, m := range v.Members() {
		members = append(members, m.Name)
	}
	switch {
	case len(members) > 0:
		return name + " has " + strings.Join(members, ", ")
	case len(v.Items()) > 0:
		return fmt.Sprintf("%s has only the positions 0 to %d", name, len(v.Items())-1)
	case v.Kind() == ojson.ObjectKind || v.Kind() == ojson.ArrayKind:
		return name + " is empty"
	case v.IsAbsent():
		return "it is sent as it is written"
	}
	return name + " is " + v.TypeInWords()
}

func eachPath(v ojson.Value, at ojson.Path, visit func(ojson.Path)) {
	if len(at) > 0 {
		visit(at)
	}
	for _, m := range v.Members() {
		eachPath(m.Value, append(slices.Clone(at), ojson.PathElement{Name: m.Name}), visit)
	}
	for i, item := range v.Items() {
		eachPath(item, append(slices.Clone(at), ojson.PathElement{Index: i, IsIndex: true}), visit)
	}
}
