package responses

import (
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// auditedEvent is what the audit knows of the events with one name.
type auditedEvent struct {
	// needs are the members that the event needs, beside those that name the item and the part, with the types of their values.
	needs    map[string]ojson.Kind
	begins   bool     // begins says that a stream begins with the event.
	statuses []string // statuses are those that the response object in the event can have; nil if it has none.
	// hear checks the event; inside checks one that belongs to an open item. Both are nil for an event that can come at any time.
	hear   func(a *audit, e ojson.Value, name string)
	inside func(a *audit, e ojson.Value, i *heard, name string)
}

// auditedEvents is the table of all events, by their names without "response.".
var auditedEvents = sync.OnceValue(func() map[string]auditedEvent {
	response, item, part := needsObject("response"), needsObject("item"), needsObject("part")
	events := map[string]auditedEvent{
		"created":     {needs: response, begins: true, statuses: []string{statusInProgress, statusQueued}},
		"queued":      {needs: response, begins: true, statuses: []string{statusQueued}},
		"in_progress": {needs: response, begins: true, statuses: []string{statusInProgress}},
		"completed":   {needs: response, statuses: []string{statusCompleted}, hear: (*audit).end},
		"incomplete":  {needs: response, statuses: []string{statusIncomplete}, hear: (*audit).end},
		"failed":      {needs: response, statuses: []string{statusFailed}, hear: (*audit).end},
		"error":       {hear: func(a *audit, _ ojson.Value, _ string) { a.broken = true }},

		"output_item.added": {needs: item, hear: (*audit).open},
		"output_item.done":  {needs: item, hear: (*audit).close},

		"output_text.annotation.added": {needs: needsObject("annotation"), inside: inPart("content", (*audit).annotation)},
	}
	for _, name := range []string{
		"keepalive", "audio.delta", "audio.done", "audio.transcript.delta", "audio.transcript.done", "steer.accepted", "steer.pending", "steer.failed",
	} {
		events[name] = auditedEvent{}
	}
	for _, of := range textKinds {
		delta, done := map[string]ojson.Kind{"delta": ojson.StringKind}, map[string]ojson.Kind{of.member: ojson.StringKind}
		if of == answerText {
			delta["logprobs"], done["logprobs"] = ojson.ArrayKind, ojson.ArrayKind
		}
		spells := func(a *audit, e ojson.Value, i *heard, name string) { a.spell(e, &i.call, name) }
		if of.part != "" {
			spells = inPart(of.list(), (*audit).spell)
			events[of.partEvents()+".added"] = auditedEvent{needs: part, inside: openPart(of.list())}
			events[of.partEvents()+".done"] = auditedEvent{needs: part, inside: inPart(of.list(), (*audit).closePart)}
		}
		events[of.events+".delta"] = auditedEvent{needs: delta, inside: spells}
		events[of.events+".done"] = auditedEvent{needs: done, inside: spells}
	}
	for i := range itemTypes {
		for _, e := range itemTypes[i].Course {
			for _, name := range e.names() {
				events[name] = auditedEvent{inside: (*audit).course}
			}
		}
	}
	return events
})

func needsObject(member string) map[string]ojson.Kind {
	return map[string]ojson.Kind{member: ojson.ObjectKind}
}
