package script

import (
	"errors"
	"fmt"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/invent"
	"github.com/fakeopenai/fakeopenai/server/internal/render"
)

// ErrRequest is wrapped by errors that are the fault of the request and could not be prevented
// by the scenario: a schema in the request that no value satisfies. In all other cases the
// scenario could have a condition or a default.
var ErrRequest = errors.New("the request cannot be answered")

// requestError is an error that wraps [ErrRequest] without repeating its text.
type requestError struct{ error }

func (e requestError) Unwrap() []error { return []error{e.error, ErrRequest} }

// fakeStep returns the pieces of an invented text.
func (b *Builder) fakeStep(st *scenarios.Step) ([]Beat, *series) {
	f := st.Fake
	if b.renderer == nil && invent.FromRequest(f) {
		purpose := b.purpose("fake")
		source := func(s *fillState) (string, error) {
			text, err := fakeText(s.sel, f, purpose)
			return text, render.Placed(f.Pos, err)
		}
		return b.openPieces(source, b.cutOf(st, f.By), "{}")
	}
	return b.textPieces(b.Fake(f), b.cutOf(st, f.By)), nil
}

// Fake returns an invented text. One that depends on the request is {} without a request, and
// the script becomes PerRequest.
func (b *Builder) Fake(f *scenarios.Fake) string {
	purpose := b.purpose("fake")
	if invent.FromRequest(f) {
		b.templated = true
		if b.renderer == nil {
			b.script.PerRequest = true
			return "{}"
		}
	}
	text, err := fakeText(b.sel, f, purpose)
	b.fail(f.Pos, err)
	return text
}

// purpose returns the name of the next source of chance of a kind.
func (b *Builder) purpose(kind string) string {
	b.sources[kind]++
	return fmt.Sprint(kind, " ", b.sources[kind])
}

func fakeText(sel *scenarios.Selection, f *scenarios.Fake, purpose string) (string, error) {
	schema := sel.Request.Schema
	if invent.FromRequest(f) && schema.IsAbsent() {
		return "", errors.New("the request has no JSON schema for fake to satisfy; write the schema in the scenario, or send one with type json_schema: in response_format to chat completions, in text.format to responses (legacy completions take none)")
	}
	text, err := invent.FakeText(f, invent.Rand(sel, purpose), schema, sel.Done())
	if err != nil && invent.FromRequest(f) {
		err = requestError{err}
	}
	return text, err
}

// fakeArguments returns arguments that satisfy the parameters of the request's tool with the
// call's name, or break them as the call says.
func (b *Builder) fakeArguments(call *scenarios.ToolCall, name ojson.Value) callArguments {
	purpose := b.purpose("arguments")
	b.templated = true
	if b.renderer == nil {
		return callArguments{text: "{}", source: func(f *fillState) (string, error) {
			tool := name.Text()
			if id, ok := hole.In(name); ok {
				tool = f.texts[id]
			}
			text, err := toolText(f.sel, tool, call.Arguments.Break, purpose)
			return text, render.Placed(call.Pos, err)
		}}
	}
	text, err := toolText(b.sel, name.Text(), call.Arguments.Break, purpose)
	b.fail(call.Pos, err)
	return callArguments{text: text}
}

// noParameters is the schema of a tool that has none.
var noParameters = ojson.Object(ojson.M("type", ojson.String("object")))

// toolText is arguments that satisfy the parameters of a tool in the request, or break them.
func toolText(sel *scenarios.Selection, name, how, purpose string) (string, error) {
	for _, tool := range sel.Request.Tools {
		if tool.Name != name {
			continue
		}
		schema := tool.Parameters
		if len(schema.Members()) == 0 { // any value satisfies {}, and arguments are an object
			schema = noParameters
		}
		text, err := invent.Breaking(invent.New(invent.Rand(sel, purpose)), schema, how, sel.Done())
		if err != nil {
			err = requestError{err}
		}
		return text, err
	}
	return "", fmt.Errorf("the request offers no tool %q whose parameters the arguments could satisfy; offer it in tools, or write the arguments in the scenario", name)
}
