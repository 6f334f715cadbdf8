package answer

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/lint"
	"github.com/fakeopenai/fakeopenai/server/internal/render"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// Check finds what is wrong with the scenarios of a set beyond what the set sees
// itself: in their templates, and in the streams that they become. The streams
// are those that are played: made by the same code, for a request that gets all
// that they can send.
func Check(set *scenarios.Set) diag.List {
	var list diag.List
	places := newPlacesSought()
	extended := extendedNames(set)
	for _, s := range set.Scenarios() {
		drafts := set.SelectionsOf(s.Name, 1)
		for _, sel := range drafts {
			places.reply(sel)
		}
		list = append(append(list, checkSurfaces(s)...), checkPace(s, drafts, extended[s.Name])...)
		templates := render.Check(s)
		streams := checkStreams(s, set.InheritedQuirks(s.Name), drafts)
		list = append(append(list, templates...), slices.DeleteFunc(streams, saidOf(templates))...)
	}
	list = append(list, places.problems()...)
	list.Sort()
	return list.Unique()
}

// saidOf reports what was said of a template before, with a hint.
func saidOf(templates diag.List) func(diag.Problem) bool {
	return func(p diag.Problem) bool {
		return slices.ContainsFunc(templates, func(t diag.Problem) bool {
			return t.Pos == p.Pos && strings.HasSuffix(t.Message, ": "+p.Message)
		})
	}
}

// checkSurfaces finds conditions on surfaces that the server does not speak, so
// that they never hold. In files the reader knows the surfaces.
func checkSurfaces(s *scenarios.Scenario) diag.List {
	var list diag.List
	check := func(w *scenarios.When, e *scenarios.Envelope) {
		list = append(list, checkLayout(s, w, e)...)
		if w.Surface == "" || SurfaceNamed(w.Surface).Name() == w.Surface {
			return
		}
		var names []string
		for _, known := range surfaces {
			names = append(names, known.Name())
		}
		list = append(list, diag.Problem{
			Pos:     w.Pos,
			Message: fmt.Sprintf("scenario %q: there is no surface %q; there are %s", s.Name, w.Surface, strings.Join(names, ", ")),
		})
	}
	check(&s.When, &s.Envelope)
	for i := range s.Replies {
		check(&s.Replies[i].When, &s.Replies[i].Envelope)
	}
	return list
}

// checkLayout finds a layout of another surface than the one that is named beside it.
func checkLayout(s *scenarios.Scenario, w *scenarios.When, e *scenarios.Envelope) diag.List {
	on := cmp.Or(w.Surface, s.When.Surface)
	if on == "" || on == "completions" || e.Layout == "" || e.Layout.IsOn(on) {
		return nil
	}
	var names []string
	for _, known := range scenarios.Layouts {
		if known.Name.IsOn(on) {
			names = append(names, string(known.Name))
		}
	}
	return diag.List{{
		Pos:     cmp.Or(w.Pos, s.When.Pos),
		Message: fmt.Sprintf("scenario %q: the layout %s is none of the surface %s", s.Name, e.Layout, on),
		Hint:    fmt.Sprintf("leave it out, or write one of %s", strings.Join(names, ", ")),
	}}
}

// checkStreams puts the streams of a scenario's replies to the rules of the
// protocol.
func checkStreams(s *scenarios.Scenario, inherited []scenarios.Quirk, replies []*scenarios.Selection) diag.List {
	silenced := lint.Silenced(s, inherited)
	var problems diag.List
	subjects := make([]lint.Subject, len(replies))
	for i, sel := range replies {
		if silenced && surfaceOf(s, sel.Reply) == surfaces[0] && sel.Manner.Envelope.Response == nil {
			continue // The first surface has words for what is only for it.
		}
		var found diag.List
		subjects[i], found = draft(sel)
		problems = append(problems, found...)
	}
	if silenced {
		return problems
	}
	return append(problems, lint.Scenario(s, inherited, subjects)...)
}

// draft is a reply as it is spoken on the surface that it is for.
func draft(sel *scenarios.Selection) (lint.Subject, diag.List) {
	s := surfaceOf(sel.Scenario, sel.Reply)
	o := surface.Options{Envelope: openEnvelope(sel.Manner.Envelope)}
	hear := func(g *script.Group) lint.Heard { return s.Hear(g, o) }
	subject := lint.Subject{Surface: s.Name(), Hear: hear, Shapes: s.Checks(), Skips: s.Skips()}
	if sel.Reply.Error != nil {
		return subject, nil
	}
	want := s.DraftWant(sel.Reply, sel.Manner)
	var tooMany diag.List
	if often := tooOften(s, want, sel.Reply); often != nil {
		tooMany = diag.List{unsayableAt(sel, often)}
		sel = repeatingLess(sel)
	}
	sc, problems := script.New(sel, want).Reply(s)
	subject.Script = sc
	problems = append(problems, tooMany...)
	if err := compile.TooMany(sc.Lines(), sc.HasLoops(), sel.Manner); err != nil {
		problems = append(problems, diag.Problem{Pos: sel.Reply.Pos, Message: err.Error()})
	}
	if unsayable := unsayableProblem(s, sc, sel, want); unsayable != nil {
		problems = append(problems, *unsayable)
	}
	return subject, problems
}

// repeatingLess is a selection whose steps repeat as often as tells all rules apart.
func repeatingLess(sel *scenarios.Selection) *scenarios.Selection {
	less, reply, steps := *sel, *sel.Reply, slices.Clone(*sel.Reply.Stream)
	for i := range steps {
		steps[i].Repeat = min(steps[i].Repeat, 3)
	}
	reply.Stream, less.Reply = &steps, &reply
	return &less
}

// openEnvelope is an envelope whose further members and overwritten places are left
// open where they depend on the request, as those of steps are.
func openEnvelope(e scenarios.Envelope) scenarios.Envelope {
	e.Extra = hole.Open(e.Extra, isTemplate)
	e.Set = slices.Clone(e.Set)
	for i := range e.Set {
		e.Set[i].Value = hole.Open(e.Set[i].Value, isTemplate)
	}
	if e.Response != nil {
		r := *e.Response
		r.IncompleteDetails, r.Error = hole.Open(r.IncompleteDetails, isTemplate), hole.Open(r.Error, isTemplate)
		e.Response = &r
	}
	return e
}

func isTemplate(v ojson.Value) bool {
	return v.Kind() == ojson.StringKind && render.ValueIsTemplate(v)
}

// unsayableProblem is the problem of a reply that holds what its surface has no
// words for, or nil.
func unsayableProblem(s surface.Surface, sc *script.Script, sel *scenarios.Selection, want script.Want) *diag.Problem {
	err := s.Sayable(sc, surface.Options{Want: want, Envelope: sel.Manner.Envelope, FromMessage: sel.Reply.Message != nil})
	unsayable, ok := errors.AsType[*surface.Unsayable](err)
	if !ok {
		return nil
	}
	p := unsayableAt(sel, unsayable)
	return &p
}

// unsayableAt is the problem of a reply with the step of which its surface has no
// words.
func unsayableAt(sel *scenarios.Selection, unsayable *surface.Unsayable) diag.Problem {
	p := diag.Problem{Pos: sel.Reply.Pos, Message: unsayable.Error(), Hint: cmp.Or(unsayable.Hint, "leave it out, or let the reply answer on another surface")}
	if sel.Reply.Stream != nil && unsayable.Step >= 0 && unsayable.Step < len(*sel.Reply.Stream) {
		p.Pos = (*sel.Reply.Stream)[unsayable.Step].Pos
	}
	if unsayable.Pos.Line > 0 {
		p.Pos = unsayable.Pos
		p.Hint = "leave it out, or let the scenario answer on responses alone: when: { surface: responses }"
	}
	if p.Line == 0 {
		p.Message = fmt.Sprintf("scenario %q, reply %d: %s", sel.Scenario.Name, sel.Index+1, p.Message)
	}
	return p
}

// surfaceOf is the surface that a reply answers on. Where it does not say, it is the
// first that has words for it.
func surfaceOf(s *scenarios.Scenario, r *scenarios.Reply) surface.Surface {
	name := cmp.Or(r.When.Surface, s.When.Surface)
	if name == "" && r.HasItem() {
		name = "responses"
	}
	return SurfaceNamed(name)
}

// firstOf is the first of the problems because of which a program cannot be
// built, as an error that says who is to blame.
func firstOf(problems diag.List, b *script.Builder) error {
	if b.BlamesRequest() {
		return fmt.Errorf("%w: %w", script.ErrRequest, problems[:1])
	}
	return problems[:1]
}

// EmptyCaptures are the places in a selected reply that use what no condition
// captured in its request.
func EmptyCaptures(sel *scenarios.Selection) diag.List { return render.EmptyCaptures(sel) }
