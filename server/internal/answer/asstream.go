package answer

import (
	"bytes"
	"errors"
	"slices"

	"gopkg.in/yaml.v3"

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
	doc, err := document(sel, b.Layout, steps)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(doc); err != nil {
		return nil, err
	}
	return out.Bytes(), enc.Close()
}

// document is the scenario with the steps as its only reply.
func document(sel *scenarios.Selection, layout scenarios.Layout, steps []scenarios.Step) (*yaml.Node, error) {
	s := sel.Scenario
	doc := yamlfile.NewMapping(0)
	doc.Add("name", yamlfile.NameNode(s.Name))
	doc.Add("description", yamlfile.QuotedOrNil(s.Description))
	doc.Add("tags", yamlfile.ListNode(s.Tags, yamlfile.QuotedNode))
	doc.Add("when", yamlfile.WhenNode(&s.When))
	doc.Add("seed", yamlfile.Pointed(s.Seed, yamlfile.Int64Node))
	doc.Add("strict", yamlfile.Pointed(s.Strict, yamlfile.BoolNode))
	doc.Add("check_history", yamlfile.Pointed(s.CheckHistory, yamlfile.BoolNode))
	manner := sel.Manner
	if sel.Reply.Message != nil {
		manner.Envelope.Layout = writtenLayout(manner.Envelope.Layout, layout)
		if err := placeEnd(sel, &manner.End, layout, steps); err != nil {
			return nil, err
		}
	}
	doc.Add("quirks", yamlfile.ListNode(quirks(sel, manner, steps), yamlfile.WordNode))
	yamlfile.AddManner(doc, &manner)
	stream := yamlfile.StreamNode(withPieces(steps))
	if when := yamlfile.WhenNode(&sel.Reply.When); when != nil {
		reply := yamlfile.NewMapping(0)
		reply.Add("when", when)
		reply.Add("stream", stream)
		doc.Add("replies", yamlfile.Sequence(0, []*yaml.Node{&reply.Node}))
	} else {
		doc.Add("stream", stream)
	}
	return &doc.Node, nil
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
func quirks(sel *scenarios.Selection, manner scenarios.Manner, steps []scenarios.Step) []string {
	s := *sel.Scenario
	s.Quirks = nil
	reply := streaming(sel, steps).Reply
	reply.Manner = scenarios.Manner{}
	s.Manner, s.Replies = manner, []scenarios.Reply{*reply}
	broken := map[string]bool{}
	for _, d := range lint.Scenario(&s, nil) {
		broken[d.Rule] = true
	}
	var names []string
	for _, rule := range lint.Rules() {
		if broken[rule.Name] {
			names = append(names, rule.Name)
		}
	}
	return names
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
