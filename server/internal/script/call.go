package script

import (
	"errors"
	"fmt"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/invent"
	"github.com/fakeopenai/fakeopenai/server/internal/render"
)

// callStep returns the beats of a call: its start, then its arguments in pieces.
func (b *Builder) callStep(st *scenarios.Step, call *scenarios.ToolCall, kind CallType) ([]Beat, *series) {
	start := CallStart{Type: kind, Extra: b.Value(call.Extra)}
	if kind != LegacyCall {
		start.Index = b.callIndex(st.Choice, call.Index)
	}
	start.Name = b.countTokens(b.Member(call.Name), false)
	arguments := b.arguments(call, start.Name)
	b.checkPieces(st, call, kind, arguments)
	return b.callPieces(st, call, start, arguments)
}

func (b *Builder) callPieces(st *scenarios.Step, call *scenarios.ToolCall, start CallStart, arguments callArguments) ([]Beat, *series) {
	p := st.Pieces
	var texts []ojson.Value
	var open *series
	start.Arguments = ojson.String("")
	switch {
	case arguments.null:
		start.Arguments = ojson.Null()
	case p.Present && p.Texts == nil && p.Count == 0:
		start.Arguments = b.wholeArguments(arguments)
	case p.Texts != nil:
		for _, t := range p.Texts {
			texts = append(texts, b.Member(scenarios.Some(t)))
		}
		b.countArguments(arguments)
	case arguments.source != nil:
		open = b.series(openText{source: arguments.source, cut: cutterOf(p), shown: arguments.text}, nil)
	default:
		for piece := range cutterOf(p).pieces(arguments.text) {
			texts = append(texts, ojson.String(piece))
		}
		b.countArguments(arguments)
	}
	if start.Type != LegacyCall {
		start.ID = b.callID(call.ID)
	}
	list, later := []Beat{start}, b.argumentsOf(call.Later, start)
	for _, text := range texts {
		list = append(list, later(text))
	}
	if open != nil {
		open.beat = later(hole.Value(hole.Piece))
	}
	return list, open
}

// argumentsOf returns a function that makes the beat of a piece of a call's arguments. The beats repeat the members of
// the start that the author wants repeated.
func (b *Builder) argumentsOf(more *scenarios.LaterMembers, start CallStart) func(arguments ojson.Value) Beat {
	if more == nil || start.Type == LegacyCall {
		return func(arguments ojson.Value) Beat { return CallArguments{start.Index, start.Type, arguments} }
	}
	f := CallFragment{Index: ojson.Int(int64(start.Index)), Custom: start.Type == CustomCall}
	f.ID, f.Type, f.Name = b.Member(more.ID), b.Member(more.Type), b.Member(more.Name)
	for _, name := range more.Repeat {
		switch name {
		case "id":
			f.ID = start.ID
		case "type":
			f.Type = ojson.String(string(start.Type))
		case "name":
			f.Name = start.Name
		}
	}
	return func(arguments ojson.Value) Beat {
		f.Arguments = arguments
		return f
	}
}

// fragment returns the beat of a fragment that the author wrote member by member.
func (b *Builder) fragment(choice int, f *scenarios.CallFragment) CallFragment {
	beat := CallFragment{ID: b.Member(f.ID), Type: b.Member(f.Type), Name: b.countTokens(b.Member(f.Name), false), Custom: f.IsCustom()}
	switch index := f.Index.Value; {
	case f.Index.Null:
		beat.Index = ojson.Null()
	case f.Index.Present:
		beat.Index = ojson.Int(int64(index))
		b.callIndex(choice, &index)
	}
	arguments := f.Arguments
	if f.Input.Present {
		arguments.Text = f.Input
	}
	if arguments.Text.Present || arguments.Value != nil {
		beat.Arguments = b.wholeArguments(b.arguments(&scenarios.ToolCall{Arguments: arguments}, beat.Name))
	}
	return beat
}

// checkPieces reports pieces that do not spell the arguments beside them. If there are no
// arguments, the pieces are the arguments; if there is a template, only a request tells whether
// they fit.
func (b *Builder) checkPieces(st *scenarios.Step, call *scenarios.ToolCall, kind CallType, arguments callArguments) {
	written := call.Arguments
	if st.Pieces.Texts == nil || !written.Fake && written.Value == nil && !written.Text.Present {
		return
	}
	var spelled strings.Builder
	for _, t := range st.Pieces.Texts {
		if t.IsTemplate() {
			return
		}
		spelled.WriteString(t.Source)
	}
	word, is := "arguments", "are"
	if kind == CustomCall {
		word, is = "input", "is"
	}
	switch {
	case written.Fake:
		b.problem(st.Pieces.Pos, "pieces are written out, and arguments are fake", "leave arguments out, or give a number of pieces")
	case arguments.null:
		b.problem(st.Pieces.Pos, fmt.Sprintf("pieces are written out, and %s %s null", word, is), "leave one of them out")
	case arguments.source != nil || spelled.String() == arguments.text:
	case written.Value != nil && sameJSON(spelled.String(), arguments.text):
	default:
		b.problem(st.Pieces.Pos, fmt.Sprintf("pieces spell %s, and %s %s %s", diag.Quote(spelled.String()), word, is, diag.Quote(arguments.text)),
			fmt.Sprintf("leave %s out: the pieces are what is sent", word))
	}
}

func sameJSON(a, b string) bool {
	v, errA := ojson.Parse([]byte(a))
	w, errB := ojson.Parse([]byte(b))
	return errA == nil && errB == nil && ojson.Same(v, w)
}

func cutterOf(p scenarios.Pieces) cutter {
	if p.Present {
		return evenly(p.Count)
	}
	return byArguments
}

// callArguments returns the arguments of a call: a text, or a source that computes it for each
// request. Without a request, text is shown in place of the source's.
type callArguments struct {
	null   bool
	text   string
	source textSource
}

func (b *Builder) arguments(call *scenarios.ToolCall, name ojson.Value) callArguments {
	if call.Arguments.Break != "" && !call.Arguments.Fake {
		b.problem(call.Pos, "break is of arguments that are invented, and these are written", "write arguments: fake beside break, or write the broken arguments alone")
	}
	switch a := &call.Arguments; {
	case a.Fake:
		return b.fakeArguments(call, name)
	case a.Value != nil:
		v := b.Value(*a.Value)
		if b.renderer == nil && render.ValueIsTemplate(*a.Value) {
			return callArguments{text: a.Value.String(), source: filledJSON(v)}
		}
		return callArguments{text: v.String()}
	case a.Text.Null:
		return callArguments{null: true}
	case a.Text.Present && b.leavesOpen(a.Text.Value):
		return callArguments{text: a.Text.Value.Source, source: b.template(a.Text.Value)}
	case a.Text.Present:
		return callArguments{text: b.Text(a.Text.Value)}
	}
	return callArguments{}
}

func (b *Builder) wholeArguments(a callArguments) ojson.Value {
	if a.null {
		return ojson.Null()
	}
	if a.source == nil {
		return b.countTokens(ojson.String(a.text), false)
	}
	return b.countTokens(b.textHole(a.source, a.text), false)
}

// countArguments counts the tokens of arguments that the author wrote in pieces.
func (b *Builder) countArguments(a callArguments) {
	if a.source != nil {
		b.wholeArguments(a)
		return
	}
	b.tokens.add(Tokens(a.text), false)
}

// callIndex returns the index of a call: as the author wrote it, or the next one of its choice.
func (b *Builder) callIndex(choice int, written *int) int {
	index := b.nextCall[choice]
	if written != nil {
		index = *written
	}
	b.nextCall[choice] = max(b.nextCall[choice], index+1)
	return index
}

// followCalls notes the indexes in literal tool_calls, so that a call after them gets the next
// index.
func (b *Builder) followCalls(choice int, calls ojson.Value) {
	for _, call := range calls.Items() {
		if i, ok := call.Get("index").Int(); ok {
			index := int(i)
			b.callIndex(choice, &index)
		}
	}
}

// callID returns the id of a call: as the author wrote it, or a hole for one that each request
// draws.
func (b *Builder) callID(written scenarios.Opt[scenarios.Text]) ojson.Value {
	if written.Present {
		return b.Member(written)
	}
	const prefix, length = "call_", 24
	id, ok := b.newHole("")
	if !ok {
		return ojson.String(prefix + invent.Text(b.Rand("id"), invent.Base62, length))
	}
	b.addFiller(func(f *fillState) error {
		if f.ids == nil {
			f.ids = invent.RequestRand(f.sel, "calls")
		}
		f.setText(id, prefix+invent.Text(f.ids, invent.Base62, length))
		return nil
	})
	return hole.Value(id)
}

// Item is an output item as the author wrote it, with rendered templates. Pieces are the pieces
// of its texts that are streamed, in order.
type Item struct {
	Members ojson.Value
	Pieces  [][]ojson.Value
}

// Itemizer is a surface with output items.
type Itemizer interface {
	// CheckItem finds the mistakes in an item.
	CheckItem(item *scenarios.Item) diag.List
	// Streamed returns the texts of an item that are sent in pieces.
	Streamed(members ojson.Value) []StreamedText
}

// StreamedText is a text of an item that is sent in pieces. Whole says that the real service
// sends it in one piece.
type StreamedText struct {
	Value ojson.Value
	Whole bool
}

var errItemAlone = errors.New("an item stands alone in its step, on the first choice: give the other parts a step of their own")

func (b *Builder) itemStep(st *scenarios.Step) {
	item := st.Item
	if hasOpening(st) || carriesMore(st) || st.Text != nil || st.Fake != nil || st.Call() != nil || st.Choice != 0 {
		b.fail(item.Pos, errItemAlone)
	}
	var members []ojson.Member
	for _, m := range item.Members {
		members = append(members, ojson.M(m.Name, b.itemValue(m.Value)))
	}
	beat := Item{Members: ojson.Object()}
	beat.Members.SetAll(members)
	b.fail(item.Pos, b.grow(beat.Members.Size()))
	if b.items != nil {
		b.problems = append(b.problems, b.items.CheckItem(item)...)
		beat.Pieces = b.itemPieces(st, b.items.Streamed(beat.Members))
	}
	b.addGroup(Group{Choice: st.Choice, Edit: b.edit(st), Beats: []Beat{beat}})
}

// itemValue returns a value in an item with rendered templates. Without a request it stays as
// it is, and the script becomes PerRequest, as more depends on an item than its texts.
func (b *Builder) itemValue(v ojson.Value) ojson.Value {
	if b.renderer == nil && render.ValueIsTemplate(v) {
		b.templated, b.script.PerRequest = true, true
		return v
	}
	return b.Value(v)
}

// itemPieces cuts the texts of an item. Each piece counts as a group.
func (b *Builder) itemPieces(st *scenarios.Step, texts []StreamedText) [][]ojson.Value {
	item := st.Item
	if (len(texts) == 0 && item.By != scenarios.Cut{}) {
		b.problem(item.Pos, "the item streams no text that could be cut", "leave by out")
	}
	if st.Pieces.Present {
		if list := b.writtenPieces(st.Pieces, texts); list != nil {
			return list
		}
	}
	list := make([][]ojson.Value, len(texts))
	for i, text := range texts {
		b.tokens.add(Tokens(text.Value.Text()), false)
		if (text.Whole && item.By == scenarios.Cut{}) {
			list[i] = []ojson.Value{text.Value}
			continue
		}
		for _, piece := range Cut(text.Value.Text(), item.By) {
			list[i] = append(list[i], ojson.String(piece))
		}
		if !b.fits(len(list[i])) {
			return nil
		}
		b.events += len(list[i])
	}
	return list
}

// writtenPieces returns the pieces that the author wrote for the texts of an item, one text
// after the other; nil, with a problem, if they do not fit. If there is a template, only a
// request tells whether they spell the texts.
func (b *Builder) writtenPieces(p scenarios.Pieces, texts []StreamedText) [][]ojson.Value {
	switch {
	case len(texts) == 0:
		b.problem(p.Pos, "the item streams no text that could be cut", "leave pieces out")
		return nil
	case p.Texts == nil:
		b.problem(p.Pos, "the texts of an item are not cut into a number of pieces", "write the pieces: a list of texts; or by, as in by: { size: 4 }")
		return nil
	}
	list, wanted := make([][]ojson.Value, len(texts)), ""
	var spelled strings.Builder
	at := -1
	for _, t := range p.Texts {
		if spelled.Len() >= len(wanted) && at+1 < len(texts) {
			at++
			wanted += texts[at].Value.Text()
		}
		piece := b.Text(t)
		spelled.WriteString(piece)
		list[at] = append(list[at], ojson.String(piece))
	}
	for _, text := range texts[at+1:] {
		wanted += text.Value.Text()
	}
	b.tokens.add(Tokens(spelled.String()), false)
	if !b.fits(len(p.Texts)) {
		return nil
	}
	b.events += len(p.Texts)
	if open := b.templated && b.renderer == nil; !open && spelled.String() != wanted {
		b.problem(p.Pos, fmt.Sprintf("pieces spell %s, and the item streams %s", diag.Quote(spelled.String()), diag.Quote(wanted)), "write pieces that spell it, or leave them out")
		return nil
	}
	return list
}
