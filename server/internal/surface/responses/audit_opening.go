package responses

import (
	"maps"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses/hosted"
)

// begin checks the beginning of a stream, and the response objects.
func (a *audit) begin(e ojson.Value, name string) {
	switch {
	case slices.Contains([]string{"created", "queued", "in_progress"}, name):
		if a.started || slices.Contains(a.openers, name) {
			a.report("opening-repeated", "response.%s comes a second time, or too late", name)
		}
		a.openers = append(a.openers, name)
	case name != "keepalive" && name != "failed" && name != "error":
		if !a.started && !slices.Contains(a.openers, "in_progress") {
			a.report("in-progress-missing", "%s comes, and response.in_progress did not", name)
		}
		a.started = true
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
	case a.response.IsAbsent():
		a.response = id
	case !ojson.Equal(id, a.response):
		a.report("response-id-changes", "response.%s has another id than the events before it", name)
	}
}

// inCourses are the names of the events in the courses of items.
var inCourses = hosted.Events()

// required has the names of all events with the members that they need, beside those that name the
// item and the part, and with the types of their values.
var required = func() map[string]map[string]ojson.Kind {
	events := map[string]map[string]ojson.Kind{
		"error": nil, "keepalive": nil, "output_text.annotation.added": {"annotation": ojson.ObjectKind},
		"output_item.added": {"item": ojson.ObjectKind}, "output_item.done": {"item": ojson.ObjectKind},
	}
	for _, name := range []string{"created", "queued", "in_progress", "completed", "incomplete", "failed"} {
		events[name] = map[string]ojson.Kind{"response": ojson.ObjectKind}
	}
	for _, of := range textKinds {
		delta, done := map[string]ojson.Kind{"delta": ojson.StringKind}, map[string]ojson.Kind{of.member: ojson.StringKind}
		if of == answerText {
			delta["logprobs"], done["logprobs"] = ojson.ArrayKind, ojson.ArrayKind
		}
		events[of.events+".delta"], events[of.events+".done"] = delta, done
		part := map[string]ojson.Kind{"part": ojson.ObjectKind}
		events[of.partEvents()+".added"], events[of.partEvents()+".done"] = part, part
	}
	for _, name := range inCourses {
		events[name] = nil
	}
	return events
}()

// members checks that an event has its members. A value that only a request tells may be of any
// type.
func (a *audit) members(e ojson.Value, name string) {
	for _, member := range slices.Sorted(maps.Keys(required[name])) {
		v, kind := e.Get(member), required[name][member]
		if v.Kind() != kind && v.Kind() != ojson.RawKind {
			a.report("event-incomplete", "the %s of %s is %s", member, name, inWordsOf(v))
		}
	}
}

// closed notes that a part or an item with this text is closed.
func (a *audit) closed(text *spelled, name string) {
	if !text.done {
		a.report("text-not-done", "%s comes, and no event told the whole text", name)
	}
	text.done = true
}

// annotation checks an annotation and adds it to the part.
func (a *audit) annotation(e ojson.Value, p *heardPart) {
	if n, ok := e.Get("annotation_index").Int(); !ok || n != int64(len(p.annotations.Items())) {
		a.report("annotation-index-wrong", "the annotation_index is %s, and %d were added", inWordsOf(e.Get("annotation_index")), len(p.annotations.Items()))
	}
	p.annotations.Push(e.Get("annotation"))
}
