package script

import (
	"fmt"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/invent"
)

// fake is the generated text of a step.
func (b *builder) fake(f *scenarios.Fake) string {
	r := b.rand("fake")
	if f.FromRequest() {
		b.templated, b.dynamic = true, true
		if b.draft {
			return "{}"
		}
		if b.sel.Request.Schema.IsAbsent() {
			b.problem(f.Pos, "the request has no JSON schema for fake to satisfy; send response_format with type json_schema, or write the schema in the scenario")
			return ""
		}
	}
	text, err := invent.FakeText(f, r, b.sel.Request.Schema)
	b.fail(f.Pos, err)
	return text
}

// fakeArguments are arguments that satisfy the parameters of the tool that the
// request offers under the call's name.
func (b *builder) fakeArguments(call *scenarios.ToolCall, name string) string {
	r := b.rand("arguments")
	b.templated, b.dynamic = true, true
	if b.draft {
		return "{}"
	}
	for _, tool := range b.sel.Request.Tools {
		if tool.Name != name {
			continue
		}
		if tool.Parameters.IsAbsent() {
			return "{}"
		}
		text, err := invent.Satisfying(invent.New(r), tool.Parameters)
		b.fail(call.Pos, err)
		return text
	}
	b.problem(call.Pos, fmt.Sprintf("the request offers no tool %q whose parameters the arguments could satisfy; offer it in tools, or write the arguments in the scenario", name))
	return ""
}
