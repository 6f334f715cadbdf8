package script

import (
	"errors"
	"fmt"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
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
		text, err := invent.Satisfying(invent.New(invent.Rand(sel, purpose)), schema, how, sel.Done())
		if err != nil {
			err = requestError{err}
		}
		return text, err
	}
	return "", fmt.Errorf("the request offers no tool %q whose parameters the arguments could satisfy; offer it in tools, or write the arguments in the scenario", name)
}

// Text returns a text's final form, for a place that no hole can stand in: without a
// request a template stays as it is written, and the script is for looking at.
func (b *Builder) Text(t scenarios.Text) string { return b.wholeText(b.sketched(t)) }

// sketchBytes is the length in a sketch of a text that is given by its size.
const sketchBytes = 64 << 10

// sketched returns the beginning of a text that is given by its size, if the script is a sketch.
func (b *Builder) sketched(t scenarios.Text) scenarios.Text {
	if b.Sketches && sketchBytes < t.Bytes && t.Bytes <= scenarios.MaxText {
		b.fail(t.Pos, b.grow(int(t.Bytes-sketchBytes)))
		t.Bytes = sketchBytes
	}
	return t
}

// wholeText is [Builder.Text] for a text that is cut into pieces, whose number must be right in a sketch, too.
func (b *Builder) wholeText(t scenarios.Text) string {
	text := b.uncountedText(t)
	b.fail(t.Pos, b.grow(len(text)))
	return text
}

// uncountedText is [Builder.Text] for a text whose pieces become texts of their own.
func (b *Builder) uncountedText(t scenarios.Text) (text string) {
	var err error
	switch {
	case !t.IsTemplate():
		text, err = render.Plain(t)
	case b.renderer == nil:
		b.templated, b.script.PerRequest = true, true
		return t.Source
	default:
		b.templated = true
		text, err = b.renderer.Text(t)
	}
	b.fail(t.Pos, err)
	return text
}

func (b *Builder) opt(o scenarios.Opt[scenarios.Text]) scenarios.Opt[string] {
	if !o.Present || o.Null {
		return scenarios.Opt[string]{Present: o.Present, Null: o.Null}
	}
	return scenarios.Some(b.Text(o.Value))
}

// Member returns a text as the value of a member: absent, null, a string, or a hole.
func (b *Builder) Member(o scenarios.Opt[scenarios.Text]) ojson.Value {
	switch {
	case !o.Present:
		return ojson.Value{}
	case o.Null:
		return ojson.Null()
	case b.leavesOpen(o.Value):
		return b.textHole(b.template(o.Value), o.Value.Source)
	}
	return ojson.String(b.Text(o.Value))
}

// leavesOpen reports whether a text is left open for the request.
func (b *Builder) leavesOpen(t scenarios.Text) bool { return b.renderer == nil && t.IsTemplate() }

// newHole makes a hole, unless there are too many. Text is what stands in its
// place while there is no request.
func (b *Builder) newHole(text string) (hole.ID, bool) {
	id := hole.Script + hole.ID(len(b.script.texts))
	if id > hole.Max {
		b.script.PerRequest = true
		return 0, false
	}
	b.script.texts[id] = text
	return id, true
}

// Value returns a JSON value with the texts inside it rendered, or left open.
func (b *Builder) Value(v ojson.Value) ojson.Value {
	if !render.ValueIsTemplate(v) {
		return v
	}
	b.templated = true
	if b.renderer == nil {
		return v.Replaced(func(v ojson.Value) (ojson.Value, bool) {
			if v.Kind() != ojson.StringKind || !render.ValueIsTemplate(v) {
				return v, false
			}
			return b.textHole(b.template(scenarios.Text{Source: v.Text(), Pos: b.stepPos}), v.Text()), true
		})
	}
	v, err := b.renderer.Value(v)
	b.fail(b.stepPos, err)
	return v
}

// literal is a value that a step holds as it is written, or Absent.
func (b *Builder) literal(v *ojson.Value) ojson.Value {
	if v == nil {
		return ojson.Value{}
	}
	return b.Value(*v)
}

// Pieces is a text cut into texts that are final. Without a request a template
// stays whole.
func (b *Builder) Pieces(t scenarios.Text, by scenarios.Cut) []scenarios.Text {
	if b.leavesOpen(t) {
		b.templated, b.script.PerRequest = true, true
		return []scenarios.Text{t}
	}
	if by.Unit == "all" {
		t = b.sketched(t)
	}
	return literalTexts(Cut(b.uncountedText(t), by), t.Pos)
}

// literalTexts are pieces of a text as texts that are no templates, whatever they
// hold.
func literalTexts(pieces []string, pos diag.Pos) []scenarios.Text {
	list := make([]scenarios.Text, len(pieces))
	for i, piece := range pieces {
		list[i] = scenarios.Text{Source: piece, Pos: pos, Literal: true}
	}
	return list
}
