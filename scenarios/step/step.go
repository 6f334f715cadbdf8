package step

import (
	"fmt"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// The functions below make the steps of a stream in Go. Each means what the word
// of the same name means in a scenario file, and gives the same bytes:
//
//	[]scenarios.Step{
//		scenarios.Role("assistant"),
//		scenarios.Content("Par"),
//		scenarios.Hold("mid-answer"),
//		scenarios.Content("is.").WithAfter(20 * time.Millisecond),
//		scenarios.Finish("stop"),
//	}
//
// Texts may hold templates. What has no function is set in a [Step] literal.

// Role opens a choice with a role chunk.
func Role(role string) scenarios.Step { return scenarios.Step{Role: textOf(role)} }

// Content is a chunk with a piece of the answer's text.
func Content(text string) scenarios.Step { return scenarios.Step{Content: textOf(text)} }

// Refusal is a chunk with a piece of a refusal.
func Refusal(text string) scenarios.Step { return scenarios.Step{Refusal: textOf(text)} }

// Reason is a chunk with a piece of reasoning, in the member reasoning_content.
func Reasoning(text string) scenarios.Step {
	return scenarios.Step{Reasoning: &scenarios.Reasoning{Text: textOf(text)}}
}

// TextBy is a text cut into chunks, token by token unless by says otherwise.
func Text(text string, by scenarios.By) scenarios.Step {
	return scenarios.Step{Text: &scenarios.Chunked{Text: scenarios.Text{Source: text}, By: by}}
}

// Call is a call of a function tool: an opening chunk, then its arguments in
// pieces of a few characters. An empty id is drawn from the seed.
func ToolCall(id, name, arguments string) scenarios.Step {
	return scenarios.Step{ToolCall: callOf(id, name, arguments)}
}

// CustomCall is a call of a custom tool with its input.
func CustomTool(id, name, input string) scenarios.Step {
	return scenarios.Step{CustomTool: callOf(id, name, input)}
}

// CallFunction is a legacy function_call.
func FunctionCall(name, arguments string) scenarios.Step {
	return scenarios.Step{FunctionCall: callOf("", name, arguments)}
}

// Generated is generated content.
func Fake(f scenarios.Fake) scenarios.Step { return scenarios.Step{Fake: &f} }

// Heartbeat is a chunk with an empty delta.
func Heartbeat() scenarios.Step { return scenarios.Step{Heartbeat: 1} }

// Finish ends a choice: stop, length, tool_calls, content_filter or
// function_call.
func Finish(reason string) scenarios.Step { return scenarios.Step{Finish: textOf(reason)} }

// Tokens is the usage chunk. The total is their sum.
func Usage(prompt, completion int) scenarios.Step {
	return scenarios.Step{Usage: &scenarios.Usage{Object: ojson.Object(
		ojson.M("prompt_tokens", ojson.Int(int64(prompt))),
		ojson.M("completion_tokens", ojson.Int(int64(completion))),
	)}}
}

// Delta is a chunk whose delta is the given JSON text, member by member as it is
// written. JSON that cannot be read is sent as it is.
func Delta(json string) scenarios.Step { return scenarios.Step{Delta: literalOf(json)} }

// Chunk is a whole chunk, given as JSON text. JSON that cannot be read is sent
// as it is.
func Chunk(json string) scenarios.Step { return scenarios.Step{Chunk: literalOf(json)} }

// Comment is an SSE comment line.
func Comment(text string) scenarios.Step {
	return scenarios.Step{Comment: &scenarios.Text{Source: text}}
}

// Raw is bytes as they are.
func Raw(bytes string) scenarios.Step { return scenarios.Step{Raw: &scenarios.Text{Source: bytes}} }

// NamedEvent is an SSE event with a name and data; an empty name is left out.
func Event(name, data string) scenarios.Step {
	return scenarios.Step{Event: &scenarios.Event{Event: textUnlessEmpty(name), Data: textOf(data)}}
}

// Fail is an error object in mid-stream. Empty texts take the real service's.
func Error(message, kind, code string) scenarios.Step {
	e := &scenarios.ErrorStep{}
	e.Message, e.Type, e.Code = textUnlessEmpty(message), textUnlessEmpty(kind), textUnlessEmpty(code)
	return scenarios.Step{Error: e}
}

// Done sends [DONE] here or, if send is false, not at all. Either way the closing
// one is left out.
func Done(send bool) scenarios.Step { return scenarios.Step{Done: &send} }

// Wait is a pause.
func Wait(d time.Duration) scenarios.Step { return scenarios.Step{Wait: &d} }

// Hold stops the stream until the test releases the hold of that name.
func Hold(name string) scenarios.Step { return scenarios.Step{Hold: name} }

// WithAfter puts a pause before the step, in place of the pace's.
func WithAfter(st scenarios.Step, d time.Duration) scenarios.Step {
	st.After = &d
	return st
}

// WithEvery sets the pause between the chunks of the step.
func WithEvery(st scenarios.Step, d time.Duration) scenarios.Step {
	st.Every = &d
	return st
}

// WithJitter lets each pause of the step vary by up to d, either way.
func WithJitter(st scenarios.Step, d time.Duration) scenarios.Step {
	st.Jitter = &d
	return st
}

// WithChoice sends the step to the choice with that index.
func WithChoice(st scenarios.Step, index int) scenarios.Step {
	st.Choice = index
	return st
}

// WithPieces cuts the arguments of a call into exactly these pieces.
func WithPieces(st scenarios.Step, pieces ...string) scenarios.Step {
	st.Pieces = scenarios.Pieces{Present: true, Texts: make([]scenarios.Text, len(pieces))}
	for i, piece := range pieces {
		st.Pieces.Texts[i] = scenarios.Text{Source: piece}
	}
	return st
}

// WithLogprobs gives each chunk of the step invented log-probabilities.
func WithLogprobs(st scenarios.Step) scenarios.Step {
	st.Logprobs = &scenarios.Logprobs{Generate: true}
	return st
}

// WithFinish finishes the choice in the step's last chunk.
func WithFinish(st scenarios.Step, reason string) scenarios.Step {
	st.Finish = textOf(reason)
	return st
}

// Times sends the step n times.
func Times(st scenarios.Step, n int) scenarios.Step {
	st.Repeat = n
	return st
}

// Without takes a place out of each chunk of the step, such as delta.refusal. It
// panics if the path cannot be read: paths are written in the test's source.
func Without(st scenarios.Step, path string) scenarios.Step {
	st.Omit = append(st.Omit[:len(st.Omit):len(st.Omit)], mustPath(path))
	return st
}

// WithValue puts a JSON value at a place of each chunk of the step. It panics if
// the path cannot be read.
func WithValue(st scenarios.Step, path, json string) scenarios.Step {
	a := scenarios.Assignment{Path: mustPath(path), Value: *literalOf(json)}
	st.Set = append(st.Set[:len(st.Set):len(st.Set)], a)
	return st
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

func literalOf(json string) *ojson.Value {
	v, err := ojson.Parse([]byte(json))
	if err != nil {
		v = ojson.Raw(json)
	}
	return &v
}

func mustPath(path string) scenarios.Path {
	p, err := ojson.ParsePath(path)
	if err != nil {
		panic(fmt.Sprintf("scenarios: %v", err))
	}
	return scenarios.Path{Path: p}
}
