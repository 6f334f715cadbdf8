package recording

import (
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses"
)

// responseParts are the steps that may send a stream of the Responses API, given the data of its
// events; data without JSON is absent. The events that open and close an item belong to
// the steps that fill the item. No step can express the events that belong to no part.
func responseParts(list []ojson.Value) []part {
	r := responseReader{list: list}
	for r.at < len(r.list) {
		r.event(r.list[r.at])
	}
	return r.parts
}

// responseReader turns events into steps, in order.
type responseReader struct {
	list  []ojson.Value
	at    int // at is the position of the next event.
	told  int // told is how many events are done with; those between told and at belong to the next step.
	parts []part

	kind  string // kind is the type of the item that was opened last; "" before the first.
	calls int    // calls counts the opened calls.
	next  string // next is what the next step of a text begins: item, part or "".
	part  string // part is the type of the part that was opened last.
	// encrypted is the encrypted content of the open reasoning, for its first step.
	encrypted ojson.Value
}

// addStep adds a step, which sends the next event, and also the events before it that have no step yet.
func (r *responseReader) addStep(st scenarios.Step) {
	r.at++
	r.parts = append(r.parts, part{r.told, r.at, typed, st})
	r.told = r.at
}

// skip leaves the next event to the following step.
func (r *responseReader) skip() { r.at++ }

// literally makes the next event literal. If events before it have no step, which a later step
// would send, all other events are, too.
func (r *responseReader) literally() {
	if !r.opened() {
		r.at = len(r.list)
		return
	}
	r.at++
	r.told = r.at
}

// opened reports whether all events before the next one have a step, if need be one that opens an
// item.
func (r *responseReader) opened() bool {
	if r.at == r.told+1 && r.list[r.told].Get("type").Text() == "response.output_item.added" {
		kind := ojson.String(r.kind)
		r.parts = append(r.parts, part{r.told, r.at, typed, scenarios.Step{Item: itemOf(ojson.Object(ojson.M("type", kind)))}})
		r.told, r.next = r.at, ""
	}
	return r.told == r.at
}

// event handles the next event.
func (r *responseReader) event(e ojson.Value) {
	switch name := strings.TrimPrefix(e.Get("type").Text(), "response."); name {
	case "created":
		r.begin()
	case "output_item.added":
		r.item(e.Get("item"))
	case "content_part.added":
		kind := e.Get("part").Get("type").Text()
		if index, _ := e.Get("content_index").Int(); index > 0 && kind == r.part {
			r.next = "part"
		}
		r.part = kind
		r.skip()
	case "output_text.done", "refusal.done", "content_part.done", "output_item.done", "reasoning_text.done",
		"reasoning_summary_text.done", "reasoning_summary_part.done", "function_call_arguments.done", "custom_tool_call_input.done":
		r.skip()
	case "reasoning_summary_part.added":
		if index, _ := e.Get("summary_index").Int(); index > 0 {
			r.next = "part"
		}
		r.skip()
	case "completed", "incomplete", "failed":
		r.end(e.Get("response"))
	case "error":
		r.failure(e)
	default:
		if st, ok := r.piece(name, e); ok && (st.Heartbeat == 0 || r.opened()) {
			r.addStep(st)
		} else {
			r.literally()
		}
	}
}

// begin handles the start of the stream.
func (r *responseReader) begin() {
	for r.typeAfter(0) == "response.queued" || r.typeAfter(0) == "response.in_progress" {
		r.skip()
	}
	r.addStep(scenarios.Step{Role: scenarios.Some(literal("assistant"))})
}

// typeAfter is the type of the event that comes n events after the next one.
func (r *responseReader) typeAfter(n int) string {
	if i := r.at + 1 + n; i < len(r.list) {
		return r.list[i].Get("type").Text()
	}
	return ""
}

// piece is the step for an event with a piece of a text; ok says that the event has one.
func (r *responseReader) piece(name string, e ojson.Value) (st scenarios.Step, ok bool) {
	delta := textOf(e.Get("delta"))
	switch name {
	case "output_text.delta":
		st.Content, st.Next, r.next = delta, r.next, ""
		if entries := e.Get("logprobs"); len(entries.Items()) > 0 {
			st.Logprobs = &scenarios.Logprobs{Content: &entries}
		}
	case "refusal.delta":
		st.Refusal, st.Next, r.next = delta, r.next, ""
	case "output_text.annotation.added":
		list := ojson.Array(e.Get("annotation"))
		return scenarios.Step{Annotations: &list}, true
	case "reasoning_summary_text.delta":
		st.Reasoning = r.reasoning()
		st.Reasoning.Summary = []scenarios.Opt[scenarios.Text]{delta}
	case "reasoning_text.delta":
		st.Reasoning = r.reasoning()
		st.Reasoning.Text = delta
	case "function_call_arguments.delta":
		st.Fragments = []scenarios.CallFragment{{Index: scenarios.Some(r.calls - 1), Arguments: scenarios.Arguments{Text: delta}}}
	case "custom_tool_call_input.delta":
		st.Fragments = []scenarios.CallFragment{{Index: scenarios.Some(r.calls - 1), Input: delta}}
	case "keepalive":
		return scenarios.Step{Heartbeat: 1}, true
	default:
		return st, false
	}
	return st, delta.Present && !delta.Null && (r.calls > 0 || st.Fragments == nil)
}

// reasoning is the reasoning of a step, without its text.
func (r *responseReader) reasoning() *scenarios.Reasoning {
	step := &scenarios.Reasoning{Next: r.next, EncryptedContent: textOf(r.encrypted)}
	r.next, r.encrypted = "", ojson.Value{}
	return step
}

// item handles an event that adds an item.
func (r *responseReader) item(item ojson.Value) {
	kind, before := item.Get("type").Text(), r.kind
	r.kind, r.next, r.part = kind, "", ""
	t := responses.ItemNamed(kind)
	switch {
	case kind == responses.Message:
		r.message(item, before == kind)
	case kind == responses.Reasoning:
		r.think(item, before == kind)
	case kind == responses.Function || kind == responses.Custom:
		r.call(item)
	default:
		r.readToolItem(t)
	}
}

// message handles the opening of a message. It needs no step if the first piece of the
// text opens the message in the same way.
func (r *responseReader) message(item ojson.Value, again bool) {
	said := ojson.Object()
	for _, m := range item.Members() {
		usual := slices.Contains([]string{"id", "status", "content"}, m.Name) || m.Name == "role" && m.Value.Text() == "assistant"
		if !usual || m.Name == "type" {
			said.Set(m.Name, m.Value)
		}
	}
	after := r.typeAfter(0)
	if after == "response.content_part.added" {
		after = r.typeAfter(1)
	}
	filled := strings.HasSuffix(after, ".delta") || strings.HasSuffix(after, "annotation.added")
	if len(said.Members()) == 1 && !again && filled {
		r.skip()
		return
	}
	r.addStep(scenarios.Step{Item: itemOf(said)})
}

// think reads the opening of reasoning; the first piece of the reasoning sends it, if there is one.
func (r *responseReader) think(item ojson.Value, again bool) {
	r.encrypted = r.finished(item).Get("encrypted_content")
	if again {
		r.next = "item"
	}
	if r.typeAfter(0) != "response.output_item.done" {
		r.skip()
		return
	}
	if r.next = "item"; r.encrypted.IsNullOrAbsent() {
		r.next = ""
		r.addStep(scenarios.Step{Item: itemOf(ojson.Object(ojson.M("type", ojson.String(responses.Reasoning))))})
		return
	}
	r.addStep(scenarios.Step{Reasoning: r.reasoning()})
}

// finished is the item in the event that closes it; if there is none, the given item.
func (r *responseReader) finished(item ojson.Value) ojson.Value {
	for _, e := range r.list[r.at:] {
		if e.Get("type").Text() == "response.output_item.done" && e.Get("item").Get("id").Text() == item.Get("id").Text() {
			return e.Get("item")
		}
	}
	return item
}

// call handles the opening of a tool call: a fragment without arguments.
func (r *responseReader) call(item ojson.Value) {
	f := scenarios.CallFragment{Index: scenarios.Some(r.calls), ID: textOf(item.Get("call_id")), Name: textOf(item.Get("name"))}
	if none := scenarios.Some(literal("")); item.Get("type").Text() == responses.Custom {
		f.Type, f.Input = scenarios.Some(literal("custom")), none
	} else {
		f.Type, f.Arguments.Text = scenarios.Some(literal("function")), none
	}
	r.calls++
	r.addStep(scenarios.Step{Fragments: []scenarios.CallFragment{f}})
}

// readToolItem reads the events of one item of the service's own tools, from the event that adds the item to the
// event that closes it.
func (r *responseReader) readToolItem(t *responses.ItemType) {
	begun := r.at
	index := r.list[begun].Get("output_index").Text()
	for r.list[r.at].Get("type").Text() != "response.output_item.done" {
		r.skip()
		if r.at == len(r.list) || r.list[r.at].Get("output_index").Text() != index {
			r.at = len(r.list)
			return
		}
	}
	r.addStep(hostedItem(t, r.list[begun:r.at+1]))
}

// end reads the last event, which closes all open items and has the usage.
func (r *responseReader) end(response ojson.Value) {
	finish := scenarios.Step{Finish: scenarios.Some(literal(finishOf(response, r.kind)))}
	usage := usageOf(response.Get("usage"))
	switch {
	case response.Get("status").Text() == scenarios.ResponseFailed:
		r.told = r.at // a failed answer leaves its items open: events that close them are literal
		finish.Finish = scenarios.NullOf[scenarios.Text]()
		r.addStep(finish)
	case r.told == r.at || usage.Null:
		finish.Usage = usage
		r.addStep(finish)
	default:
		r.at-- // The last event that closes an item belongs to the finish step.
		r.addStep(finish)
		r.addStep(scenarios.Step{Usage: usage})
	}
}

// finishOf is the finish_reason that corresponds to a response whose last item is of a kind.
func finishOf(response ojson.Value, kind string) string {
	reason := response.Get("incomplete_details").Get("reason").Text()
	switch {
	case reason == "content_filter":
		return reason
	case response.Get("status").Text() == scenarios.ResponseIncomplete:
		return "length"
	case kind == responses.Function || kind == responses.Custom:
		return "tool_calls"
	}
	return "stop"
}

// failure handles an error event, after which the server sends response.failed.
func (r *responseReader) failure(e ojson.Value) {
	if r.typeAfter(0) != "response.failed" || r.told < r.at {
		r.literally()
		return
	}
	body := ojson.Object()
	for _, m := range e.Members() {
		if m.Name != "type" && m.Name != "sequence_number" {
			body.Set(m.Name, m.Value)
		}
	}
	flat := body.Get("error").Kind() != ojson.ObjectKind
	if flat {
		inner := body
		inner.Set("type", e.Get("type"))
		body = ojson.Object(ojson.M("error", inner))
	}
	failed := errorOf(body)
	failed.Flat = flat
	r.skip()
	r.addStep(scenarios.Step{Error: &scenarios.ErrorStep{APIError: failed}})
}
