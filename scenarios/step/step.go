// Package step makes the steps of a stream in Go. Each function makes the step of the
// same name in a scenario file, which sends the same bytes:
//
//	[]scenarios.Step{
//		step.Role("assistant"),
//		step.Content("Par"),
//		step.Hold("mid-answer"),
//		step.Content("is.", step.After(20*time.Millisecond)),
//		step.Finish("stop"),
//	}
//
// Texts may contain templates, as in files. Fields that no function sets can be set in
// the returned [scenarios.Step]. A [Modifier], such as [After], changes the step that it
// is given to.
package step

import (
	"fmt"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Role is the chunk with the role, which opens a choice. On chat completions the members that it lacks are those
// that the real service sends: an empty content, or null before a call or a refusal. There, an answer that is one
// call has no such chunk: set Role in the step of [ToolCall].
func Role(role string, mods ...Modifier) scenarios.Step {
	return withModifiers(scenarios.Step{Role: textOf(role)}, mods)
}

// Content is a chunk with a piece of the answer's text.
func Content(text string, mods ...Modifier) scenarios.Step {
	return withModifiers(scenarios.Step{Content: textOf(text)}, mods)
}

// Refusal is a chunk with a piece of a refusal.
func Refusal(text string, mods ...Modifier) scenarios.Step {
	return withModifiers(scenarios.Step{Refusal: textOf(text)}, mods)
}

// Reasoning is a chunk with a piece of reasoning: on chat completions in the member
// reasoning_content of the delta, on responses in the summary.
func Reasoning(text string, mods ...Modifier) scenarios.Step {
	return withModifiers(scenarios.Step{Reasoning: &scenarios.Reasoning{Summary: []scenarios.Opt[scenarios.Text]{textOf(text)}}}, mods)
}

// Text is a text that is cut into chunks, one for each token if by is the zero Cut.
func Text(text string, by scenarios.Cut, mods ...Modifier) scenarios.Step {
	return withModifiers(scenarios.Step{Text: &scenarios.CutText{Text: scenarios.Text{Source: text}, By: by}}, mods)
}

// ToolCall is a call of a function tool: an opening chunk, then its arguments, JSON text,
// in pieces of a few characters. With an empty id, an id is drawn from the seed.
func ToolCall(id, name, arguments string, mods ...Modifier) scenarios.Step {
	return withModifiers(scenarios.Step{ToolCall: callOf(id, name, arguments)}, mods)
}

// Item is an output item of the Responses API, as JSON with that API's member names, such
// as {"type":"web_search_call"}. It panics if the text is not a JSON object.
func Item(json string, mods ...Modifier) scenarios.Step {
	v := *literalOf(json)
	if v.Kind() != ojson.ObjectKind {
		panic(fmt.Sprintf("step: an item is an object, not %s", v.TypeInWords()))
	}
	item := &scenarios.Item{}
	for _, m := range v.Members() {
		item.Members = append(item.Members, scenarios.ItemMember{Name: m.Name, Value: m.Value})
	}
	return withModifiers(scenarios.Step{Item: item}, mods)
}

// CustomTool is a call of a custom tool: an opening chunk, then its input in pieces. With
// an empty id, an id is drawn from the seed.
func CustomTool(id, name, input string, mods ...Modifier) scenarios.Step {
	return withModifiers(scenarios.Step{CustomTool: callOf(id, name, input)}, mods)
}

// FunctionCall is a call in the deprecated member function_call, from before there were
// tools.
func FunctionCall(name, arguments string, mods ...Modifier) scenarios.Step {
	return withModifiers(scenarios.Step{FunctionCall: callOf("", name, arguments)}, mods)
}

// Fragment is one chunk with fragments of tool calls, which have exactly the given
// members.
func Fragment(f scenarios.CallFragment, more ...scenarios.CallFragment) scenarios.Step {
	return scenarios.Step{Fragments: append([]scenarios.CallFragment{f}, more...)}
}

// Fake is generated content, cut into chunks.
func Fake(f scenarios.Fake, mods ...Modifier) scenarios.Step {
	return withModifiers(scenarios.Step{Fake: &f}, mods)
}

// Heartbeat is a chunk with an empty delta.
func Heartbeat(mods ...Modifier) scenarios.Step {
	return withModifiers(scenarios.Step{Heartbeat: 1}, mods)
}

// Finish is the chunk with the finish reason, which ends a choice: stop, length,
// tool_calls, content_filter or function_call.
func Finish(reason string, mods ...Modifier) scenarios.Step {
	return withModifiers(scenarios.Step{Finish: textOf(reason)}, mods)
}

// Usage is the usage chunk with these numbers of tokens and their sum as the total.
func Usage(prompt, completion int, mods ...Modifier) scenarios.Step {
	return withModifiers(scenarios.Step{Usage: &scenarios.Usage{Object: ojson.Object(
		ojson.M("prompt_tokens", ojson.Int(int64(prompt))),
		ojson.M("completion_tokens", ojson.Int(int64(completion))),
	)}}, mods)
}

// Delta is a chunk whose delta is the given JSON text, with its order and spelling. Text
// that is not JSON is sent unchanged.
func Delta(json string, mods ...Modifier) scenarios.Step {
	return withModifiers(scenarios.Step{Delta: literalOf(json)}, mods)
}

// Chunk is a whole chunk, given as JSON text. Text that is not JSON is sent unchanged.
func Chunk(json string, mods ...Modifier) scenarios.Step {
	return withModifiers(scenarios.Step{Chunk: literalOf(json)}, mods)
}

// Comment is an SSE comment line.
func Comment(text string, mods ...Modifier) scenarios.Step {
	return withModifiers(scenarios.Step{Comment: &scenarios.Text{Source: text}}, mods)
}

// Raw sends bytes unchanged, without SSE framing.
func Raw(bytes string, mods ...Modifier) scenarios.Step {
	return withModifiers(scenarios.Step{Raw: &scenarios.Text{Source: bytes}}, mods)
}

// Event is an SSE event with a name and data; with an empty name it has no event line.
func Event(name, data string, mods ...Modifier) scenarios.Step {
	return withModifiers(scenarios.Step{Event: &scenarios.Event{Event: textUnlessEmpty(name), Data: textOf(data)}}, mods)
}

// Error is an error object in mid-stream; kind is its type. For an empty text, the
// server sends the text that api.openai.com does.
func Error(message, kind, code string, mods ...Modifier) scenarios.Step {
	e := &scenarios.ErrorStep{}
	e.Message, e.Type, e.Code = textUnlessEmpty(message), textUnlessEmpty(kind), textUnlessEmpty(code)
	return withModifiers(scenarios.Step{Error: e}, mods)
}

// Done sends [DONE] here or, if send is false, not at all. In both cases the server adds
// no [DONE] at the end of the stream.
func Done(send bool, mods ...Modifier) scenarios.Step {
	return withModifiers(scenarios.Step{Done: &send}, mods)
}

// Wait is a pause.
func Wait(d time.Duration, mods ...Modifier) scenarios.Step {
	return withModifiers(scenarios.Step{Wait: &d}, mods)
}

// Hold stops the stream until the test releases the hold of that name.
func Hold(name string) scenarios.Step { return scenarios.Step{Hold: name} }

// UntilMessage stops the stream until the client sends a message of this type over WebSocket.
func UntilMessage(kind string) scenarios.Step {
	is := scenarios.BodyMatch{Path: scenarios.Path{Path: ojson.Path{{Name: "type"}}}, Equals: new(ojson.String(kind))}
	return scenarios.Step{Until: &scenarios.Until{Message: []scenarios.BodyMatch{is}}}
}

// UntilRequest stops the stream until the scenario of that name has answered another request.
func UntilRequest(scenario string) scenarios.Step {
	return scenarios.Step{Until: &scenarios.Until{Request: scenario}}
}

func textOf(source string) scenarios.Opt[scenarios.Text] {
	return scenarios.Some(scenarios.Text{Source: source})
}

func textUnlessEmpty(source string) scenarios.Opt[scenarios.Text] {
	if source == "" {
		return scenarios.Opt[scenarios.Text]{}
	}
	return textOf(source)
}

func callOf(id, name, arguments string) *scenarios.ToolCall {
	return &scenarios.ToolCall{ID: textUnlessEmpty(id), Name: textOf(name), Arguments: scenarios.Arguments{Text: textOf(arguments)}}
}
