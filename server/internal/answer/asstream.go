package answer

import (
	"errors"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/lint"
	"github.com/fakeopenai/fakeopenai/server/internal/render"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// AsStream writes a scenario file in which the selected reply's message is written out
// as a stream. The same request gets the same bytes from both. Templates stay
// templates; ids drawn from the seed are still drawn. A reply that is a stream already
// stays as it is, and so does a fixed body.
func AsStream(asked *Asked) ([]byte, error) {
	sel := asked.Selection
	var steps []scenarios.Step
	switch r := sel.Reply; {
	case sel.Manner.Wire.Body != nil:
		steps = []scenarios.Step{}
	case r.Message != nil:
		var problems diag.List
		if steps, problems = script.NewFor(sel, asked.Want).Derived(asked.Surface, r.Message); len(problems) > 0 {
			return nil, problems[:1]
		}
	case r.Stream != nil:
		steps = *r.Stream
	case r.Whole() != "":
		return nil, errors.New(r.Whole() + " are not streamed")
	default:
		return nil, errors.New("the reply is an error and has no stream")
	}
	written, err := asStream(asked, steps)
	if err != nil {
		return nil, err
	}
	return yamlfile.Format(written)
}

func asStream(asked *Asked, steps []scenarios.Step) (*scenarios.Scenario, error) {
	asked = bound(asked)
	sel, layout := asked.Selection, asked.Want.Layout
	manner := *sel.Manner
	if sel.Reply.Message != nil {
		manner.Envelope.Layout = writtenLayout(manner.Envelope.Layout, layout)
		if err := writeOutEnd(asked, &manner.End, steps); err != nil {
			return nil, err
		}
	}
	written := *sel.Scenario
	written.Extends = ""
	written.Quirks = quirks(asked, manner, steps)
	written.Manner = manner
	steps = withPieces(steps)
	for i := range steps { // usage is for all requests where nobody can ask for it
		steps[i].WhenAsked = steps[i].WhenAsked && (steps[i].Usage == nil || !asked.Surface.Info().Items)
		if sel.Reply.Message != nil && asked.Surface.Info().Items && manner.Envelope.Response.Ends() == scenarios.ResponseFailed && steps[i].Finish.Present {
			steps[i].Finish = scenarios.Opt[scenarios.Text]{Present: true, Null: true} // another would close the items
		}
	}
	if len(sel.Scenario.Replies) > 1 {
		written.Expect = nil // it is what a client comes to with all of them
	}
	written.Replies = []scenarios.Reply{{When: sel.Reply.When, Stream: &steps}}
	written.LeaveOutIdle()
	return &written, nil
}

// bound returns asked with the surface added to the scenario's conditions, unless it is
// the default one: the stream is not valid on others.
func bound(asked *Asked) *Asked {
	on := asked.Surface.Info().Name
	if on == surfaces[0].Info().Name || asked.Surface == Other || asked.Reply.When.Surface != "" {
		return asked
	}
	other, sel, s := *asked, *asked.Selection, *asked.Scenario
	s.When.Surface = on
	sel.Scenario, other.Selection = &s, &sel
	return &other
}

// writtenLayout is the layout that the file must name: the author's, or one that only
// the message chooses; "" if the layout follows from the requested model.
func writtenLayout(written, layout scenarios.Layout) scenarios.Layout {
	if written == "" && (layout == scenarios.LayoutParallel || layout == scenarios.LayoutAudio) {
		return layout
	}
	return written
}

// writeOutEnd adds the place of an early ending, which for a message is before the
// finish. For a stream the default place is its very end.
func writeOutEnd(asked *Asked, e *scenarios.End, steps []scenarios.Step) error {
	if !e.IsEarly() || e.After != nil || e.Byte != nil || e.All || e.InsideRune {
		return nil
	}
	want := asked.Want
	want.Usage = false // the place is counted in the bare stream
	sel := withStream(asked.Selection, steps)
	sc, problems := script.NewFor(sel, want).Reply(asked.Surface)
	if len(problems) > 0 {
		return problems[:1]
	}
	units, err := asked.Surface.Speak(sc, &surface.Options{Want: want, Envelope: sel.Manner.Envelope, FromMessage: true})
	if err != nil {
		return err
	}
	i := slices.IndexFunc(units, func(u compile.Unit) bool { return u.Closing })
	if i < 0 {
		return nil
	}
	e.After = &i
	return nil
}

func withStream(sel *scenarios.Selection, steps []scenarios.Step) *scenarios.Selection {
	other := *sel
	reply := *sel.Reply
	reply.Message, reply.Stream = nil, &steps
	other.Reply = &reply
	return &other
}

// quirks returns the scenario's quirks that occur in the stream. The others may belong
// to other replies, and listing a quirk that does not occur is an error.
func quirks(asked *Asked, manner scenarios.Manner, steps []scenarios.Step) []scenarios.Quirk {
	s := *asked.Scenario
	s.Quirks = nil
	sel := withStream(asked.Selection, steps)
	sel.Reply.Manner = scenarios.Manner{}
	s.Manner, s.Replies = manner, []scenarios.Reply{*sel.Reply}
	sel.Scenario, sel.Manner = &s, &manner
	subject, _, _ := draft(sel, asked.Surface)
	broken := map[string]bool{}
	for _, p := range lint.Scenario(&s, nil, []lint.Subject{subject}) {
		broken[p.Rule] = true
	}
	var list []scenarios.Quirk
	for _, rule := range lint.Rules() {
		if broken[rule.Name] {
			list = append(list, scenarios.Quirk{Rule: rule.Name})
		}
	}
	return list
}

func dependsOnRequest(a *scenarios.Arguments) bool {
	return a.Fake || a.Text.Value.IsTemplate() || a.Value != nil && render.ValueIsTemplate(*a.Value)
}

// withPieces writes out the pieces of arguments that do not depend on the request, so
// that authors can edit them.
func withPieces(steps []scenarios.Step) []scenarios.Step {
	steps = slices.Clone(steps)
	for i := range steps {
		call := steps[i].Call()
		if call == nil || steps[i].Pieces.Present || dependsOnRequest(&call.Arguments) {
			continue
		}
		arguments := call.Arguments.Text.Value.Source
		if v := call.Arguments.Value; v != nil {
			arguments = v.String()
		}
		for _, piece := range script.CutArguments(arguments) {
			steps[i].Pieces.Texts = append(steps[i].Pieces.Texts, scenarios.Text{Source: piece, Literal: true})
		}
	}
	return steps
}
