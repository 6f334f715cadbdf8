package answer

import (
	"errors"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server/internal/cut"
	"github.com/fakeopenai/fakeopenai/server/internal/lint"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// AsStream is a scenario file in which the selected reply's message is written
// as the stream that it becomes. To the same request it gives the same bytes.
// Texts with templates stay templates; ids that are drawn from the seed stay
// drawn. A reply that is a stream already is written as it is.
func AsStream(sel *scenarios.Selection, ask script.Ask) ([]byte, error) {
	b := script.NewBuilder(sel, ask)
	var steps []scenarios.Step
	switch r := sel.Reply; {
	case r.Message != nil:
		steps = b.MessageSteps(r.Message)
	case r.Stream != nil:
		steps = *r.Stream
	default:
		return nil, errors.New("the reply is an error and has no stream")
	}
	if len(b.Problems) > 0 {
		return nil, b.Problems[:1]
	}
	written, err := asStream(sel, b.Layout, steps)
	if err != nil {
		return nil, err
	}
	return yamlfile.Format(written)
}

// asStream is the scenario with the steps as its only reply.
func asStream(sel *scenarios.Selection, layout scenarios.Layout, steps []scenarios.Step) (*scenarios.Scenario, error) {
	manner := sel.Manner
	if sel.Reply.Message != nil {
		manner.Envelope.Layout = writtenLayout(manner.Envelope.Layout, layout)
		if err := placeEnd(sel, &manner.End, layout, steps); err != nil {
			return nil, err
		}
	}
	written := *sel.Scenario
	written.Extends = ""
	written.Quirks = quirks(sel, manner, steps)
	written.Manner = manner
	steps = withPieces(steps)
	written.Replies = []scenarios.Reply{{When: sel.Reply.When, Stream: &steps}}
	return &written, nil
}

// writtenLayout is the layout that the file has to name. A stream is laid out by
// the model that is asked for, so that only what a message adds to that is
// written.
func writtenLayout(written, layout scenarios.Layout) scenarios.Layout {
	if written == "" && (layout == scenarios.LayoutParallel || layout == scenarios.LayoutAudio) {
		return layout
	}
	return written
}

// placeEnd writes out where a message's ending falls if it does not say so:
// before the finish. A stream without a place would end after all that is
// written.
func placeEnd(sel *scenarios.Selection, e *scenarios.End, layout scenarios.Layout, steps []scenarios.Step) error {
	switch e.Kind {
	case scenarios.EndClose, scenarios.EndCut, scenarios.EndReset, scenarios.EndStall:
	default:
		return nil
	}
	if e.After != nil || e.Byte != nil {
		return nil
	}
	lines, err := script.Expand(streaming(sel, steps), script.Ask{Layout: layout})
	if err != nil {
		return err
	}
	i := slices.IndexFunc(lines.Lines, func(l script.Line) bool { return l.Kind == script.KindFinish })
	if i < 0 {
		return nil
	}
	e.After = &i
	return nil
}

// streaming is the selection with steps in place of its reply.
func streaming(sel *scenarios.Selection, steps []scenarios.Step) *scenarios.Selection {
	other := *sel
	reply := *sel.Reply
	reply.Message, reply.Stream = nil, &steps
	other.Reply = &reply
	return &other
}

// quirks are the scenario's quirks that occur in the stream: others may belong
// to other replies, and a quirk that does not occur is an error.
func quirks(sel *scenarios.Selection, manner scenarios.Manner, steps []scenarios.Step) []scenarios.Quirk {
	s := *sel.Scenario
	s.Quirks = nil
	reply := streaming(sel, steps).Reply
	reply.Manner = scenarios.Manner{}
	s.Manner, s.Replies = manner, []scenarios.Reply{*reply}
	broken := map[string]bool{}
	for _, d := range lint.Scenario(&s, nil) {
		broken[d.Rule] = true
	}
	var list []scenarios.Quirk
	for _, rule := range lint.Rules() {
		if broken[rule.Name] {
			list = append(list, scenarios.Quirk{Rule: rule.Name})
		}
	}
	return list
}

// withPieces is the steps with the pieces of arguments that are known written
// out, so that there is something to edit.
func withPieces(steps []scenarios.Step) []scenarios.Step {
	steps = slices.Clone(steps)
	for i := range steps {
		call := steps[i].Call()
		if call == nil || steps[i].Pieces.Present || call.Arguments.FromRequest() {
			continue
		}
		arguments := call.Arguments.Text.Value.Source
		if v := call.Arguments.Value; v != nil {
			arguments = v.String()
		}
		for _, piece := range cut.Arguments(arguments) {
			steps[i].Pieces.Texts = append(steps[i].Pieces.Texts, scenarios.Text{Source: piece, Literal: true})
		}
	}
	return steps
}
