package script

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/cut"
	"github.com/fakeopenai/fakeopenai/server/internal/draw"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/render"
)

// callStep is the beats of a call: its start, then its arguments in pieces.
func (b *Builder) callStep(st *scenarios.Step, call *scenarios.ToolCall, kind CallType) ([]Beat, *runOf) {
	start := CallStart{Type: kind}
	if kind != LegacyCall {
		start.Index = b.callIndex(st.Choice, call.Index)
	}
	start.Name = b.counted(b.member(call.Name), false)
	arguments := b.arguments(call, start.Name)
	return b.callPieces(st, call, start, arguments)
}

// callPieces cuts the arguments of a call as its step asks for.
func (b *Builder) callPieces(st *scenarios.Step, call *scenarios.ToolCall, start CallStart, arguments callArguments) ([]Beat, *runOf) {
	p := st.Pieces
	var texts []ojson.Value
	var run *runOf
	start.Arguments = ojson.String("")
	switch {
	case arguments.null:
		start.Arguments = ojson.Null()
	case p.Present && p.Texts == nil && p.Count == 0:
		start.Arguments = b.wholeArguments(arguments)
	case p.Texts != nil:
		for _, t := range p.Texts {
			texts = append(texts, b.member(scenarios.Some(t)))
		}
		b.countArguments(arguments)
	case arguments.source != nil:
		run = b.run(runFiller{source: arguments.source, cut: cutterOf(p)}, arguments.text, CallArguments{start.Index, start.Type, hole.Value(hole.Piece)})
	default:
		for _, piece := range cutterOf(p)(arguments.text) {
			texts = append(texts, ojson.String(piece))
		}
		b.countArguments(arguments)
	}
	if start.Type != LegacyCall {
		start.ID = b.callID(call.ID)
	}
	list := []Beat{start}
	for _, text := range texts {
		list = append(list, CallArguments{start.Index, start.Type, text})
	}
	return list, run
}

// cutterOf is how arguments are divided.
func cutterOf(p scenarios.Pieces) func(string) []string {
	if p.Present {
		return func(arguments string) []string { return cut.Evenly(arguments, p.Count) }
	}
	return cut.Arguments
}

// callArguments are the arguments of a call: a text, or a source that tells it
// for each request; text is what stands in its place then.
type callArguments struct {
	null   bool
	text   string
	source textSource
}

func (b *Builder) arguments(call *scenarios.ToolCall, name ojson.Value) callArguments {
	switch a := &call.Arguments; {
	case a.Fake:
		return b.fakeArguments(call, name)
	case a.Value != nil:
		v := b.value(*a.Value)
		if b.renderer == nil && render.ValueIsTemplate(*a.Value) {
			return callArguments{text: a.Value.String(), source: valueText{v}}
		}
		return callArguments{text: v.String()}
	case a.Text.Null:
		return callArguments{null: true}
	case a.Text.Present && b.leavesOpen(a.Text.Value):
		return callArguments{text: a.Text.Value.Source, source: b.template(a.Text.Value)}
	case a.Text.Present:
		return callArguments{text: b.text(a.Text.Value)}
	}
	return callArguments{}
}

// wholeArguments are arguments that are not cut.
func (b *Builder) wholeArguments(a callArguments) ojson.Value {
	if a.source == nil {
		return b.counted(ojson.String(a.text), false)
	}
	id, ok := b.newHole(a.text)
	if !ok {
		return ojson.String(a.text)
	}
	b.templated, b.tokens.open = true, true
	b.script.fillers = append(b.script.fillers, &textFiller{source: a.source, into: id, counts: true})
	return hole.Value(id)
}

// countArguments counts arguments that are sent in pieces of the author's own.
func (b *Builder) countArguments(a callArguments) {
	if a.source != nil {
		b.wholeArguments(a)
		return
	}
	b.tokens.add(cut.Tokens(a.text), false)
}

// callIndex is the index of a call: as written, or the next one of its choice.
func (b *Builder) callIndex(choice int, written *int) int {
	index := b.nextCall[choice]
	if written != nil {
		index = *written
	}
	b.nextCall[choice] = max(b.nextCall[choice], index+1)
	return index
}

// followCalls takes note of the indexes in tool_calls that are written as they
// are, so that a call after them gets the next one.
func (b *Builder) followCalls(choice int, calls ojson.Value) {
	for _, call := range calls.Items() {
		if i, ok := call.Get("index").Int(); ok {
			index := int(i)
			b.callIndex(choice, &index)
		}
	}
}

// callID is the id of a call: as written, or one that each request draws.
func (b *Builder) callID(written scenarios.Opt[scenarios.Text]) ojson.Value {
	if written.Present {
		return b.member(written)
	}
	const prefix, length = "call_", 24
	id, ok := b.newHole("")
	if !ok {
		return ojson.String(prefix + draw.Text(b.Rand("id"), draw.Base62, length))
	}
	b.script.fillers = append(b.script.fillers, &drawnFiller{prefix: prefix, alphabet: draw.Base62, length: length, into: id})
	return hole.Value(id)
}
