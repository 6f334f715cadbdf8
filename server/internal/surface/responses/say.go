package responses

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// open writes the events that begin the stream, once.
func (s *speaker) open() {
	if s.opened {
		return
	}
	s.opened = true
	created := without(statusInProgress)
	if s.queued() {
		created = without(statusQueued)
	}
	s.answer("created", "", created)
	if s.queued() {
		s.answer("queued", "", created)
	}
	s.answer("in_progress", "", without(statusInProgress))
}

// text writes a piece of a text or a refusal. A refusal has no log-probabilities here.
func (s *speaker) text(of *textKind, piece ojson.Value) {
	if !s.saysText(of, piece) {
		return
	}
	i, p := s.part(of)
	if of != answerText {
		s.piece(i, p, piece)
		return
	}
	logprobs := logprobsOf(s.Group)
	p.logprobs = append(p.logprobs, logprobs...)
	u := s.piece(i, p, piece, ojson.M("logprobs", ojson.Array(logprobs...)))
	if len(logprobs) > 0 {
		u.Also = append(u.Also, kindLogprobs)
	}
}

// saysText reports whether a piece has an event: if it is not empty, if the author wrote it as a
// step, or if the last part of the open item is of its kind. Beside a role, where other APIs send an
// empty text, and in a message it opens nothing.
func (s *speaker) saysText(of *textKind, piece ojson.Value) bool {
	s.open()
	if piece.IsNullOrAbsent() {
		return false
	}
	i := s.current()
	_, beside := s.Group.Beats[0].(script.Start)
	return script.Says(piece) || !beside && !s.Options.FromMessage || i != nil && len(i.parts) > 0 && i.lastPart().of == of
}

// annotations writes an event for each annotation of the text. The closing events of the part
// repeat them.
func (s *speaker) annotations(list ojson.Value) {
	for _, written := range list.Items() {
		i, p := s.part(answerText)
		annotation := flat(written)
		if s.layout.era >= february2026 {
			annotation = annotation.Sorted().First("type")
		}
		members := append(s.insidePart(i, p), ojson.M("annotation", annotation), ojson.M("annotation_index", ojson.Int(int64(len(p.annotations)))))
		p.annotations = append(p.annotations, annotation)
		s.emit("response.output_text.annotation.added", "", members...)
	}
}

// flat returns an annotation in the shape of this API: its members beside its type. On chat
// completions they are in an object that has the type for a name.
func flat(annotation ojson.Value) ojson.Value {
	kind := annotation.Get("type")
	inner := annotation.Get(kind.Text())
	if inner.Kind() != ojson.ObjectKind {
		return annotation
	}
	return ojson.Object(append([]ojson.Member{ojson.M("type", kind)}, inner.Members()...)...)
}

// reasoning writes a piece of reasoning: of its summary, or of the raw text.
func (s *speaker) reasoning(r *script.Reasoning) {
	of := summaryText
	if r.Raw {
		of = reasoningText
	}
	i := s.current()
	inside := i != nil && i.kind == Reasoning
	if inside && r.Next == script.NextPart {
		s.closePart(i)
	}
	if r.Next == script.NextItem || !r.Encrypted.IsAbsent() && !inside {
		i = s.openItem(Reasoning, s.prepare)
	}
	if !r.Encrypted.IsAbsent() && s.asks(encryptedInclude) {
		i.sealed = r.Encrypted
	}
	if r.Next != script.NextPart && !s.saysText(of, r.Text) || r.Text.IsNullOrAbsent() {
		return
	}
	i, p := s.part(of)
	s.piece(i, p, r.Text)
}

// encryptedPrefix is how encrypted_content begins.
const encryptedPrefix = "gAAAAAB"

// prepare gives an opened reasoning item its first encrypted_content, if the request includes
// it. The closed item has another.
func (s *speaker) prepare(i *item) {
	for _, beat := range s.Group.Beats {
		r, ok := beat.(script.Reasoning)
		i.raw = i.raw || ok && r.Raw && s.layout.era == july2026
	}
	if i.kind == Reasoning && s.asks(encryptedInclude) {
		i.encrypted = s.Options.NewID(encryptedPrefix)
	}
}

// seal gives a closed reasoning item its final encrypted_content, if it has one.
func (s *speaker) seal(i *item) {
	switch {
	case i.encrypted.IsAbsent():
	case !i.sealed.IsAbsent():
		i.encrypted = i.sealed
	default:
		i.encrypted = s.Options.NewID(encryptedPrefix)
	}
}

// callStart opens a call, or goes on with it if it is open already.
func (s *speaker) callStart(c *script.CallStart) {
	if s.calls[c.Index] == nil {
		kind := Function
		if c.Type == script.CustomCall {
			kind = Custom
		}
		s.calls[c.Index] = s.openItem(kind, func(i *item) { i.call, i.callID, i.name, i.more = c.Index, c.ID, c.Name, c.Extra })
	}
	if script.Says(c.Arguments) {
		s.callArguments(&script.CallArguments{Index: c.Index, Arguments: c.Arguments})
	}
}

// callArguments writes a piece of the arguments of a call. It opens a call without id and name
// if the script has not opened it.
func (s *speaker) callArguments(c *script.CallArguments) {
	if c.Arguments.IsNullOrAbsent() {
		return
	}
	if s.calls[c.Index] == nil {
		s.callStart(&script.CallStart{Index: c.Index, Type: c.Type})
	}
	i := s.calls[c.Index]
	s.piece(i, s.partIn(i, alwaysIn(i.kind)), c.Arguments)
}

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

func (p *part) wholeText() ojson.Value { return p.text.Value(p.options) }

// value returns the part with its text so far. Parts have log-probabilities only inside of
// items.
func (p *part) value(logprobs ojson.Value) ojson.Value {
	v := ojson.Object(ojson.M("type", ojson.String(p.of.part)))
	if p.of == answerText {
		v.SetAll([]ojson.Member{ojson.M("annotations", ojson.Array(p.annotations...)), ojson.M("logprobs", logprobs)})
	}
	v.Set(p.of.member, p.wholeText())
	return v
}

// insidePart returns the members by which an event names its part.
func (s *speaker) insidePart(i *item, p *part) []ojson.Member {
	if p.of.part == "" {
		return s.itemReference(i)
	}
	return append(s.itemReference(i), ojson.M(p.of.list()+"_index", ojson.Int(int64(p.index))))
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
	p := &part{of: of, options: s.Options}
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
	p.text.Add(piece, s.Group.Series)
	members := append(s.insidePart(i, p), ojson.M("delta", piece))
	u := s.emit("response."+p.of.events+".delta", p.of.kind, append(members, more...)...)
	s.InSeries(u)
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
	done := append(s.insidePart(i, p), ojson.M(p.of.member, p.wholeText()))
	if p.of == answerText {
		done = append(done, ojson.M("logprobs", ojson.Array(p.logprobs...)))
	}
	s.emit("response."+p.of.events+".done", "", done...)
	if p.of.part != "" {
		s.emit("response."+p.of.partEvents()+".done", "", append(s.insidePart(i, p), ojson.M("part", p.value(ojson.Array())))...)
	}
}
