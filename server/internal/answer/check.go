package answer

import (
	"errors"
	"fmt"
	"net/http"
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

// Check finds the problems of a set's scenarios that the set itself does not see: in
// templates, and in the streams that replies become. The streams are built by the same
// code as when they are played, for a request that asks for everything they can send.
func Check(set *scenarios.Set) diag.List {
	var list diag.List
	places := placesSought{known: map[soughtKey]*compile.Place{}}
	found := map[*scenarios.Scenario]diag.List{}
	refused := false // refused says that some API refuses a reply.
	for _, s := range set.Scenarios() {
		drafts := set.SelectionsOf(s.Name, 1)
		list = append(list, checkSurfaces(s)...)
		list = append(list, checkCalls(s)...)
		templates := render.Check(s)
		streams := checkStreams(s, set.InheritedQuirks(s.Name), drafts)
		if len(templates)+len(streams) == 0 {
			list = append(list, checkExpected(s, set)...)
		}
		for _, sel := range drafts {
			places.reply(sel)
			refused = refused || len(sel.Reply.RefusedOn) > 0
		}
		list = append(list, templates...)
		found[s] = slices.DeleteFunc(streams, func(p diag.Problem) bool { // what is said of a template, with a hint
			return slices.ContainsFunc(templates, func(t diag.Problem) bool { return t.Pos == p.Pos && strings.HasSuffix(t.Message, ": "+p.Message) })
		})
		if s.Extends == "" {
			list = append(list, found[s]...)
		}
	}
	for _, s := range set.Scenarios() {
		if s.Extends != "" {
			list = append(list, ofVariant(s, set, found[s], list)...)
		}
	}
	list = append(list, places.problems()...)
	list = append(list, CheckFaults(set.Faults(), set.Struck())...)
	if refused {
		list = append(list, set.CheckEffects()...)
	}
	list.Sort()
	return list.Unique()
}

// ofVariant returns the problems found in a scenario that extends another. A rule that it breaks in a
// stream of the other, which does not break it, is a problem of the variant and not of the place where
// the stream is written.
func ofVariant(s *scenarios.Scenario, set *scenarios.Set, found, said diag.List) diag.List {
	for i, p := range found {
		own := p.File == s.Pos.File && p.Line >= s.Pos.Line && !slices.ContainsFunc(set.Scenarios(), func(other *scenarios.Scenario) bool {
			return other.Pos.File == p.File && s.Pos.Line < other.Pos.Line && other.Pos.Line <= p.Line
		})
		if p.Rule == "" || p.Line == 0 || own || slices.Contains(said, p) {
			continue
		}
		found[i].Pos, found[i].Width = s.Pos, 0
		found[i].Message = fmt.Sprintf("scenario %q, which extends %s: %s, at %s:%d", s.Name, s.Extends, p.Message, p.File, p.Line)
	}
	return found
}

// checkSurfaces finds conditions on surfaces that do not exist, and on paths that are those of an API. In
// files, the reader of YAML already refuses the former.
func checkSurfaces(s *scenarios.Scenario) diag.List {
	var list diag.List
	check := func(w *scenarios.When, methods []string) {
		for _, path := range w.Path {
			if strings.HasPrefix(path, "/_fake/") {
				list = append(list, diag.Problem{
					Pos: w.Pos, Message: fmt.Sprintf("scenario %q: the server itself answers all paths below /_fake/", s.Name), Hint: "write another path",
				})
			}
			if on := surfaceAt(path, methods); on != "" {
				list = append(list, diag.Problem{
					Pos: w.Pos, Message: fmt.Sprintf("scenario %q: the path %s belongs to the API %s; path is for requests to no API", s.Name, path, on),
					Hint: "write surface: " + on + " in place of path",
				})
			}
		}
		known := slices.Concat(scenarios.Surfaces(), scenarios.WholeSurfaces())
		if w.Surface != "" && !slices.Contains(known, w.Surface) {
			list = append(list, diag.Problem{
				Pos:     w.Pos,
				Message: fmt.Sprintf("scenario %q: there is no surface %q; there are %s", s.Name, w.Surface, strings.Join(known, ", ")),
			})
		}
	}
	for i := range s.Replies {
		reply := &s.Replies[i].When
		methods := slices.Concat(s.When.Method, reply.Method)
		check(&s.When, methods)
		check(reply, methods)
	}
	return list.Unique()
}

// checkCalls finds calls that the conditions of their reply contradict: those that answer their own result, and those of
// tools that no request with these conditions offers.
func checkCalls(s *scenarios.Scenario) (list diag.List) {
	for i := range s.Replies {
		r := &s.Replies[i]
		for _, call := range r.Calls() {
			for _, w := range []*scenarios.When{&s.When, &r.When} {
				asksForResult := slices.ContainsFunc(w.ToolResults, func(m scenarios.ToolResultMatch) bool { return m.ID != "" && m.ID == call.ID.Value.Source })
				hasNoTools := slices.ContainsFunc(w.Body, func(b scenarios.BodyMatch) bool {
					return b.Path.String() == "tools" && b.Exists != nil && !*b.Exists
				})
				p := diag.Problem{Pos: call.Pos, Message: fmt.Sprintf("scenario %q: ", s.Name)}
				switch {
				case asksForResult:
					p.Message += fmt.Sprintf("the reply to the result of %s makes the same call again, and so for ever", call.ID.Value.Source)
					p.Hint = "give the call another id, or answer with a message"
				case hasNoTools && call.Name.Value.Source != "":
					p.Message += fmt.Sprintf("its conditions want a request without tools, which cannot offer %s", call.Name.Value.Source)
					p.Hint = "leave the condition on tools out, or answer with a message"
				default:
					continue
				}
				list = append(list, p)
			}
		}
	}
	return list
}

// surfaceAt is the name of the API that has an endpoint at a path with one of the methods, none being any; "" for
// none.
func surfaceAt(path string, methods []string) string {
	below := strings.TrimPrefix(strings.TrimPrefix(path, "/openai/v1"), "/v1")
	for _, on := range All() {
		if info := on.Info(); below == info.Path && (len(methods) == 0 || slices.Contains(methods, http.MethodPost)) {
			return info.Name
		}
	}
	return ""
}

// checkStreams builds the streams of a scenario's replies, and checks them against the
// rules of the protocol unless the scenario may break them all.
func checkStreams(s *scenarios.Scenario, inherited []scenarios.Quirk, replies []*scenarios.Selection) diag.List {
	silenced := lint.Silenced(s, inherited)
	var problems diag.List
	subjects := make([]lint.Subject, len(replies))
	for i, sel := range replies {
		on := SurfaceOf(sel.Scenario, sel.Reply)
		subject, found, whole := draft(sel, on)
		if s.API(sel.Reply) == "" {
			subject.Others = func() []lint.Subject { return elsewhere(sel, on) }
		}
		subjects[i], silenced = subject, silenced || !whole
		problems = append(problems, found...)
	}
	if silenced {
		return problems
	}
	return append(problems, lint.Scenario(s, inherited, subjects)...)
}

// elsewhere builds a reply as it is spoken on the other surfaces that can say it.
func elsewhere(sel *scenarios.Selection, on surface.Surface) (list []lint.Subject) {
	for _, other := range surfaces {
		if other == on {
			continue
		}
		if subject, problems, whole := draft(sel, other); whole && len(problems) == 0 {
			list = append(list, subject)
		}
	}
	return list
}

// draft builds a reply as it is spoken on a surface, for the rules to look at. Whole is
// false if the reply is beyond the limits of an answer.
func draft(sel *scenarios.Selection, s surface.Surface) (_ lint.Subject, _ diag.List, whole bool) {
	o := &surface.Options{Envelope: openEnvelope(sel.Manner.Envelope)}
	hear := func(g *script.Group) lint.Heard { return s.Hear(g, o) }
	info := s.Info()
	isChunk := func(v ojson.Value) bool { return info.IsChunk(v, infos()) }
	subject := lint.Subject{Surface: info.Name, Title: info.Title, IsChunk: isChunk, Hear: hear, Shapes: s.CheckShapes, Skips: info.Skips, Items: info.Items}
	if sel.Reply.Error != nil || sel.Reply.Whole() != "" {
		return subject, nil, true
	}
	want := draftWant(s, sel)
	b := script.New(sel, want)
	b.Sketches = true
	sc, problems := b.Reply(s)
	if b.IsCutOff() {
		return subject, problems, false
	}
	subject.Script = sc
	if unsayable := unsayableProblem(s, sc, sel, want); unsayable != nil {
		problems = append(problems, *unsayable)
	} else if sel.Reply.Stream != nil {
		subject.Unsent = unsent(s, sc, sel, want)
	}
	if s == Other {
		subject.Script = nil
	}
	return subject, problems, true
}

// unsent returns the steps of a stream all of whose events damage takes away.
func unsent(s surface.Surface, sc *script.Script, sel *scenarios.Selection, want script.Want) map[int]bool {
	drops := func(d scenarios.Damage) bool { return d.Op == "drop" && d.Chance == nil }
	if !slices.ContainsFunc(sel.Manner.Damage, drops) {
		return nil
	}
	units, err := s.Speak(sc, &surface.Options{Want: want, Envelope: sel.Manner.Envelope, EndMark: asksForEndMark(sel.Manner)})
	if err != nil {
		return nil // it is reported elsewhere
	}
	return compile.Unsent(units, compile.Options{Manner: *sel.Manner, Complete: s.Info().Complete})
}

// draftWant is the want of a request that asks for everything that the reply can send.
func draftWant(s surface.Surface, sel *scenarios.Selection) script.Want {
	choices := 1
	if m := sel.Reply.Message; m != nil {
		choices = max(1, len(m.Choices))
	}
	req := scenarios.Request{N: choices, IncludeUsage: true, IncludeObfuscation: true, Logprobs: script.AsksForLogprobs(sel.Reply)}
	want := asking(s, sel, req, false).Want
	want.N, want.Stream, want.Includes = choices, true, s.Info().Includes
	return want
}

// openEnvelope replaces the templates in extra, set and response of an envelope by open
// holes, since only a request gives them values.
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

// unsayableProblem returns the problem of a reply that its surface cannot express; nil
// if it can.
func unsayableProblem(s surface.Surface, sc *script.Script, sel *scenarios.Selection, want script.Want) *diag.Problem {
	err := s.Info().Sayable(sc, &surface.Options{Want: want, Envelope: sel.Manner.Envelope, FromMessage: sel.Reply.Message != nil})
	unsayable, ok := errors.AsType[*surface.Unsayable](err)
	if !ok {
		return nil
	}
	p := unsayableAt(sel, unsayable)
	return &p
}

// unsayableAt turns the error into a problem at the step or the place in the envelope.
func unsayableAt(sel *scenarios.Selection, unsayable *surface.Unsayable) diag.Problem {
	p := diag.Problem{Pos: sel.Reply.Pos, Message: unsayable.Error(), Hint: "leave it out, or let the reply answer on another surface"}
	if sel.Reply.Stream != nil && unsayable.Step >= 0 && unsayable.Step < len(*sel.Reply.Stream) {
		p.Pos = (*sel.Reply.Stream)[unsayable.Step].Pos
	}
	if unsayable.Pos.Line > 0 {
		p.Pos = unsayable.Pos
		p.Hint = "leave it out, or let the scenario answer on responses alone: when: { surface: responses }"
	}
	if p.Line == 0 {
		p.Message = ownerOf(sel) + ": " + p.Message
	}
	return p
}

// EmptyCaptures are the places in a selected reply that use a capture which is empty,
// because no condition of the request captured it.
func EmptyCaptures(sel *scenarios.Selection) diag.List { return render.EmptyCaptures(sel) }
