package realtime

import (
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/lint"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// CheckShapes checks the rules about the order of events, and about values that are sent twice.
func (Surface) CheckShapes(t *lint.Transcript, report lint.Report) {
	if t.Script == nil {
		return
	}
	o := surface.OptionsForRules(t, surfaceName)
	o.Want.Conversation = true
	if info.Sayable(t.Script, o) != nil {
		return // the error is reported elsewhere
	}
	a := &audit{tell: report, items: map[string]*auditedItem{}}
	sp := newSpeaker(t.Script, o)
	for i := range t.Script.Groups {
		a.group = &t.Script.Groups[i]
		before := len(sp.Units)
		sp.speak(i, a.group)
		for _, u := range sp.Units[before:] {
			if u.JSON.Kind() == ojson.ObjectKind {
				a.hear(u.JSON)
			}
		}
	}
}

// audit follows the events of one response as a strict client does.
type audit struct {
	tell    lint.Report
	group   *script.Group
	created bool
	id      ojson.Value // id is that of the response, as response.created has it.
	over    bool        // over says that response.done came.
	order   []string    // order has the ids of the items.
	items   map[string]*auditedItem
}

// auditedItem is an item as its events so far tell it.
type auditedItem struct {
	text   strings.Builder
	open   bool // open says that a part of the text is known only with the request.
	part   bool // part says that its part was opened; a call has none.
	done   bool // done says that an event has repeated the whole text.
	closed bool
}

func (a *audit) report(rule, format string, args ...any) {
	a.tell(rule, lint.At(a.group, format, args...))
}

// serverEvents are the types of the events that the service sends in the course of a response.
var serverEvents = []string{
	"error", "response.created", "response.done", "response.output_item.added", "response.output_item.done", "response.content_part.added",
	"response.content_part.done", "response.output_text.delta", "response.output_text.done", "response.output_audio_transcript.delta",
	"response.output_audio_transcript.done", "response.output_audio.delta", "response.output_audio.done",
	"response.function_call_arguments.delta", "response.function_call_arguments.done", "conversation.item.added", "conversation.item.done",
	"conversation.item.created", "conversation.item.deleted", "conversation.item.truncated", "conversation.item.retrieved", "rate_limits.updated",
	"conversation.item.input_audio_transcription.delta", "conversation.item.input_audio_transcription.completed",
	"conversation.item.input_audio_transcription.failed", "conversation.item.input_audio_transcription.segment",
	"input_audio_buffer.speech_started", "input_audio_buffer.speech_stopped", "input_audio_buffer.committed", "input_audio_buffer.cleared",
	"input_audio_buffer.timeout_triggered", "output_audio_buffer.started", "output_audio_buffer.stopped", "output_audio_buffer.cleared",
	"session.created", "session.updated", "conversation.created", "input_audio_buffer.dtmf_event_received", "response.mcp_call_arguments.delta", "response.mcp_call_arguments.done",
	"response.mcp_call.in_progress", "response.mcp_call.completed", "response.mcp_call.failed",
	"mcp_list_tools.in_progress", "mcp_list_tools.completed", "mcp_list_tools.failed",
}

func (a *audit) hear(e ojson.Value) {
	kind := e.Get("type").Text()
	ofResponse := strings.HasPrefix(kind, "response.")
	switch {
	case !slices.Contains(serverEvents, kind):
		a.report("unknown-event", "there is no event %s", diag.Shorten(kind))
		return
	case a.over && ofResponse:
		a.report("event-after-end", "%s comes after response.done", diag.Shorten(kind))
		return
	case ofResponse && !a.created && kind != "response.created":
		a.report("event-before-created", "%s comes before response.created", diag.Shorten(kind))
	}
	if id := e.Get("response_id").Or(e.Get("response").Get("id")); a.created && !id.IsAbsent() && id.String() != a.id.String() {
		a.report("response-id-changes", "%s names the response %s, and response.created %s", kind, diag.Shorten(id.String()), diag.Shorten(a.id.String()))
	}
	switch kind {
	case "response.created":
		if a.created {
			a.report("opening-repeated", "response.created comes a second time; a conversation has one active response")
		}
		a.created, a.id = true, e.Get("response").Get("id")
	case "response.done":
		a.over = true
		a.end(e.Get("response"))
	case "response.output_item.added":
		a.open(e.Get("item"))
	case "response.output_item.done":
		if i := a.item(e.Get("item").Get("id"), kind); i != nil {
			i.closed = true
		}
	case "response.content_part.added":
		if i := a.item(e.Get("item_id"), kind); i != nil {
			i.part = true
		}
	case "response.output_text.delta", "response.output_audio_transcript.delta", "response.function_call_arguments.delta":
		a.delta(e, kind)
	case "response.output_text.done":
		a.whole(e, "text")
	case "response.output_audio_transcript.done":
		a.whole(e, "transcript")
	case "response.function_call_arguments.done":
		a.whole(e, "arguments")
	}
}

func (a *audit) open(item ojson.Value) {
	id := item.Get("id").String()
	if a.items[id] != nil {
		a.report("item-not-open", "the item %s is opened a second time", diag.Shorten(id))
	}
	a.items[id], a.order = &auditedItem{part: item.Get("type").Text() != itemMessage}, append(a.order, id)
}

// item returns the open item with an id; nil, with a report, if there is none.
func (a *audit) item(id ojson.Value, kind string) *auditedItem {
	i := a.items[id.String()]
	switch {
	case i == nil:
		a.report("item-not-open", "%s names the item %s, which no event has opened", kind, id)
	case i.closed:
		a.report("item-not-open", "%s names the item %s, which is closed", kind, id)
	}
	return i
}

// end checks that a response which has not failed ends with its items closed, and repeats them.
func (a *audit) end(response ojson.Value) {
	if status := response.Get("status").Text(); status != statusCompleted && status != statusIncomplete {
		return
	}
	for _, id := range a.order {
		if !a.items[id].closed {
			a.report("item-not-closed", "response.done comes, and the item %s is still open", diag.Shorten(id))
		}
	}
	var said []string
	for _, item := range response.Get("output").Items() {
		said = append(said, item.Get("id").String())
	}
	if !slices.Equal(said, a.order) {
		a.report("output-differs", "the output of response.done has %d items, and not those %d of the events before", len(said), len(a.order))
	}
}

// delta checks an event with a piece of the text of an item.
func (a *audit) delta(e ojson.Value, kind string) {
	i := a.item(e.Get("item_id"), kind)
	switch {
	case i == nil:
		return
	case !i.part:
		a.report("part-not-open", "%s belongs to a part that was not opened", kind)
	case i.done:
		a.report("text-after-done", "%s comes after the event that repeated the whole text", kind)
	}
	if text := e.Get("delta"); text.Kind() == ojson.StringKind {
		i.text.WriteString(text.Text())
	} else {
		i.open = true
	}
}

// whole checks an event that repeats the text of an item.
func (a *audit) whole(e ojson.Value, member string) {
	i := a.item(e.Get("item_id"), e.Get("type").Text())
	if i != nil {
		i.done = true
	}
	if i == nil || i.open || e.Get(member).Kind() != ojson.StringKind {
		return
	}
	if text := i.text.String(); text != e.Get(member).Text() {
		a.report("done-differs", "%s says %s, and the deltas before it %s", e.Get("type").Text(), diag.Quote(diag.Shorten(e.Get(member).Text())), diag.Quote(diag.Shorten(text)))
	}
}
