package scenarios

import (
	"fmt"
	"time"

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
func Role(role string) Step { return Step{Role: textOf(role)} }

// Content is a chunk with a piece of the answer's text.
func Content(text string) Step { return Step{Content: textOf(text)} }

// Refusal is a chunk with a piece of a refusal.
func Refusal(text string) Step { return Step{Refusal: textOf(text)} }

// Reason is a chunk with a piece of reasoning, in the member reasoning_content.
func Reason(text string) Step { return Step{Reasoning: &Reasoning{Text: textOf(text)}} }

// TextBy is a text cut into chunks, token by token unless by says otherwise.
func TextBy(text string, by By) Step {
	return Step{Text: &Chunked{Text: Text{Source: text}, By: by}}
}

// Call is a call of a function tool: an opening chunk, then its arguments in
// pieces of a few characters. An empty id is drawn from the seed.
func Call(id, name, arguments string) Step { return Step{ToolCall: callOf(id, name, arguments)} }

// CustomCall is a call of a custom tool with its input.
func CustomCall(id, name, input string) Step { return Step{CustomTool: callOf(id, name, input)} }

// CallFunction is a legacy function_call.
func CallFunction(name, arguments string) Step {
	return Step{FunctionCall: callOf("", name, arguments)}
}

// Generated is generated content.
func Generated(f Fake) Step { return Step{Fake: &f} }

// Heartbeat is a chunk with an empty delta.
func Heartbeat() Step { return Step{Heartbeat: 1} }

// Finish ends a choice: stop, length, tool_calls, content_filter or
// function_call.
func Finish(reason string) Step { return Step{Finish: textOf(reason)} }

// Tokens is the usage chunk. The total is their sum.
func Tokens(prompt, completion int) Step {
	return Step{Usage: &Usage{Object: ojson.Object(
		ojson.M("prompt_tokens", ojson.Int(int64(prompt))),
		ojson.M("completion_tokens", ojson.Int(int64(completion))),
	)}}
}

// Delta is a chunk whose delta is the given JSON text, member by member as it is
// written. JSON that cannot be read is sent as it is.
func Delta(json string) Step { return Step{Delta: literalOf(json)} }

// Chunk is a whole chunk, given as JSON text. JSON that cannot be read is sent
// as it is.
func Chunk(json string) Step { return Step{Chunk: literalOf(json)} }

// Comment is an SSE comment line.
func Comment(text string) Step { return Step{Comment: &Text{Source: text}} }

// Raw is bytes as they are.
func Raw(bytes string) Step { return Step{Raw: &Text{Source: bytes}} }

// NamedEvent is an SSE event with a name and data; an empty name is left out.
func NamedEvent(name, data string) Step {
	return Step{Event: &Event{Event: textUnlessEmpty(name), Data: textOf(data)}}
}

// Fail is an error object in mid-stream. Empty texts take the real service's.
func Fail(message, kind, code string) Step {
	e := &ErrorStep{}
	e.Message, e.Type, e.Code = textUnlessEmpty(message), textUnlessEmpty(kind), textUnlessEmpty(code)
	return Step{Error: e}
}

// Done sends [DONE] here or, if send is false, not at all. Either way the closing
// one is left out.
func Done(send bool) Step { return Step{Done: &send} }

// Wait is a pause.
func Wait(d time.Duration) Step { return Step{Wait: &d} }

// Hold stops the stream until the test releases the hold of that name.
func Hold(name string) Step { return Step{Hold: name} }

// WithAfter puts a pause before the step, in place of the pace's.
func (st Step) WithAfter(d time.Duration) Step {
	st.After = &d
	return st
}

// WithEvery sets the pause between the chunks of the step.
func (st Step) WithEvery(d time.Duration) Step {
	st.Every = &d
	return st
}

// WithJitter lets each pause of the step vary by up to d, either way.
func (st Step) WithJitter(d time.Duration) Step {
	st.Jitter = &d
	return st
}

// WithChoice sends the step to the choice with that index.
func (st Step) WithChoice(index int) Step {
	st.Choice = index
	return st
}

// WithPieces cuts the arguments of a call into exactly these pieces.
func (st Step) WithPieces(pieces ...string) Step {
	st.Pieces = Pieces{Present: true, Texts: make([]Text, len(pieces))}
	for i, piece := range pieces {
		st.Pieces.Texts[i] = Text{Source: piece}
	}
	return st
}

// WithLogprobs gives each chunk of the step invented log-probabilities.
func (st Step) WithLogprobs() Step {
	st.Logprobs = &Logprobs{Generate: true}
	return st
}

// WithFinish finishes the choice in the step's last chunk.
func (st Step) WithFinish(reason string) Step {
	st.Finish = textOf(reason)
	return st
}

// Times sends the step n times.
func (st Step) Times(n int) Step {
	st.Repeat = n
	return st
}

// Without takes a place out of each chunk of the step, such as delta.refusal. It
// panics if the path cannot be read: paths are written in the test's source.
func (st Step) Without(path string) Step {
	st.Omit = append(st.Omit[:len(st.Omit):len(st.Omit)], mustPath(path))
	return st
}

// WithValue puts a JSON value at a place of each chunk of the step. It panics if
// the path cannot be read.
func (st Step) WithValue(path, json string) Step {
	a := Assignment{Path: mustPath(path), Value: *literalOf(json)}
	st.Set = append(st.Set[:len(st.Set):len(st.Set)], a)
	return st
}

func textOf(source string) Opt[Text] { return Some(Text{Source: source}) }

func textUnlessEmpty(source string) Opt[Text] {
	if source == "" {
		return Opt[Text]{}
	}
	return textOf(source)
}

func callOf(id, name, arguments string) *ToolCall {
	return &ToolCall{ID: textUnlessEmpty(id), Name: textOf(name), Arguments: Arguments{Text: textOf(arguments)}}
}

func literalOf(json string) *ojson.Value {
	v, err := ojson.Parse([]byte(json))
	if err != nil {
		v = ojson.Raw(json)
	}
	return &v
}

func mustPath(path string) Path {
	p, err := ojson.ParsePath(path)
	if err != nil {
		panic(fmt.Sprintf("scenarios: %v", err))
	}
	return Path{Path: p}
}
