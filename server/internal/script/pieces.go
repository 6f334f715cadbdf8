package script

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/cut"
)

// pieces is what the expanding parts of a step become: one entry for each
// chunk.
func (b *builder) pieces(st *scenarios.Step) []parts {
	var list []parts
	if st.Text != nil {
		list = append(list, b.textStep(st)...)
	}
	if st.Fake != nil {
		list = append(list, b.textPieces(b.fake(st.Fake), st.Fake.By, st.Fake.FromRequest())...)
	}
	if st.ToolCall != nil {
		list = append(list, b.toolCall(st, st.ToolCall, "function", "arguments")...)
	}
	if st.CustomTool != nil {
		list = append(list, b.toolCall(st, st.CustomTool, "custom", "input")...)
	}
	if st.FunctionCall != nil {
		list = append(list, b.functionCall(st, st.FunctionCall)...)
	}
	return list
}

// textStep is the pieces of a text that is cut, or left whole.
func (b *builder) textStep(st *scenarios.Step) []parts {
	text := st.Text.Text
	if _, large := FillOf(text); large && st.Text.By.Unit == "all" {
		content := b.sized(st, scenarios.Some(text))
		b.tokens.completion += b.tokensIn(content)
		return []parts{{content: content}}
	}
	return b.textPieces(b.text(text), st.Text.By, text.IsTemplate())
}

// textPieces cuts a text. A draft leaves one that depends on the request whole.
func (b *builder) textPieces(text string, by scenarios.By, fromRequest bool) []parts {
	b.tokens.completion += cut.Tokens(text)
	if b.draft && fromRequest {
		by = scenarios.By{Unit: "all"}
	}
	var list []parts
	for _, piece := range cut.Text(text, by) {
		list = append(list, parts{content: ojson.String(piece)})
	}
	return list
}

// toolCall is the chunks of a call of a function or custom tool: kind names its
// type and the member that holds it, text the member with its arguments.
func (b *builder) toolCall(st *scenarios.Step, call *scenarios.ToolCall, kind, text string) []parts {
	index := b.callIndex(st.Choice, call.Index)
	inner, rest := b.callTexts(st, call, text)
	entry := ojson.Object(
		ojson.M("index", ojson.Int(int64(index))),
		ojson.M("id", b.id(call.ID, "call_")),
		ojson.M("type", ojson.String(kind)),
		ojson.M(kind, inner),
	)
	list := []parts{{toolCalls: ojson.Array(entry)}}
	for _, piece := range rest {
		fragment := ojson.Object(
			ojson.M("index", ojson.Int(int64(index))),
			ojson.M(kind, ojson.Object(ojson.M(text, ojson.String(piece)))),
		)
		list = append(list, parts{toolCalls: ojson.Array(fragment)})
	}
	return list
}

func (b *builder) functionCall(st *scenarios.Step, call *scenarios.ToolCall) []parts {
	inner, rest := b.callTexts(st, call, "arguments")
	list := []parts{{functionCall: inner}}
	for _, piece := range rest {
		list = append(list, parts{functionCall: ojson.Object(ojson.M("arguments", ojson.String(piece)))})
	}
	return list
}

// callTexts is the name of a call with the arguments of its opening chunk, and
// the pieces of its arguments that follow.
func (b *builder) callTexts(st *scenarios.Step, call *scenarios.ToolCall, text string) (inner ojson.Value, rest []string) {
	name := b.member(call.Name)
	b.tokens.completion += cut.Tokens(name.Text())
	arguments := b.arguments(call, name.Text())
	opening := ojson.String("")
	switch {
	case arguments.Null:
		opening = ojson.Null()
	case st.Pieces.Present && st.Pieces.Texts == nil && st.Pieces.Count == 0:
		opening = ojson.String(arguments.Value)
	default:
		rest = b.cutCall(st.Pieces, arguments.Value, call.Arguments.FromRequest())
	}
	b.tokens.completion += cut.Tokens(arguments.Value)
	return ojson.Object(ojson.M("name", name), ojson.M(text, opening)), rest
}

// cutCall divides arguments as pieces asks for.
func (b *builder) cutCall(p scenarios.Pieces, arguments string, fromRequest bool) []string {
	switch {
	case p.Texts != nil:
		texts := make([]string, len(p.Texts))
		for i, t := range p.Texts {
			texts[i] = b.text(t)
		}
		return texts
	case b.draft && fromRequest:
		return []string{arguments}
	case p.Present:
		return cut.Evenly(arguments, p.Count)
	}
	return cut.Arguments(arguments)
}

func (b *builder) arguments(call *scenarios.ToolCall, name string) scenarios.Opt[string] {
	switch a := &call.Arguments; {
	case a.Fake:
		return scenarios.Some(b.fakeArguments(call, name))
	case a.Value != nil:
		return scenarios.Some(b.value(*a.Value).String())
	case a.Text.Present:
		return b.opt(a.Text)
	}
	return scenarios.Some("")
}

// callIndex is the index of a call: as written, or the next one of its choice.
func (b *builder) callIndex(choice int, written *int) int {
	index := b.nextCall[choice]
	if written != nil {
		index = *written
	}
	b.nextCall[choice] = max(b.nextCall[choice], index+1)
	return index
}

// followCalls takes note of the indexes in tool_calls that are written as they
// are, so that a call after them gets the next one.
func (b *builder) followCalls(choice int, calls ojson.Value) {
	for _, call := range calls.Items() {
		if i, ok := call.Get("index").Int(); ok {
			index := int(i)
			b.callIndex(choice, &index)
		}
	}
}
