package scenarios

import (
	"bytes"
	"errors"
	"slices"

	"gopkg.in/yaml.v3"
)

// AsStream is a scenario file in which the selected reply's message is written
// as the stream that it becomes. To the same request it gives the same bytes.
// Texts with templates stay templates; ids that are drawn from the seed stay
// drawn. A reply that is a stream already is written as it is.
func (sel *Selection) AsStream(ask Ask) ([]byte, error) {
	b := newBuilder(sel, ask)
	var steps []Step
	switch r := sel.Reply; {
	case r.Message != nil:
		steps = b.messageSteps(r.Message)
	case r.Stream != nil:
		steps = *r.Stream
	default:
		return nil, errors.New("the reply is an error and has no stream")
	}
	if len(b.problems) > 0 {
		return nil, b.problems[:1]
	}
	doc, err := sel.document(b.layout, steps)
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
func (sel *Selection) document(layout Layout, steps []Step) (*yaml.Node, error) {
	s := sel.Scenario
	doc := newMapping(0)
	doc.add("name", nameNode(s.Name))
	doc.add("description", quotedOrNil(s.Description))
	doc.add("tags", listNode(s.Tags, quotedNode))
	doc.add("when", whenNode(&s.When))
	doc.add("seed", pointed(s.Seed, int64Node))
	doc.add("strict", pointed(s.Strict, boolNode))
	doc.add("check_history", pointed(s.CheckHistory, boolNode))
	manner := sel.Manner
	if sel.Reply.Message != nil {
		manner.Envelope.Layout = writtenLayout(manner.Envelope.Layout, layout)
		if err := sel.placeEnd(&manner.End, layout, steps); err != nil {
			return nil, err
		}
	}
	doc.add("quirks", listNode(sel.quirks(manner, steps), wordNode))
	addManner(doc, &manner)
	stream := streamNode(steps)
	if when := whenNode(&sel.Reply.When); when != nil {
		reply := newMapping(0)
		reply.add("when", when)
		reply.add("stream", stream)
		doc.add("replies", sequence(0, []*yaml.Node{&reply.Node}))
	} else {
		doc.add("stream", stream)
	}
	return &doc.Node, nil
}

// writtenLayout is the layout that the file has to name. A stream is laid out by
// the model that is asked for, so that only what a message adds to that is
// written.
func writtenLayout(written, layout Layout) Layout {
	if written == "" && (layout == LayoutParallel || layout == LayoutAudio) {
		return layout
	}
	return written
}

// placeEnd writes out where a message's ending falls if it does not say so:
// before the finish. A stream without a place would end after all that is
// written.
func (sel *Selection) placeEnd(e *End, layout Layout, steps []Step) error {
	switch e.Kind {
	case EndClose, EndCut, EndReset, EndStall:
	default:
		return nil
	}
	if e.After != nil || e.Byte != nil {
		return nil
	}
	lines, err := sel.streaming(steps).Lines(Ask{Layout: layout})
	if err != nil {
		return err
	}
	i := slices.IndexFunc(lines.Lines, func(l Line) bool { return l.Kind == KindFinish })
	if i < 0 {
		return nil
	}
	e.After = &i
	return nil
}

// streaming is the selection with steps in place of its reply.
func (sel *Selection) streaming(steps []Step) *Selection {
	other := *sel
	reply := *sel.Reply
	reply.Message, reply.Stream = nil, &steps
	other.Reply = &reply
	return &other
}

// quirks are the scenario's quirks that occur in the stream: others may belong
// to other replies, and a quirk that does not occur is an error.
func (sel *Selection) quirks(manner Manner, steps []Step) []string {
	s := *sel.Scenario
	s.Quirks = nil
	reply := sel.streaming(steps).Reply
	reply.Manner = Manner{}
	s.Manner, s.Replies = manner, []Reply{*reply}
	broken := map[string]bool{}
	for _, d := range lint(&resolvedScenario{Scenario: &s}) {
		broken[d.Rule] = true
	}
	var names []string
	for _, rule := range Rules() {
		if broken[rule.Name] {
			names = append(names, rule.Name)
		}
	}
	return names
}
