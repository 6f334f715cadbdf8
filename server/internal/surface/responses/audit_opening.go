package responses

import (
	"maps"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
)

// opening is the state of the beginning of a stream.
type opening struct {
	seen     []string    // seen has the names of the openers so far.
	started  bool        // started says that another event came after them.
	response ojson.Value // response is the id of the response.
}

// openers are the names of the events that a stream begins with.
var openers = []string{"created", "queued", "in_progress"}

// begin checks the beginning of a stream, and the response objects.
func (a *audit) begin(e ojson.Value, name string) {
	o := &a.opening
	switch {
	case slices.Contains(openers, name):
		if o.started || slices.Contains(o.seen, name) {
			a.report(ruleOpensAgain, "response.%s comes a second time, or too late", name)
		}
		o.seen = append(o.seen, name)
	case name != "keepalive" && name != "failed" && name != "error":
		if !o.started && !slices.Contains(o.seen, "in_progress") {
			a.report(ruleNotInProgress, "%s comes, and response.in_progress did not", name)
		}
		o.started = true
	}
	if response := e.Get("response"); response.Kind() == ojson.ObjectKind {
		a.snapshot(response, name)
	}
}

// snapshot checks the id in a response object.
func (a *audit) snapshot(response ojson.Value, name string) {
	id := response.Get("id")
	if _, open := hole.In(id); open && a.id.Present && !a.id.Null {
		id = ojson.String(a.id.Value.Source)
	}
	switch {
	case id.IsAbsent() || a.id.Value.IsTemplate():
	case a.opening.response.IsAbsent():
		a.opening.response = id
	case !ojson.Equal(id, a.opening.response):
		a.report(ruleResponseID, "response.%s has another id than the events before it", name)
	}
}

// required has the members that events need, beside those that name the item and the part, with
// the types of their values.
var required = map[string]map[string]ojson.Kind{
	"created": answered, "queued": answered, "in_progress": answered, "completed": answered, "incomplete": answered, "failed": answered,
	"output_item.added": {"item": ojson.ObjectKind}, "output_item.done": {"item": ojson.ObjectKind},
	"content_part.added": {"part": ojson.ObjectKind}, "content_part.done": {"part": ojson.ObjectKind},
	"output_text.delta":            {"delta": ojson.StringKind, "logprobs": ojson.ArrayKind},
	"output_text.done":             {"text": ojson.StringKind, "logprobs": ojson.ArrayKind},
	"output_text.annotation.added": {"annotation": ojson.ObjectKind},
	"refusal.delta":                {"delta": ojson.StringKind}, "refusal.done": {"refusal": ojson.StringKind},
	"function_call_arguments.delta": {"delta": ojson.StringKind}, "function_call_arguments.done": {"arguments": ojson.StringKind},
	"custom_tool_call_input.delta": {"delta": ojson.StringKind}, "custom_tool_call_input.done": {"input": ojson.StringKind},
	"reasoning_summary_part.added": {"part": ojson.ObjectKind}, "reasoning_summary_part.done": {"part": ojson.ObjectKind},
	"reasoning_summary_text.delta": {"delta": ojson.StringKind}, "reasoning_summary_text.done": {"text": ojson.StringKind},
	"reasoning_text.delta": {"delta": ojson.StringKind}, "reasoning_text.done": {"text": ojson.StringKind},
}

var answered = map[string]ojson.Kind{"response": ojson.ObjectKind}

// members checks that an event has its members. A value that only a request tells may be of any
// type.
func (a *audit) members(e ojson.Value, name string) {
	for _, member := range slices.Sorted(maps.Keys(required[name])) {
		v, kind := e.Get(member), required[name][member]
		if v.Kind() != kind && v.Kind() != ojson.RawKind {
			a.report(ruleMember, "the %s of %s is %s", member, name, inWordsOf(v))
		}
	}
}

// closed notes that a part or an item with this text is closed.
func (a *audit) closed(text *spelled, name string) {
	if !text.done {
		a.report(ruleNotDone, "%s comes, and no event told the whole text", name)
	}
	text.done = true
}

// annotation checks an annotation and adds it to the part.
func (a *audit) annotation(e ojson.Value, p *heardPart) {
	if n, ok := e.Get("annotation_index").Int(); !ok || n != int64(len(p.annotations.Items())) {
		a.report(ruleAnnotation, "the annotation_index is %s, and %d were added", inWordsOf(e.Get("annotation_index")), len(p.annotations.Items()))
	}
	p.annotations.Push(e.Get("annotation"))
}
