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
		before := len(sp.units)
		closes := sp.speak(i, a.group)
		for _, u := range sp.units[before:] {
			if u.JSON.Kind() == ojson.ObjectKind {
				a.hear(u.JSON)
			}
		}
		if closes {
			return
		}
	}
}

// audit follows the events of one response as a strict client does.
type audit struct {
	tell    lint.Report
	group   *script.Group
	created bool
	over    bool // over says that response.done came.
	items   map[string]*auditedItem
}

// auditedItem is an item as its events so far tell it.
type auditedItem struct {
	text   strings.Builder
	open   bool // open says that a part of the text is known only with the request.
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
	"session.created", "session.updated", "response.mcp_call_arguments.delta", "response.mcp_call_arguments.done",
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
	switch kind {
	case "response.created":
		a.created = true
	case "response.done":
		a.over = true
	case "response.output_item.added":
		a.items[e.Get("item").Get("id").String()] = &auditedItem{}
	case "response.output_item.done":
		if i := a.items[e.Get("item").Get("id").String()]; i != nil {
			i.closed = true
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

// delta checks an event with a piece of the text of an item.
func (a *audit) delta(e ojson.Value, kind string) {
	i := a.items[e.Get("item_id").String()]
	switch {
	case i == nil:
		a.report("item-not-open", "%s names the item %s, which no event has opened", kind, e.Get("item_id"))
		return
	case i.closed:
		a.report("item-not-open", "%s names the item %s, which is closed", kind, e.Get("item_id"))
	}
	if text := e.Get("delta"); text.Kind() == ojson.StringKind {
		i.text.WriteString(text.Text())
	} else {
		i.open = true
	}
}

// whole checks an event that repeats the text of an item.
func (a *audit) whole(e ojson.Value, member string) {
	i := a.items[e.Get("item_id").String()]
	if i == nil || i.open || e.Get(member).Kind() != ojson.StringKind {
		return
	}
	if text := i.text.String(); text != e.Get(member).Text() {
		a.report("done-differs", "%s says %s, and the deltas before it %s", e.Get("type").Text(), diag.Quote(diag.Shorten(e.Get(member).Text())), diag.Quote(diag.Shorten(text)))
	}
}
