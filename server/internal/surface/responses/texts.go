package responses

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// textKind is a kind of text that events bring in pieces, and then whole.
type textKind struct {
	item   string // item is the type of the items that have such texts.
	part   string // part is the type of the part with the text; "" for the one text of a call, which is in no part.
	events string // events begins the names of the events, before .delta and .done.
	member string // member is the name of the text in its part or call, and in the done event.
	kind   string // kind is the kind of the events with pieces.
	always bool   // always says that an item that nothing fills has such a text, which is empty.
}

var (
	answerText    = &textKind{Message, "output_text", "output_text", "text", kindContent, true}
	refusalText   = &textKind{Message, "refusal", "refusal", "refusal", kindRefusal, false}
	summaryText   = &textKind{Reasoning, "summary_text", "reasoning_summary_text", "text", kindReasoning, false}
	reasoningText = &textKind{Reasoning, "reasoning_text", "reasoning_text", "text", kindReasoning, false}
	functionText  = &textKind{Function, "", "function_call_arguments", "arguments", kindTool, true}
	customText    = &textKind{Custom, "", "custom_tool_call_input", "input", kindTool, true}

	textKinds = []*textKind{answerText, refusalText, summaryText, reasoningText, functionText, customText}
)

// alwaysIn returns the kind of text that items of this type always have; nil if there is none.
func alwaysIn(itemType string) *textKind {
	if i := slices.IndexFunc(textKinds, func(of *textKind) bool { return of.always && of.item == itemType }); i >= 0 {
		return textKinds[i]
	}
	return nil
}

// list returns the name of the list with the part. The name of the index begins with it.
func (of *textKind) list() string {
	if of == summaryText {
		return "summary"
	}
	return "content"
}

// partEvents begins the names of the events that open and close the part.
func (of *textKind) partEvents() string {
	if of == summaryText {
		return "reasoning_summary_part"
	}
	return "content_part"
}

// part is one part of an item, or the one text of a call.
type part struct {
	of          *textKind
	index       int // index is the position in its list.
	options     *surface.Options
	text        surface.Text
	annotations []ojson.Value
	logprobs    []ojson.Value
	closed      bool
}

// whole returns the text so far.
func (p *part) whole() ojson.Value { return p.text.Value(p.options) }

// value returns the part with its text so far. Parts have log-probabilities only inside of
// items.
func (p *part) value(logprobs ojson.Value) ojson.Value {
	v := ojson.Object(ojson.M("type", ojson.String(p.of.part)))
	if p.of == answerText {
		v.SetAll([]ojson.Member{ojson.M("annotations", ojson.Array(p.annotations...)), ojson.M("logprobs", logprobs)})
	}
	v.Set(p.of.member, p.whole())
	return v
}

// insidePart returns the members by which an event names its part.
func (s *speaker) insidePart(i *item, p *part) []ojson.Member {
	if p.of.part == "" {
		return s.inside(i)
	}
	return append(s.inside(i), ojson.M(p.of.list()+"_index", ojson.Int(int64(p.index))))
}

// part returns the open part of this kind in the open item, and opens both if needed.
func (s *speaker) part(of *textKind) (*item, *part) {
	i := s.current()
	if i == nil || i.kind != of.item {
		i = s.openItem(of.item, s.prepare)
	}
	return i, s.partIn(i, of)
}

// partIn returns the open part of this kind in an item, and opens it if needed.
func (s *speaker) partIn(i *item, of *textKind) *part {
	if p := i.lastPart(); p != nil && p.of == of && !p.closed {
		return p
	}
	s.closePart(i)
	p := &part{of: of, options: s.options}
	for _, before := range i.parts {
		if before.of.list() == of.list() {
			p.index++
		}
	}
	i.parts = append(i.parts, p)
	if of.part != "" {
		s.emit("response."+of.partEvents()+".added", "", append(s.insidePart(i, p), ojson.M("part", p.value(ojson.Array())))...)
	}
	return p
}

// piece writes a piece of a text. The event can have more members.
func (s *speaker) piece(i *item, p *part, piece ojson.Value, more ...ojson.Member) *compile.Unit {
	p.text.Add(piece, s.group.Series)
	members := append(s.insidePart(i, p), ojson.M("delta", piece))
	u := s.emit("response."+p.of.events+".delta", p.of.kind, append(members, more...)...)
	if s.group.Series != 0 {
		u.Series, u.PieceGap = s.group.Series, s.group.PieceGap
		u.Follows = !u.Paced
		u.Paced, u.Jitter = true, s.group.Jitter
	}
	return u
}

// endPart closes the open part of a message, so that the next text opens another.
func (s *speaker) endPart() {
	if i := s.current(); i != nil && i.kind == Message {
		s.closePart(i)
	}
}

func (s *speaker) closePart(i *item) {
	p := i.lastPart()
	if p == nil || p.closed {
		return
	}
	p.closed = true
	done := append(s.insidePart(i, p), ojson.M(p.of.member, p.whole()))
	if p.of == answerText {
		done = append(done, ojson.M("logprobs", ojson.Array(p.logprobs...)))
	}
	s.emit("response."+p.of.events+".done", "", done...)
	if p.of.part != "" {
		s.emit("response."+p.of.partEvents()+".done", "", append(s.insidePart(i, p), ojson.M("part", p.value(ojson.Array())))...)
	}
}
